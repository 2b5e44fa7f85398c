#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mobula/core/format.hpp>
#include <mobula/process/files.hpp>
#include <mobula/server/store/log_scan.hpp>
#include <mobula/server/store/store.hpp>
#include <mobula/server/store/world_file.hpp>
#include <mobula/server/store/world_tables.hpp>
#include <utility>

namespace mobula::store {
namespace {

namespace fs = std::filesystem;

constexpr int busy_timeout_ms = 2000;

std::string system_error() { return std::strerror(errno); }

// Returns the size of a world's file or log. 0 only if it is certainly missing, as a missing file is created.
core::Result<std::uint64_t> bytes_there(const std::string& path) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0) {
    if (errno == ENOENT) return std::uint64_t{0};
    return core::Error{"file error", core::format("{} cannot be examined: {}", path, system_error())};
  }
  if (S_ISREG(found.st_mode)) return static_cast<std::uint64_t>(found.st_size);
  return core::Error{"foreign", core::format("{} is not a file and stays unchanged. Name another for the world", path)};
}

core::Error advised(const std::string& path, const core::Error& error) {
  const std::string_view reason = error.reason;
  if (reason == "damaged")
    return {"damaged",
            core::format("the world {0} is damaged and stays unchanged: {1}. Put an intact copy in its place, with its "
                         "{0}-wal if it has one, or move both away to begin a new world",
                         path, error.message)};
  if (reason == "busy")
    return {"busy", core::format("another program keeps the world {} locked: end that program and start again ({})",
                                 path, error.message)};
  if (reason == "disk full")
    return {"disk full", core::format("the disk with the world {} is full: make room ({})", path, error.message)};
  if (reason == "not writable")
    return {"not writable", core::format("the world {} cannot be written: the server needs write access to the file "
                                         "and its folder ({})",
                                         path, error.message)};
  if (reason == "unreadable")
    return {"foreign", core::format("the world {} has something that only another program can read, and stays "
                                    "unchanged: drop it with that program ({})",
                                    path, error.message)};
  if (reason == "foreign" || reason == "newer") return error;
  return {error.reason, core::format("the world {}: {}", path, error.message)};
}

// Checks the header (big-endian numbers) before SQLite opens the file, as SQLite would repair a file of another
// program. The stream must be closed before this process opens the file: closing it releases the process's locks.
core::Status check_header(const std::string& path) {
  std::array<std::byte, 100> header{};
  std::ifstream file(path, std::ios::binary);
  if (!file) return open_error(path);
  file.read(reinterpret_cast<char*>(header.data()), header.size());
  if (file.bad()) return core::Error{"file error", core::format("{} cannot be read: {}", path, std::strerror(errno))};
  if (!file) return core::Error{"damaged", "it is shorter than the header of an SQLite file"};
  if (std::memcmp(header.data(), "SQLite format 3", 16) != 0)
    return core::Error{"foreign",
                       core::format("{} is not an SQLite file and stays unchanged. Name another for the world", path)};
  if (big_endian(&header[68]) != application_id)
    return core::Error{"foreign", core::format("{} is an SQLite file, but not a world of this server, and stays "
                                               "unchanged. Name another for the world",
                                               path)};
  const std::uint32_t version = big_endian(&header[60]);
  if (version == 0 || version > format_version)
    return core::Error{"newer",
                       core::format("the world {} has format {}, this server reads up to {}: run a newer server", path,
                                    version, format_version)};
  return core::Done{};
}

// Creates the file under another name first, so that a file of its own name is always complete.
core::Status make_file(const std::string& path) {
  const std::string created = path + ".new";
  std::error_code ignored;
  fs::remove(created, ignored);
  fs::remove(created + "-journal", ignored);
  core::Result<Database> opened = Database::open(created, Database::Access::create);
  if (!opened) return opened.error();
  {
    Database database = std::move(*opened);
    FactRows rows{{"incarnation", std::int64_t{0}}};
    database.run("PRAGMA synchronous = FULL");
    database.run("PRAGMA page_size = 4096");
    database.run("BEGIN");
    database.run(core::format("PRAGMA application_id = {}", application_id));
    database.run(core::format("PRAGMA user_version = {}", format_version));
    database.run(own_tables().front().sql);
    database.run("INSERT INTO saved_world VALUES ('incarnation', 0)");
    database.run(
        core::format("INSERT INTO saved_world VALUES ('facts_sum', {})", static_cast<std::int64_t>(sum_of(rows))));
    database.run("COMMIT");
    if (const auto error = database.take_error()) return *error;
  }
  if (std::rename(created.c_str(), path.c_str()) != 0) return core::Error{"not writable", system_error()};
  process::sync_folder_of(path);
  return core::Done{};
}

