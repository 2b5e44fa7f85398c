#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/server/store/world_reader.hpp>
#include <mobula/server/store/world_tables.hpp>

namespace mobula::store {
namespace {

// Selects tables with an index that can replace rows or refuse values: a unique, partial or computed one, or one with
// another program's collation.
constexpr const char* restrictive_indexes =
    "SELECT tbl_name FROM sqlite_schema AS made WHERE type = 'index' AND sql IS NOT NULL AND "
    "(name IN (SELECT name FROM pragma_index_list(made.tbl_name) WHERE \"unique\" OR partial) OR "
    "EXISTS (SELECT 1 FROM pragma_index_xinfo(made.name) "
    "WHERE cid = -2 OR coll NOT IN ('BINARY', 'NOCASE', 'RTRIM')))";

core::Error damaged(const std::string& sentence) { return {"damaged", sentence}; }

// Checks the type before it reads: SQLite would convert the value.
bool read(const Statement& row, int column, std::uint32_t& number) {
  if (row.kind(column) != Statement::Kind::integer) return false;
  const std::int64_t value = row.integer(column);
  number = static_cast<std::uint32_t>(value);
  return std::int64_t{number} == value;
}

bool read(const Statement& row, int column, std::string& text) {
  if (row.kind(column) != Statement::Kind::text) return false;
  text = row.text(column);
  return true;
}

bool read(const Statement& row, int column, core::Bytes& bytes) {
  if (row.kind(column) != Statement::Kind::blob) return false;
  const core::ByteView blob = row.blob(column);
  bytes.assign(blob.begin(), blob.end());
  return true;
}

bool read(const Statement& row, int column, ecs::Entity& entity) {
  return read(row, column, entity.index) && read(row, column + 1, entity.generation);
}

template <class T>
bool are_distinct(std::vector<T> values) {
  std::ranges::sort(values);
  return std::ranges::adjacent_find(values) == values.end();
}

// True if the level's entities are distinct and its range, if it has one, is a range of the world.
bool is_level_of(const SavedWorld& world, const SavedLevel& level) {
  const auto is_its = [&](const ecs::EntityRange& range) {
    return range.first == level.range.first && range.count == level.range.count;
  };
  std::vector<ecs::Entity> entities = level.entities;
  std::erase(entities, ecs::null_entity);
  return are_distinct(std::move(entities)) && (level.range.count == 0 || std::ranges::any_of(world.ranges, is_its));
}

class WorldReader {
 public:
  explicit WorldReader(Database& database) : database_(database) {}

  core::Result<SavedFile> read_checked() {
    for (const auto step : {&WorldReader::check_pages, &WorldReader::read_all, &WorldReader::check_sums})
      if (core::Status done = run(step); !done) return done.error();
    return std::move(file_);
  }

  core::Result<FoundSums> find_sums() {
    if (core::Status done = run(&WorldReader::read_all); !done) return done.error();
    return FoundSums{file_.world ? file_.world->entities_sum : 0, facts_sum_};
  }

 private:
  core::Status read_all() {
    if (core::Status done = run(&WorldReader::read_facts); !done) return done;
    facts_sum_ = sum_of(rows_);
    if (!rows_.contains("tick")) return core::Done{};
    file_.world = std::make_unique<SavedWorld>();
    for (const auto step :
         {&WorldReader::read_schema, &WorldReader::read_tables, &WorldReader::compare_tables,
          &WorldReader::read_compositions, &WorldReader::read_entities, &WorldReader::read_components,
          &WorldReader::read_ranges, &WorldReader::read_players, &WorldReader::read_level, &WorldReader::parse_facts})
      if (core::Status done = run(step); !done) return done;
    return core::Done{};
  }

  core::Status check_sums() {
    if (file_.world && expected_entities_sum_ != file_.world->entities_sum)
      return damaged("its entities differ from what was written: their checksum is wrong");
    if (facts_sum_ != file_.facts_sum)
      return damaged("its content differs from what was written: its checksum is wrong");
    return core::Done{};
  }

  core::Status run(core::Status (WorldReader::*step)()) {
    core::Status done = (this->*step)();
    if (std::optional<core::Error> error = database_.take_error()) return *error;
    return done;
  }

  core::Status check_pages() {
    if (const std::string found = database_.find_damage(); !found.empty()) return damaged("SQLite finds: " + found);
    Statement virtual_table = database_.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage = 0");
    if (virtual_table.next()) return core::Error{"unreadable", "virtual table " + std::string(virtual_table.text(0))};
    return core::Done{};
  }

