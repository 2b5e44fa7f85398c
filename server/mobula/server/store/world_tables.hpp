// Tables of a saved world besides those of its components, and the hashes of their rows.
//
//   saved_world                 key and value: incarnation, facts of one value, and the checksums `entities_sum` and
//                               `facts_sum`; the latter covers everything but entities and components
//   saved_schema                bfbs: schema of the components' tables
//   saved_component_table       one per pool: component, instance name, table, view
//   saved_prototype             one per composition of an entity
//   saved_prototype_component   tables of each composition
//   saved_entity                one per living entity: index, generation, composition. The composition -1 is that of
//                               an own entity that another world has
//   saved_entity_range          ranges of indices that only levels and prefabs use
//   saved_level                 the level's file
//   saved_level_entity          the world's entity for each entity of the level
//   saved_name                  texts of string ids
//   saved_player                known players
//
// Views for people: save, entities, players, and one per component table.
#pragma once

#include <map>
#include <mobula/server/store/component_table.hpp>
#include <mobula/server/store/facts.hpp>
#include <mobula/server/store/sums.hpp>
#include <span>
#include <variant>

namespace mobula::store {

inline constexpr std::int64_t application_id = 0x4d4f4255;  // "MOBU"
inline constexpr std::int64_t format_version = 1;

/// A table, view or index that belongs to no component, with its SQL as SQLite stores it.
struct OwnTable {
  const char* name;
  const char* sql;
};
/// Tables of every saved world. A new file has only the first, saved_world.
std::span<const OwnTable> own_tables();
/// Views and indexes for people. Each is created only if its name is free in the file.
std::span<const OwnTable> own_views();
std::span<const OwnTable> own_indexes();

/// Rows of saved_world: numbers and blobs by key.
using FactRows = std::map<std::string, std::variant<std::int64_t, core::Bytes>>;

/// Returns the hash of one row. For FactRows: the sum over all rows but facts_sum.
std::uint64_t sum_of(const FactRows& rows);
std::uint64_t sum_of(const SavedPlayer& player);
std::uint64_t sum_of(const ecs::EntityRange& range);
std::uint64_t sum_of(const SavedLevel& level);
std::uint64_t sum_of(const ComponentTable& table);

}  // namespace mobula::store