// Reads and checks an existing file without changing it.
core::Result<SavedFile> read_checked(Database& database) {
  database.keep_log_at_close(true);
  database.forbid_views();
  database.set_busy_timeout_ms(busy_timeout_ms);
  database.run("PRAGMA synchronous = FULL");
  database.run("PRAGMA wal_autocheckpoint = 0");
  return read_file(database);
}

core::Status set_incarnation(Database& database, SavedFile& content, std::uint32_t incarnation) {
  database.run("PRAGMA journal_mode = WAL");
  static_cast<void>(database.move_log(false));  // on a full disk only a moved log has room
  database.begin();
  // The facts' checksum changes by the difference of this row's hashes.
  const std::uint64_t before = sum_of(FactRows{{"incarnation", std::int64_t{content.incarnation}}});
  const std::uint64_t after = sum_of(FactRows{{"incarnation", std::int64_t{incarnation}}});
  content.facts_sum += after - before;
  database.run(core::format("UPDATE saved_world SET value = {} WHERE key = 'incarnation'", incarnation));
  database.run(core::format("UPDATE saved_world SET value = {} WHERE key = 'facts_sum'",
                            static_cast<std::int64_t>(content.facts_sum)));
  database.run("COMMIT");
  if (const auto error = database.take_error()) {
    database.rollback();
    return *error;
  }
  content.incarnation = incarnation;
  // Moves it out of the log if readers permit, so that the file alone has the number of starts.
  static_cast<void>(database.move_log(true));
  return core::Done{};
}

// Returns the target of a link. SQLite follows links, so lock and log must be beside the target.
core::Result<std::string> real_path(const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return path;
  const fs::path real = fs::canonical(path, error);
  if (!error) return real.string();
  return core::Error{"not writable", core::format("the world {} is a link without a target and stays unchanged ({})",
                                                  path, error.message())};
}

core::Result<FileLock> lock_for(const std::string& path, const std::string& locked) {
  core::Result<FileLock> lock = FileLock::acquire(locked);
  if (lock) return lock;
  if (std::string_view(lock.error().reason) != "in use") return advised(path, lock.error());
  return core::Error{"in use",
                     core::format("the world {} is in use by another server: only one can use it at a time", path)};
}

core::Status make_if_missing(const std::string& path) {
  const core::Result<std::uint64_t> bytes = bytes_there(path);
  if (!bytes) return bytes.error();
  const core::Result<std::uint64_t> log_bytes = bytes_there(path + "-wal");
  if (!log_bytes) return log_bytes.error();
  if (*bytes > 0) return core::Done{};
  if (*log_bytes > 0)
    return core::Error{
        "damaged",
        core::format("{0}-wal exists but {0} is missing or has no content: put the file back beside its log, "
                     "or move the log away to begin a new world",
                     path)};
  if (core::Status made = make_file(path); !made) return advised(path, made.error());
  return core::Done{};
}

ecs::Tick tick_of(const SavedFile& content) { return content.world == nullptr ? 0 : content.world->facts.tick; }

// True if the file alone is later than file and log together. One more start does not count: it may have been undone,
// which only the log has until it is moved.
bool is_later(Database& file, const SavedFile& than) {
  file.forbid_views();
  const std::int64_t tick = file.number("SELECT value FROM saved_world WHERE key = 'tick'");
  const std::int64_t incarnation = file.number("SELECT value FROM saved_world WHERE key = 'incarnation'");
  return tick > tick_of(than) || incarnation > std::int64_t{than.incarnation} + 1;
}