  core::Status read_facts() {
    Statement rows = database_.prepare("SELECT key, value FROM saved_world");
    while (rows.next()) {
      const std::string key(rows.text(0));
      if (rows.kind(1) == Statement::Kind::integer) {
        rows_[key] = rows.integer(1);
      } else if (core::Bytes bytes; read(rows, 1, bytes)) {
        rows_[key] = std::move(bytes);
      } else {
        return damaged("'" + key + "' of saved_world is neither a number nor bytes");
      }
    }
    if (database_.failed()) return core::Done{};
    if (!number("incarnation", file_.incarnation) || !number("facts_sum", file_.facts_sum))
      return damaged("its number of starts or its checksum is missing");
    return core::Done{};
  }

  template <class Number>
  bool number(const char* key, Number& value) {
    const auto found = rows_.find(key);
    if (found == rows_.end() || !std::holds_alternative<std::int64_t>(found->second)) return false;
    const std::int64_t whole = std::get<std::int64_t>(found->second);
    value = static_cast<Number>(whole);
    return static_cast<std::int64_t>(value) == whole;
  }

  core::Status read_schema() {
    Statement rows = database_.prepare("SELECT bfbs FROM saved_schema");
    core::Bytes bfbs;
    if (!rows.next() || !read(rows, 0, bfbs)) return damaged("it has no schema");
    core::Result<std::shared_ptr<const reflect::Schema>> schema = reflect::Schema::load(bfbs);
    if (!schema) return damaged("its schema cannot be read: " + schema.error().message);
    file_.world->schema = *schema;
    facts_sum_ += schema_sum(bfbs);
    return core::Done{};
  }

  core::Status read_tables() {
    Statement rows =
        database_.prepare("SELECT id, component, instance, table_name, view_name FROM saved_component_table");
    std::string component;
    std::string instance;
    std::string name;
    std::string view;
    while (rows.next()) {
      const bool texts =
          read(rows, 1, component) && read(rows, 2, instance) && read(rows, 3, name) && read(rows, 4, view);
      const reflect::Component* found = texts ? file_.world->schema->find(component) : nullptr;
      if (found == nullptr || found->not_saved) return damaged("it has a table without a component");
      SavedTable table{ComponentTable(*found, instance, name, view), {}, {}, {}};
      const auto number = static_cast<std::uint32_t>(file_.world->tables.size());
      if (table.table.id() != rows.integer(0) || !numbers_.emplace(table.table.id(), number).second)
        return damaged("its table " + name + " belongs to another component");
      facts_sum_ += sum_of(table.table);
      file_.world->tables.push_back(std::move(table));
    }
    return core::Done{};
  }

  // Notes a table that another program has changed. Writing needs tables in which a row replaces only the row of its
  // key and any value is accepted, so changed tables are recreated.
  core::Status compare_tables() {
    std::map<std::string, std::string> made;
    Statement tables = database_.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table'");
    while (tables.next()) made[std::string(tables.text(0))] = tables.text(1);
    Statement restrictive = database_.prepare(restrictive_indexes);
    while (restrictive.next()) made.erase(std::string(restrictive.text(0)));
    const auto compare = [&](const std::string& name, const std::string& sql) {
      if (made[name] != sql) file_.world->changed = name;
    };
    for (const OwnTable& table : own_tables()) compare(table.name, table.sql);
    for (const SavedTable& saved : file_.world->tables) compare(saved.table.name(), saved.table.create_sql());
    return core::Done{};
  }

  core::Status read_compositions() {
    Statement ids = database_.prepare("SELECT id FROM saved_prototype");
    auto& compositions = file_.world->compositions;
    while (ids.next()) compositions[ids.integer(0)];
    Statement rows = database_.prepare("SELECT prototype, component_table FROM saved_prototype_component");
    while (rows.next()) {
      const auto table = numbers_.find(rows.integer(1));
      const auto composition = compositions.find(rows.integer(0));
      if (table == numbers_.end() || composition == compositions.end())
        return damaged("a prototype has an unknown component");
      composition->second.push_back(table->second);
    }
    for (const auto& [id, tables] : compositions) {
      std::vector<std::int64_t> parts;
      for (const std::uint32_t table : tables) parts.push_back(file_.world->tables[table].table.id());
      if (!are_distinct(parts) || (composition_id(parts) != id && !database_.failed()))
        return damaged("the components of a prototype differ from what was written");
    }
    return core::Done{};
  }

  core::Status read_entities() {
    Statement rows = database_.prepare("SELECT entity, generation, prototype FROM saved_entity ORDER BY entity");
    SavedEntity entity;
    while (rows.next()) {
      entity.composition = rows.integer(2);
      if (!read(rows, 0, entity.index) || !read(rows, 1, entity.generation) ||
          (entity.composition != elsewhere && !file_.world->compositions.contains(entity.composition)))
        return damaged("it has an invalid entity");
      file_.world->entities.push_back(entity);
      file_.world->entities_sum += entity_sum(entity.index, entity.generation, entity.composition);
    }
    return core::Done{};
  }

