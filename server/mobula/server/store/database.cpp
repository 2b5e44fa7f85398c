#include <sqlite3.h>

#include <mobula/core/format.hpp>
#include <mobula/server/store/database.hpp>
#include <utility>

namespace mobula::store {
namespace {

const char* reason_of(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL: return "disk full";
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return "busy";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR:  // a table or column is missing
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG: return "damaged";
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN: return "not writable";
    default: return "file error";
  }
}

std::string doubled(std::string_view text, char quote) {
  std::string result(1, quote);
  for (const char c : text) {
    result += c;
    if (c == quote) result += c;
  }
  return result + quote;
}

// Returns a URI that makes SQLite ignore the file's log and other writers. A path needs a third slash, as a host
// follows two.
std::string uri_without_log(std::string_view path) {
  std::string uri = path.starts_with('/') ? "file://" : "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      uri += core::format("%{:02x}", c);
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

}  // namespace

std::string sql_name(std::string_view name) { return doubled(name, '"'); }
std::string literal(std::string_view text) { return doubled(text, '\''); }

core::Result<Database> Database::open(const std::string& path, Access access) {
  sqlite3* handle = nullptr;
  const bool without_log = access == Access::without_log;
  const int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE |
                    (without_log ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI : SQLITE_OPEN_READWRITE) |
                    (access == Access::create ? SQLITE_OPEN_CREATE : 0);
  // The prefix makes ":memory:" and "file:…" plain file names for SQLite.
  const std::string file = (path.starts_with('/') ? "" : "./") + path;
  const int code =
      ::sqlite3_open_v2(without_log ? uri_without_log(file).c_str() : file.c_str(), &handle, flags, nullptr);
  Database database(handle);
  if (code != SQLITE_OK) return database.error_of(code, "opening " + path);
  ::sqlite3_extended_result_codes(handle, 1);
  // The file is not trusted: no code in its schema runs, and its internal tables cannot be edited.
  ::sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  ::sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  ::sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  return database;
}

Database::Database(Database&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), error_(std::move(other.error_)) {}

Database& Database::operator=(Database&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(error_, other.error_);
  return *this;
}

Database::~Database() { ::sqlite3_close_v2(handle_); }

core::Error Database::error_of(int code, const std::string& doing) const {
  const char* const message = handle_ != nullptr ? ::sqlite3_errmsg(handle_) : ::sqlite3_errstr(code);
  return {reason_of(code), doing + ": " + message};
}

// The error names the statement up to its first parenthesis.
void Database::fail(int code, const std::string& sql) {
  if (!error_) error_ = error_of(code, sql.substr(0, sql.find(" (")));
}

// SQLite reports a page that it cannot read like damage. It reports invalid references before it reads a page, so these
// two texts mean a failing disk or a lack of memory.
std::string Database::find_damage() {
  std::string found = text("PRAGMA quick_check(1)");
  if (error_ && (::sqlite3_errcode(handle_) & 0xff) == SQLITE_ERROR)  // an extension of another program is missing
    error_ = core::Error{"unreadable", error_->message};
  if (failed() || found == "ok") return {};
  for (const std::string_view unread : {"unable to get the page. error code=", "failed to get page "}) {
    if (found.find(unread) == std::string::npos) continue;
    error_ = core::Error{"file error", "reading all pages: " + found};
    return {};
  }
  return found;
}

bool Database::is_within_transaction() const { return ::sqlite3_get_autocommit(handle_) == 0; }

void Database::run(const std::string& sql) {
  if (failed()) return;
  const int code = ::sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code, sql);
}

void Database::begin() {
  if (is_within_transaction()) run("ROLLBACK");
  run("BEGIN IMMEDIATE");
}

void Database::rollback() {
  if (is_within_transaction()) ::sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
}

Statement Database::prepare(const std::string& sql) {
  if (failed()) return {};
  sqlite3_stmt* statement = nullptr;
  const int code = ::sqlite3_prepare_v3(handle_, sql.c_str(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                        &statement, nullptr);
  if (code != SQLITE_OK) fail(code, sql);
  return Statement(*this, statement);
}

std::int64_t Database::number(const std::string& sql) {
  Statement statement = prepare(sql);
  return statement.next() ? statement.integer(0) : 0;
}

std::string Database::text(const std::string& sql) {
  Statement statement = prepare(sql);
  return statement.next() ? std::string(statement.text(0)) : "";
}

void Database::keep_log_at_close(bool keep) {
  ::sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep ? 1 : 0, nullptr);
}

void Database::forbid_views() { ::sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr); }

void Database::set_busy_timeout_ms(int timeout_ms) { ::sqlite3_busy_timeout(handle_, timeout_ms); }

core::Result<LogProgress> Database::move_log(bool empty) {
  rollback();
  int frames = 0;
  int moved = 0;
  const int mode = empty ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE;
  const int code = ::sqlite3_wal_checkpoint_v2(handle_, nullptr, mode, &frames, &moved);
  if (code != SQLITE_OK) return error_of(code, "moving the write-ahead log into the file");
  return LogProgress{static_cast<std::uint32_t>(frames < 0 ? 0 : frames),
                     static_cast<std::uint32_t>(moved < 0 ? 0 : moved), empty};
}

// --- Statements ------------------------------------------------------------------------------------------------------

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_), handle_(std::exchange(other.handle_, nullptr)) {}

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(database_, other.database_);
  std::swap(handle_, other.handle_);
  return *this;
}

Statement::~Statement() { ::sqlite3_finalize(handle_); }

Statement& Statement::bind(int at, std::int64_t value) {
  ::sqlite3_bind_int64(handle_, at, value);
  return *this;
}

Statement& Statement::bind_real(int at, double value) {
  ::sqlite3_bind_double(handle_, at, value);
  return *this;
}

Statement& Statement::bind_text(int at, std::string_view value) {
  ::sqlite3_bind_text64(handle_, at, value.data() != nullptr ? value.data() : "", value.size(), SQLITE_STATIC,
                        SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind_blob(int at, core::ByteView value) {
  static constexpr std::byte nothing{};  // a null pointer would bind NULL
  ::sqlite3_bind_blob64(handle_, at, value.empty() ? &nothing : value.data(), value.size(), SQLITE_STATIC);
  return *this;
}

void Statement::run() {
  next();
  ::sqlite3_reset(handle_);
}

bool Statement::next() {
  if (handle_ == nullptr || database_->failed()) return false;
  const int code = ::sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_->fail(code, ::sqlite3_sql(handle_));
  ::sqlite3_reset(handle_);
  return false;
}

Statement::Kind Statement::kind(int column) const {
  switch (::sqlite3_column_type(handle_, column)) {
    case SQLITE_INTEGER: return Kind::integer;
    case SQLITE_FLOAT: return Kind::real;
    case SQLITE_TEXT: return Kind::text;
    case SQLITE_BLOB: return Kind::blob;
    default: return Kind::null;
  }
}

std::int64_t Statement::integer(int column) const { return ::sqlite3_column_int64(handle_, column); }
double Statement::real(int column) const { return ::sqlite3_column_double(handle_, column); }

std::string_view Statement::text(int column) const {
  const auto* const text = reinterpret_cast<const char*>(::sqlite3_column_text(handle_, column));
  return {text, static_cast<std::size_t>(::sqlite3_column_bytes(handle_, column))};
}

core::ByteView Statement::blob(int column) const {
  const void* const blob = ::sqlite3_column_blob(handle_, column);
  return {static_cast<const std::byte*>(blob), static_cast<std::size_t>(::sqlite3_column_bytes(handle_, column))};
}

}  // namespace mobula::store
