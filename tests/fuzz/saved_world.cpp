#include <bit>
#include <fuzz/saved_world.hpp>
#include <map>
#include <mobula/core/format.hpp>
#include <mobula/server/store/store.hpp>
#include <mobula/server/store/world_reader.hpp>
#include <server/store/changing_world.hpp>

namespace mobula::fuzz {
namespace {

constexpr const char* columns_sql =
    "SELECT m.name, c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table' "
    "ORDER BY 1, c.cid";

struct Column {
  std::string table;
  std::string name;
};

void write(const std::string& path, core::ByteView bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

core::Bytes read(const std::string& path) {
  const std::string text = store::read_file_bytes(path);
  const core::ByteView bytes = core::as_bytes(text.data(), text.size());
  return {bytes.begin(), bytes.end()};
}

store::Database open(const std::string& path) {
  return std::move(*store::Database::open(path, store::Database::Access::existing));
}

store::Facts facts_of(const ecs::Registry& registry) {
  store::Facts facts = store::facts_of(registry);
  facts.players = {{.id = 1, .name = "Ada", .account = "ada", .entity = {1, 2}, .present = true},
                   {.id = 0, .name = "Eve", .account = "eve", .entity = {}, .present = false}};
  facts.game = core::Bytes(9, std::byte{3});
  auto level = std::make_shared<store::SavedLevel>();
  level->file = core::Bytes(20, std::byte{7});
  level->entities = {{1, 2}, {}};
  level->paths = {"/a", "/b"};
  level->names = {"crate"};
  facts.level = level;
  return facts;
}

// A few entities with the kitchen's components.
core::Bytes make_world() {
  const store::TestFolder folder;
  const auto store = std::move(*store::Store::open({.path = folder.file(), .schema = store::kitchen_schema()}));
  store::StoreWorld world(store->incarnation());
  store->begin(world.registry);
  core::Random random(5);
  world.change(random, 60);
  store->note();
  require(store->finish(facts_of(world.registry)).ok(), "a world is saved");
  return read(folder.file());
}

void drop_views(store::Database& database) {
  std::vector<std::string> views;
  store::Statement rows = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'view'");
  while (rows.next()) views.push_back(store::quoted(rows.text(0)));
  for (const std::string& view : views) database.run("DROP VIEW " + view);
}

// The same rows in tables without keys and types.
core::Bytes loosened(core::ByteView file) {
  const WorldFolder folder;
  folder.put(file, {});
  {
    store::Database database = open(folder.path());
    database.run("PRAGMA journal_mode = DELETE");
    drop_views(database);
    std::map<std::string, std::string> tables;
    for (store::Statement rows = database.prepare(columns_sql); rows.next();) {
      std::string& columns = tables[store::quoted(rows.text(0))];
      columns += (columns.empty() ? "" : ", ") + store::quoted(rows.text(1));
    }
    for (const auto& [table, columns] : tables) {
      database.run(core::format("CREATE TABLE loose ({})", columns));
      database.run(core::format("INSERT INTO loose SELECT * FROM {}", table));
      database.run(core::format("DROP TABLE {}", table));
      database.run(core::format("ALTER TABLE loose RENAME TO {}", table));
    }
    require(!database.failed(), "tables are made anew");
  }
  return read(folder.path());
}

store::Database put_and_open(const WorldFolder& folder, bool loose) {
  static const core::Bytes strict_world = make_world();
  static const core::Bytes loose_world = loosened(strict_world);
  folder.put(loose ? loose_world : strict_world, {});
  return open(folder.path());
}

const std::vector<Column>& all_columns() {
  static const std::vector<Column> all = [] {
    const WorldFolder folder;
    store::Database database = put_and_open(folder, false);
    std::vector<Column> found;
    for (store::Statement rows = database.prepare(columns_sql); rows.next();)
      found.push_back({store::quoted(rows.text(0)), store::quoted(rows.text(1))});
    return found;
  }();
  return all;
}

}  // namespace

void WorldFolder::put(core::ByteView file, core::ByteView log) const {
  for (const char* suffix : {"-shm", "-journal", ".new"}) std::remove((path() + suffix).c_str());
  write(path(), file);
  write(path() + "-wal", log);
}

EditedWorld::EditedWorld(const WorldFolder& folder, bool loose) : database_(put_and_open(folder, loose)) {
  database_.run("PRAGMA journal_mode = MEMORY");
  database_.run("BEGIN");
}

void EditedWorld::edit(Input& input) {
  const auto& [table, column] = all_columns()[input.word() % all_columns().size()];
  const std::string at =
      core::format(" WHERE rowid = (SELECT rowid FROM {0} LIMIT 1 OFFSET {1} % max(1, (SELECT count(*) FROM {0})))",
                   table, unsigned{input.byte()});
  const std::uint8_t what = input.byte() % 8;
  switch (what) {
    case 0: return try_to(core::format("DELETE FROM {}{}", table, at));
    case 1: return try_to(core::format("INSERT INTO {0} SELECT * FROM {0}{1}", table, at));
    case 3: {
      const int more = static_cast<std::int8_t>(input.byte());
      return try_to(core::format("UPDATE {0} SET {1} = {1} + {2}{3}", table, column, more, at));
    }
    case 6: return try_to(core::format("UPDATE {} SET {} = NULL{}", table, column, at));
    default: return set(core::format("UPDATE {} SET {} = ?{}", table, column, at), what, input);
  }
}

void EditedWorld::set(const std::string& sql, std::uint8_t what, Input& input) {
  const bool is_number = what == 2 || what == 7;
  const core::ByteView value = input.bytes(is_number ? 8 : input.byte());
  std::array<std::byte, 8> number{};
  if (is_number) std::ranges::copy(value, number.begin());
  store::Statement statement = database_.prepare(sql);
  if (statement && what == 2) statement.bind(1, core::load<std::int64_t>(number.data()));
  if (statement && what == 7) statement.bind_real(1, core::load<double>(number.data()));
  if (statement && what == 4) statement.bind_text(1, {reinterpret_cast<const char*>(value.data()), value.size()});
  if (statement && what == 5) statement.bind_blob(1, value);
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

// The facts' sum has the entities' in it.
void EditedWorld::make_sums_right() {
  if (const auto sums = store::find_sums(database_)) put_sum("entities_sum", sums->entities);
  if (const auto sums = store::find_sums(database_)) put_sum("facts_sum", sums->facts);
  database_.run("COMMIT");
  require(!database_.failed(), "the edits are in the file");
}

}  // namespace mobula::fuzz
