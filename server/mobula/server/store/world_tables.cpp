#include <mobula/server/store/world_tables.hpp>

namespace mobula::store {

std::span<const OwnTable> own_tables() {
  static constexpr OwnTable tables[] = {
      {"saved_world", "CREATE TABLE saved_world (key TEXT PRIMARY KEY, value) WITHOUT ROWID"},
      {"saved_schema", "CREATE TABLE saved_schema (id INTEGER PRIMARY KEY, bfbs BLOB)"},
      {"saved_component_table",
       "CREATE TABLE saved_component_table (id INTEGER PRIMARY KEY, component TEXT, instance TEXT, table_name TEXT, "
       "view_name TEXT)"},
      {"saved_prototype", "CREATE TABLE saved_prototype (id INTEGER PRIMARY KEY, components TEXT)"},
      {"saved_prototype_component",
       "CREATE TABLE saved_prototype_component (prototype INTEGER, component_table INTEGER, "
       "PRIMARY KEY (prototype, component_table)) WITHOUT ROWID"},
      {"saved_entity", "CREATE TABLE saved_entity (entity INTEGER PRIMARY KEY, generation INTEGER, prototype INTEGER)"},
      {"saved_entity_range",
       "CREATE TABLE saved_entity_range (first INTEGER PRIMARY KEY, count INTEGER, generation INTEGER)"},
      {"saved_level",
       "CREATE TABLE saved_level (id INTEGER PRIMARY KEY, file BLOB, first INTEGER, count INTEGER, generation "
       "INTEGER)"},
      {"saved_level_entity",
       "CREATE TABLE saved_level_entity (number INTEGER PRIMARY KEY, entity INTEGER, generation INTEGER, path TEXT)"},
      {"saved_name", "CREATE TABLE saved_name (number INTEGER PRIMARY KEY, id INTEGER, text TEXT)"},
      {"saved_player",
       "CREATE TABLE saved_player (id INTEGER, account TEXT, name TEXT, entity INTEGER, generation INTEGER, "
       "present INTEGER, PRIMARY KEY (id, account)) WITHOUT ROWID"}};
  return tables;
}

std::span<const OwnTable> own_views() {
  static constexpr OwnTable views[] = {
      {"save", R"(CREATE VIEW save AS SELECT
  (SELECT value FROM saved_world WHERE key = 'tick') AS tick,
  datetime((SELECT value FROM saved_world WHERE key = 'unix_time'), 'unixepoch') AS saved_at,
  (SELECT value FROM saved_world WHERE key = 'incarnation') AS starts,
  (SELECT count(*) FROM saved_entity WHERE prototype != -1) AS entities,
  (SELECT count(*) FROM saved_player) AS players,
  printf('%016x', (SELECT value FROM saved_world WHERE key = 'entities_sum')) AS state)"},
      {"entities", R"(CREATE VIEW entities AS SELECT
  e.entity AS entity, e.entity || '.' || e.generation AS handle, l.path AS path, p.components AS components
  FROM saved_entity AS e LEFT JOIN saved_prototype AS p ON p.id = e.prototype
  LEFT JOIN saved_level_entity AS l ON l.entity = e.entity AND l.generation = e.generation
  WHERE e.prototype != -1)"},
      {"players",
       "CREATE VIEW players AS SELECT id, account, name, entity || '.' || generation AS handle, present FROM "
       "saved_player"}};
  return views;
}

std::span<const OwnTable> own_indexes() {
  static constexpr OwnTable indexes[] = {
      {"saved_level_entity_by_entity", "CREATE INDEX saved_level_entity_by_entity ON saved_level_entity (entity)"},
      {"saved_name_by_id", "CREATE INDEX saved_name_by_id ON saved_name (id)"}};
  return indexes;
}

std::uint64_t sum_of(const FactRows& rows) {
  std::uint64_t sum = 0;
  for (const auto& [key, value] : rows) {
    if (key == "facts_sum") continue;
    RowSum row(RowKind::fact);
    row.add(std::string_view(key));
    if (const auto* number = std::get_if<std::int64_t>(&value)) row.add(static_cast<std::uint64_t>(*number));
    if (const auto* bytes = std::get_if<core::Bytes>(&value)) row.add(core::ByteView(*bytes));
    sum += row.value();
  }
  return sum;
}

std::uint64_t sum_of(const SavedPlayer& player) {
  return RowSum(RowKind::player)
      .add(player.id)
      .add(std::string_view(player.name))
      .add(std::string_view(player.account))
      .add(std::uint64_t{player.entity.index} << 32 | player.entity.generation)
      .add(player.present ? 1 : 0)
      .value();
}

std::uint64_t sum_of(const ecs::EntityRange& range) {
  return RowSum(RowKind::range).add(range.first).add(range.count).add(range.generation).value();
}

std::uint64_t sum_of(const SavedLevel& level) {
  RowSum sum(RowKind::level);
  sum.add(core::ByteView(level.file)).add(sum_of(level.range));
  for (const ecs::Entity entity : level.entities) sum.add(std::uint64_t{entity.index} << 32 | entity.generation);
  for (const std::string& path : level.paths) sum.add(std::string_view(path));
  for (const std::string& name : level.names) sum.add(std::string_view(name));
  return sum.value();
}

std::uint64_t sum_of(const ComponentTable& table) {
  return RowSum(RowKind::table)
      .add(static_cast<std::uint64_t>(table.id()))
      .add(std::string_view(table.component().name))
      .add(std::string_view(table.instance_name()))
      .add(std::string_view(table.name()))
      .add(std::string_view(table.view()))
      .value();
}

}  // namespace mobula::store