  core::Status read_components() {
    for (SavedTable& table : file_.world->tables)
      if (core::Status done = read_table(table); !done) return done;
    return core::Done{};
  }

  core::Status read_table(SavedTable& table) {
    const std::size_t size = table.table.component().size;
    Statement rows = database_.prepare(table.table.select_sql());
    std::uint32_t index = 0;
    while (rows.next()) {
      if (!read(rows, 0, index)) return damaged(table.table.name() + " has a row without an entity");
      table.indices.push_back(index);
      table.rows.resize(table.rows.size() + size);
      std::byte* const row = table.rows.data() + table.rows.size() - size;
      if (core::Status done = table.table.read(rows, row); !done) return done;
      table.sums.push_back(table.table.sum(index, row));
      file_.world->entities_sum += table.sums.back();
    }
    return core::Done{};
  }

  core::Status read_ranges() {
    Statement rows = database_.prepare("SELECT first, count, generation FROM saved_entity_range ORDER BY first");
    ecs::EntityRange range;
    std::uint64_t end = 0;  // end of the previous range
    while (rows.next()) {
      if (!read(rows, range) || range.first < end) return damaged("it has an invalid range of entities");
      end = std::uint64_t{range.first} + range.count;
      file_.world->ranges.push_back(range);
      facts_sum_ += sum_of(range);
    }
    return core::Done{};
  }

  static bool read(const Statement& row, ecs::EntityRange& range, int column = 0) {
    return store::read(row, column, range.first) && store::read(row, column + 1, range.count) &&
           store::read(row, column + 2, range.generation);
  }
  template <class T>
  static bool read(const Statement& row, int column, T& value) {
    return store::read(row, column, value);
  }

  core::Status read_players() {
    Statement rows = database_.prepare(
        "SELECT id, account, name, entity, generation, present FROM saved_player ORDER BY id, account");
    std::uint32_t present = 0;
    while (rows.next()) {
      SavedPlayer& player = file_.world->facts.players.emplace_back();
      if (!read(rows, 0, player.id) || !read(rows, 1, player.account) || !read(rows, 2, player.name) ||
          !read(rows, 3, player.entity) || !read(rows, 5, present) || present > 1)
        return damaged("it has an invalid player");
      player.present = present != 0;
      facts_sum_ += sum_of(player);
    }
    return core::Done{};
  }

  core::Status read_level() {
    Statement file = database_.prepare("SELECT first, count, generation, file FROM saved_level");
    if (!file.next()) return core::Done{};
    auto level = std::make_shared<SavedLevel>();
    bool good = read(file, level->range) && read(file, 3, level->file);
    Statement entities = database_.prepare("SELECT entity, generation, path FROM saved_level_entity ORDER BY number");
    while (good && entities.next()) {
      good = read(entities, 0, level->entities.emplace_back()) && read(entities, 2, level->paths.emplace_back());
    }
    Statement names = database_.prepare("SELECT text FROM saved_name ORDER BY number");
    while (good && names.next()) good = read(names, 0, level->names.emplace_back());
    if (!good || !is_level_of(*file_.world, *level)) return damaged("its level is invalid");
    facts_sum_ += sum_of(*level);
    file_.world->facts.level = std::move(level);
    return core::Done{};
  }

  core::Status parse_facts() {
    Facts& facts = file_.world->facts;
    const auto* random = std::get_if<core::Bytes>(&rows_["random"]);
    const auto* game = std::get_if<core::Bytes>(&rows_["game"]);
    if (!number("tick", facts.tick) || !number("unix_time", facts.unix_time) ||
        !number("next_player", facts.next_player) || !number("entities_sum", expected_entities_sum_) ||
        random == nullptr || random->size() != sizeof(facts.random) || game == nullptr)
      return damaged("a value of saved_world is missing or invalid");
    facts.random = core::load<core::Random::State>(random->data());
    facts.game = *game;
    if (const auto found = rows_.find("crossings"); found != rows_.end())  // older files have none
      if (const auto* crossings = std::get_if<core::Bytes>(&found->second)) facts.crossings = *crossings;
    return core::Done{};
  }

  Database& database_;
  SavedFile file_;
  FactRows rows_;
  std::map<std::int64_t, std::uint32_t> numbers_;  // position of a table, by its id
  std::uint64_t facts_sum_ = 0;                    // checksum of the rows read so far
  std::uint64_t expected_entities_sum_ = 0;
};

}  // namespace

core::Result<SavedFile> read_file(Database& database) {
  database.run("BEGIN");
  core::Result<SavedFile> file = WorldReader(database).read_checked();
  database.run("COMMIT");
  if (const auto error = database.take_error(); error && file)
    return *error;  // the open transaction would block writing
  database.rollback();
  return file;
}

core::Result<FoundSums> find_sums(Database& database) { return WorldReader(database).find_sums(); }

}  // namespace mobula::store
