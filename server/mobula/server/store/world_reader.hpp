// Reads a saved world from its file. The file is not trusted: every value is checked, and the checksums reveal missing
// or changed rows.
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
  std::vector<std::uint32_t> indices;  // ascending
  core::Bytes rows;
  std::vector<std::uint64_t> sums;  // hashes, by row
};

struct SavedWorld {
  std::shared_ptr<const reflect::Schema> schema;  // schema of the save
  Facts facts;
  std::vector<SavedTable> tables;
  std::vector<SavedEntity> entities;                                // ascending by index; some are `elsewhere`
  std::map<std::int64_t, std::vector<std::uint32_t>> compositions;  // id to positions in `tables`
  std::vector<ecs::EntityRange> ranges;                             // by first index
  std::uint64_t entities_sum = 0;                                   // computed from the rows
  /// A table that another program has altered, so that its rows cannot be written. Empty if there is none.
  std::string changed;
};

struct SavedFile {
  std::uint32_t incarnation = 0;      // starts so far
  std::uint64_t facts_sum = 0;        // as stored in the file
  std::unique_ptr<SavedWorld> world;  // null before the first checkpoint
};

/// Reads the file in one transaction and changes nothing. Errors: "damaged", and those of Database.
core::Result<SavedFile> read_file(Database& database);

/// Checksums computed from the rows, whatever the file states. For tests that edit files and correct the checksums.
struct FoundSums {
  std::uint64_t entities = 0;
  std::uint64_t facts = 0;
};
core::Result<FoundSums> find_sums(Database& database);

}  // namespace mobula::store
