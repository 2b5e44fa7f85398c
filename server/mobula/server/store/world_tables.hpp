// The tables of a saved world, besides those of its components, and how a row of each counts in the sums.
//
//   saved_world             key, value     incarnation and the facts that are one value; `entities_sum` and
//   `facts_sum`,
//                                          of all that is no entity or component
//   saved_schema            bfbs           by which the components' tables were made
//   saved_component_table   one per pool: which component under which name
//   saved_prototype         one per composition that entities have; saved_prototype_component: of which tables
//   saved_entity            one per living entity: index, generation, composition
//   saved_entity_range      indices that serve levels and prefabs alone
//   saved_level, saved_level_entity, saved_name
//                           the level's file, which entity each of its entities is, texts of hashes
//   saved_player            who was there
//
// Views for people: save, entities, players, and one per component_table.
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

// What is no component's: by the SQL that makes it, as SQLite keeps it.
struct OwnTable {
  const char* name;
  const char* sql;
};
// The first, saved_world, every file has from its beginning.
std::span<const OwnTable> own_tables();
// For people, and made only where nothing else in the file has the name.
std::span<const OwnTable> own_views();
std::span<const OwnTable> own_indexes();

// Rows of `saved_world`: numbers and blobs.
using FactRows = std::map<std::string, std::variant<std::int64_t, core::Bytes>>;

// Of all rows but facts_sum itself.
std::uint64_t sum_of(const FactRows& rows);
std::uint64_t sum_of(const SavedPlayer& player);
std::uint64_t sum_of(const ecs::EntityRange& range);
std::uint64_t sum_of(const SavedLevel& level);
std::uint64_t sum_of(const ComponentTable& table);

}  // namespace mobula::store
