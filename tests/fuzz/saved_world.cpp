#include <bit>
#include <fuzz/saved_world.hpp>
#include <map>
#include <mobula/core/format.hpp>
#include <mobula/server/store/world_reader.hpp>

namespace mobula::fuzz {
namespace {

constexpr const char* columns_sql =
    "SELECT m.name, c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table' "
    "ORDER BY 1, c.cid";

void write(const std::string& path, core::ByteView bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

store::Database open(const std::string& path) {
  return std::move(*store::Database::open(path, store::Database::Access::existing));
}

void drop_views(store::Database& database) {
  std::vector<std::string> views;
  store::Statement rows = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'view'");
  while (rows.next()) views.push_back(store::sql_name(rows.text(0)));
  for (const std::string& view : views) database.run("DROP VIEW " + view);
}

store::Database put_and_open(const WorldFolder& folder, core::ByteView file) {
  folder.put(file, {});
  return open(folder.path());
}

}  // namespace

core::Bytes read_file(const std::string& path) {
  const std::string text = store::read_file_bytes(path);
  const core::ByteView bytes = core::as_bytes(text.data(), text.size());
  return {bytes.begin(), bytes.end()};
}

SavedWorldFile::SavedWorldFile(core::Bytes file) : file_(std::move(file)) {
  const WorldFolder folder;
  store::Database database = put_and_open(folder, file_);
  for (store::Statement rows = database.prepare(columns_sql); rows.next();)
    columns_.push_back({store::sql_name(rows.text(0)), store::sql_name(rows.text(1))});
}

SavedWorldFile SavedWorldFile::loosened() const {
  const WorldFolder folder;
  {
    store::Database database = put_and_open(folder, file_);
    database.run("PRAGMA journal_mode = DELETE");
    drop_views(database);
    std::map<std::string, std::string> tables;
    for (const auto& [table, name] : columns_) tables[table] += (tables[table].empty() ? "" : ", ") + name;
    for (const auto& [table, columns] : tables) {
      database.run(core::format("CREATE TABLE loose ({})", columns));
      database.run(core::format("INSERT INTO loose SELECT * FROM {}", table));
      database.run(core::format("DROP TABLE {}", table));
      database.run(core::format("ALTER TABLE loose RENAME TO {}", table));
    }
    require(!database.failed(), "tables are replaced");
  }
  return SavedWorldFile(read_file(folder.path()));
}

void WorldFolder::put(core::ByteView file, core::ByteView log) const {
  for (const char* suffix : {"-shm", "-journal", ".new"}) std::remove((path() + suffix).c_str());
  write(path(), file);
  write(path() + "-wal", log);
}

EditedWorld::EditedWorld(const WorldFolder& folder, const SavedWorldFile& world)
    : columns_(world.columns()), database_(put_and_open(folder, world.file())) {
  database_.run("PRAGMA journal_mode = MEMORY");
  database_.run("BEGIN");
}

void EditedWorld::edit(Input& input) {
  const auto& [table, column] = columns_[input.word() % columns_.size()];
  const std::string at =
      core::format(" WHERE rowid = (SELECT rowid FROM {0} LIMIT 1 OFFSET {1} % max(1, (SELECT count(*) FROM {0})))",
                   table, unsigned{input.byte()});
  const std::uint8_t kind = input.byte() % 8;
  switch (kind) {
    case 0: return try_to(core::format("DELETE FROM {}{}", table, at));
    case 1: return try_to(core::format("INSERT INTO {0} SELECT * FROM {0}{1}", table, at));
    case 3: {
      const int more = static_cast<std::int8_t>(input.byte());
      return try_to(core::format("UPDATE {0} SET {1} = {1} + {2}{3}", table, column, more, at));
    }
    case 6: return try_to(core::format("UPDATE {} SET {} = NULL{}", table, column, at));
    default: return set(core::format("UPDATE {} SET {} = ?{}", table, column, at), kind, input);
  }
}

void EditedWorld::set(const std::string& sql, std::uint8_t kind, Input& input) {
  const bool is_number = kind == 2 || kind == 7;
  const core::ByteView value = input.bytes(is_number ? 8 : input.byte());
  std::array<std::byte, 8> number{};
  if (is_number) std::ranges::copy(value, number.begin());
  store::Statement statement = database_.prepare(sql);
  if (statement && kind == 2) statement.bind(1, core::load<std::int64_t>(number.data()));
  if (statement && kind == 7) statement.bind_real(1, core::load<double>(number.data()));
  if (statement && kind == 4) statement.bind_text(1, {reinterpret_cast<const char*>(value.data()), value.size()});
  if (statement && kind == 5) statement.bind_blob(1, value);
  statement.run();
  static_cast<void>(database_.take_error());
}

void EditedWorld::try_to(const std::string& sql) {
  database_.run(sql);
  static_cast<void>(database_.take_error());
}

void EditedWorld::put_sum(const std::string& key, std::uint64_t sum) {
  try_to(core::format("UPDATE saved_world SET value = {} WHERE key = '{}'", static_cast<std::int64_t>(sum), key));
}

// The facts' checksum covers that of the entities, so the latter is corrected first.
void EditedWorld::correct_checksums() {
  if (const auto sums = store::find_sums(database_)) put_sum("entities_sum", sums->entities);
  if (const auto sums = store::find_sums(database_)) put_sum("facts_sum", sums->facts);
  database_.run("COMMIT");
  require(!database_.failed(), "the edits are in the file");
}

}  // namespace mobula::fuzz