// Refuses a log that is older than its file. If a file was moved away without its log, saved elsewhere and moved back,
// the log would revert it or mix both states. SQLite does not detect this.
core::Status check_log_is_own(const std::string& path, const core::Result<SavedFile>& together) {
  if (file_bytes(path + "-wal") == 0) return core::Done{};
  if (!together && std::string_view(together.error().reason) != "damaged") return core::Done{};
  core::Result<Database> file = Database::open(path, Database::Access::without_log);
  if (!file) return advised(path, file.error());
  if (together && !is_later(*file, *together)) return core::Done{};
  static_cast<void>(file->take_error());
  const core::Result<SavedFile> alone = read_checked(*file);
  if (!alone) return core::Done{};  // the log is partly moved and has the rest
  const std::string why = together ? core::format("its log is older and would revert it to tick {}", tick_of(*together))
                                   : core::format("it is damaged with its log, which may hold more than the file: {}",
                                                  together.error().message);
  return core::Error{"damaged",
                     core::format("the world {0} stays unchanged: {1}. Without its log the file is intact, as "
                                  "of tick {2} of start {3}: to continue from there, move {0}-wal away",
                                  path, why, tick_of(*alone), alone->incarnation)};
}

core::Status check_age(const std::string& path, const SavedFile& content) {
  if (content.incarnation >= Store::starts_max)
    return core::Error{"worn out",
                       core::format("the world {} was started {} times, the maximum, and handles of entities "
                                    "would repeat: begin a new world in another file",
                                    path, content.incarnation)};
  if (tick_of(content) >= ecs::ticks_max)
    return core::Error{"worn out",
                       core::format("the world {} has used all its {} ticks: begin a new world in another file", path,
                                    ecs::ticks_max)};
  return core::Done{};
}

}  // namespace

std::uint64_t file_bytes(const std::string& path) {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(path, error);
  return error ? 0 : bytes;
}

core::Result<WorldFile> WorldFile::open(const std::string& name) {
  const core::Result<std::string> real = real_path(name);
  if (!real) return real.error();
  const std::string& path = *real;
  core::Result<FileLock> lock = lock_for(path, path + ".lock");
  if (!lock) return lock.error();
  if (core::Status there = make_if_missing(path); !there) return there.error();
  core::Result<FileLock> file_lock = lock_for(path, path);
  if (!file_lock) return file_lock.error();
  if (core::Status known = check_header(path); !known) return advised(path, known.error());
  if (core::Status whole = check_log(path + "-wal"); !whole) return advised(path, whole.error());
  core::Result<Database> database = Database::open(path, Database::Access::existing);
  if (!database) return advised(path, database.error());
  core::Result<SavedFile> content = read_checked(*database);
  if (core::Status own = check_log_is_own(path, content); !own) return own.error();
  if (!content) return advised(path, content.error());
  if (core::Status young = check_age(path, *content); !young) return young.error();
  if (core::Status begun = set_incarnation(*database, *content, content->incarnation + 1); !begun)
    return advised(path, begun.error());
  const core::Result<std::optional<FileId>> log = file_at(path + "-wal");
  if (!log) return advised(path, log.error());
  return WorldFile{
      name, path, std::move(*lock), std::move(*file_lock), *log, std::move(*database), std::move(*content)};
}

core::Status WorldFile::check_place() const {
  const core::Result<std::string> real = real_path(name);
  const std::string& now = real ? *real : name;
  const core::Result<std::optional<FileId>> file_now = file_at(now);
  if (!file_now) return file_now.error();
  const core::Result<std::optional<FileId>> log_now = file_at(now + "-wal");
  if (!log_now) return log_now.error();
  const bool file_is_there = *file_now == file_lock.id();
  if (file_is_there && *log_now == log) return core::Done{};
  const auto [moved, other] = file_is_there ? std::pair("-wal", "the world's") : std::pair("", "its log");
  return core::Error{"moved",
                     core::format("{}{} has been removed, renamed or replaced: move that very file back, beside {}; a "
                                  "copy is a different file",
                                  name, moved, other)};
}

void WorldFile::undo_start() {
  const core::Status in_place = check_place();
  if (!in_place && std::string_view(in_place.error().reason) == "moved") return;
  static_cast<void>(set_incarnation(database, content, content.incarnation - 1));
}

}  // namespace mobula::store
