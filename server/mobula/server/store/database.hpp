// A connection to an SQLite file and its statements. Only database.cpp includes sqlite3.h.
//
// The first error is kept: later calls do nothing until take_error() returns it. So a transaction of many statements
// checks for errors once. Not thread-safe. A database must outlive its statements.
#pragma once

#include <cstdint>
#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace mobula::store {

class Statement;

/// Frames of the write-ahead log, and how many of them are in the file.
struct LogProgress {
  std::uint32_t frames = 0;
  std::uint32_t moved = 0;
  bool emptied = false;  // the log is an empty file
};

/// A connection to an SQLite file.
class Database {
 public:
  enum class Access {
    existing,
    create,
    without_log,  // the file alone, read-only; ignores the log and other writers
  };

  /// Opens a file. Errors: "no file", "not writable", "damaged", "file error".
  static core::Result<Database> open(const std::string& path, Access access);
  Database(Database&& other) noexcept;
  Database& operator=(Database&& other) noexcept;
  ~Database();

  /// Runs SQL that returns no rows.
  void run(const std::string& sql);
  /// Prepares a statement. It is empty if the database has failed.
  [[nodiscard]] Statement prepare(const std::string& sql);
  /// Returns the first column of the first row. 0 or "" if there is no row.
  std::int64_t number(const std::string& sql);
  std::string text(const std::string& sql);
  /// Checks all pages and describes the first damage. Empty if there is none or the check itself has failed.
  /// Errors: "file error" if a page cannot be read now, "unreadable" if the file needs another program's extension.
  std::string find_damage();
  /// Begins a write transaction. Rolls back one that is still open: an earlier rollback may have lacked memory.
  void begin();
  /// Rolls back an open transaction. Keeps the error.
  void rollback();

  [[nodiscard]] bool failed() const { return error_.has_value(); }
  /// Returns the error and clears it. Errors: "disk full", "busy", "damaged", "not writable", "file error", and those
  /// of find_damage().
  std::optional<core::Error> take_error() { return std::exchange(error_, std::nullopt); }
  /// Records an error of SQLite, if it is the first.
  void fail(int code, const std::string& sql);

  /// Sets whether closing leaves the log as it is. By default closing moves it into the file, which changes both.
  void keep_log_at_close(bool keep);
  /// Disables the views of the file. A view under a table's name could return rows without end.
  void forbid_views();
  /// Sets how long a statement waits for locks of other programs.
  void set_busy_timeout_ms(int timeout_ms);
  /// Moves the log into the file as far as readers permit (SQLite calls it a checkpoint). With `empty` it waits for
  /// readers and empties the log. Rolls back an open transaction first. Error "busy" if another program's reads prevent
  /// it.
  core::Result<LogProgress> move_log(bool empty);

 private:
  friend class Statement;
  explicit Database(sqlite3* handle) : handle_(handle) {}
  [[nodiscard]] bool is_within_transaction() const;
  [[nodiscard]] core::Error error_of(int code, const std::string& doing) const;

  sqlite3* handle_ = nullptr;
  std::optional<core::Error> error_;
};

/// A prepared statement.
class Statement {
 public:
  enum class Kind { null, integer, real, text, blob };

  Statement() = default;
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;
  ~Statement();

  explicit operator bool() const { return handle_ != nullptr; }

  /// Binds a parameter, counted from 1. Texts and blobs must outlive the run.
  Statement& bind(int at, std::int64_t value);
  Statement& bind_real(int at, double value);
  Statement& bind_text(int at, std::string_view value);
  Statement& bind_blob(int at, core::ByteView value);
  /// Runs the statement and resets it, so that it can be bound again.
  void run();
  /// Steps to the next row. False if there is none or the database has failed.
  bool next();

  /// Columns of the current row, counted from 0.
  [[nodiscard]] Kind kind(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string_view text(int column) const;
  [[nodiscard]] core::ByteView blob(int column) const;

 private:
  friend class Database;
  Statement(Database& database, sqlite3_stmt* handle) : database_(&database), handle_(handle) {}

  Database* database_ = nullptr;
  sqlite3_stmt* handle_ = nullptr;
};

/// Returns "name" in double quotes, escaped.
std::string sql_name(std::string_view name);
/// Returns 'text' in single quotes, escaped.
std::string literal(std::string_view text);

}  // namespace mobula::store
