// One connection to an SQLite file, and statements of it. The only door to sqlite3.h.
//
// The first thing that goes wrong sticks: whatever follows does nothing, and take_error() tells of it. So a transaction
// of many statements is written straight on, and asked once before it is committed.
// One thread at a time. Statements end before their database.
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

// How much of the write-ahead log has gone into the file itself.
struct LogProgress {
  std::uint32_t frames = 0;
  std::uint32_t moved = 0;
  bool emptied = false;  // nothing is left in it
};

class Database {
 public:
  enum class Access {
    existing,
    create,
    without_log,  // as the file is by itself, read as if nobody would ever write to it
  };

  // Reasons: "no file", "not writable", "damaged", "file error".
  static core::Result<Database> open(const std::string& path, Access access);
  Database(Database&& other) noexcept;
  Database& operator=(Database&& other) noexcept;
  ~Database();

  // A statement that has no rows.
  void run(const std::string& sql);
  [[nodiscard]] Statement prepare(const std::string& sql);
  // The first column of the first row, as a number and as text; 0 and nothing if there is none.
  std::int64_t number(const std::string& sql);
  std::string text(const std::string& sql);
  // What is wrong with the file's pages; empty: nothing, or it has failed: they cannot be read now, or by us
  // ("unreadable").
  std::string find_damage();
  // A transaction that writes. One that is still open is over: a rollback wants memory too, and may have had none.
  void begin();
  void rollback();  // of what the error has left open, which stays

  [[nodiscard]] bool failed() const { return error_.has_value(); }
  // Reasons: "disk full", "busy", "damaged", "not writable", "file error", and find_damage()'s.
  std::optional<core::Error> take_error() { return std::exchange(error_, std::nullopt); }
  void fail(int code, const std::string& sql);

  // Without it, closing moves the log into the file, and so changes what may be worth keeping.
  void keep_log_at_close(bool keep);
  // Those of a file are for people. What reads rows by the names of tables must not run them: one need not end.
  void forbid_views();
  // How long a statement waits for other programs.
  void set_patience_ms(int patience_ms);
  // Moves what it can of the log into the file. `empty`: waits for readers, and then makes the log an empty file. Fails
  // with "busy" alone where somebody else's reading is in the way. A transaction that is still open is over.
  core::Result<LogProgress> move_log(bool empty);

 private:
  friend class Statement;
  explicit Database(sqlite3* handle) : handle_(handle) {}
  [[nodiscard]] bool is_within_transaction() const;
  [[nodiscard]] core::Error error_of(int code, const std::string& doing) const;

  sqlite3* handle_ = nullptr;
  std::optional<core::Error> error_;
};

class Statement {
 public:
  enum class Kind { null, integer, real, text, blob };

  Statement() = default;
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;
  ~Statement();

  explicit operator bool() const { return handle_ != nullptr; }

  // Parameters from 1. Texts and blobs must stay until the statement has run.
  Statement& bind(int at, std::int64_t value);
  Statement& bind_real(int at, double value);
  Statement& bind_text(int at, std::string_view value);
  Statement& bind_blob(int at, core::ByteView value);
  // Runs it, to be bound and run again.
  void run();
  // The next row: false when there is none, or something went wrong.
  bool next();

  // Columns from 0, of the row that next() has found.
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

// "name", whatever is in it.
std::string quoted(std::string_view name);
// 'text', whatever is in it.
std::string literal(std::string_view text);

}  // namespace mobula::store
