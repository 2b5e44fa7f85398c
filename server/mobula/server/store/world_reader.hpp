// A saved world as it is in the file, read whole and believed in nothing: every value is checked, and the sums show
// whether it is all that was written.
#pragma once

#include <map>
#include <mobula/server/store/component_table.hpp>
#include <mobula/server/store/facts.hpp>
#include <vector>

namespace mobula::store {

struct SavedEntity {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
  std::int64_t composition = 0;
};

struct SavedTable {
  ComponentTable table;
  std::vector<std::uint32_t> indices;  // rising
  core::Bytes rows;
  std::vector<std::uint64_t> sums;  // by row
};

struct SavedWorld {
  std::shared_ptr<const reflect::Schema> schema;  // by which it was saved
  Facts facts;
  std::vector<SavedTable> tables;
  std::vector<SavedEntity> entities;                                // rising by index
  std::map<std::int64_t, std::vector<std::uint32_t>> compositions;  // id to numbers of tables
  std::vector<ecs::EntityRange> ranges;                             // by first index
  std::uint64_t entities_sum = 0;
  std::string changed;  // a table that is not as this server makes it, so that rows cannot be written; empty: none
};

struct SavedFile {
  std::uint32_t incarnation = 0;      // starts so far
  std::uint64_t facts_sum = 0;        // as it is in the file
  std::unique_ptr<SavedWorld> world;  // null: none has been saved yet
};

// In one transaction; changes nothing. Reasons: "damaged", and those of Database.
core::Result<SavedFile> read_file(Database& database);

// What the rows of a saved world add up to, whatever the file itself says: for tests, which change files and make them
// right again.
struct FoundSums {
  std::uint64_t entities = 0;
  std::uint64_t facts = 0;
};
core::Result<FoundSums> find_sums(Database& database);

}  // namespace mobula::store
