// State of a BatchWriter: hashes of the file's rows, and statements.
//
//   batch_writer_tables.cpp   creates the file's tables
//   batch_writer.cpp          writes compositions, entities and components
//   batch_writer_facts.cpp    writes all else
#pragma once

#include <map>
#include <mobula/server/store/batch_writer.hpp>
#include <mobula/server/store/remembered_impl.hpp>
#include <mobula/server/store/world_tables.hpp>

namespace mobula::store {

class BatchWriter::State {
 public:
  State(Database& database, std::shared_ptr<const reflect::Schema> schema, std::uint32_t incarnation)
      : database_(database), schema_(std::move(schema)), incarnation_(incarnation) {}

  void remember(const SavedWorld& world);
  core::Result<WrittenBatch> write(const Batch& batch);

 private:
  // A component's table and the hashes of its rows.
  struct Table {
    explicit Table(ComponentTable table) : layout(std::move(table)) {}
    ComponentTable layout;
    bool in_file = false;
    bool is_new = false;  // created by the current transaction
    Remembered<std::uint64_t> sums;
    Statement write;
    Statement erase;
  };
  struct EntityRow {
    std::uint64_t sum = 0;
    std::int64_t composition = 0;
  };
  struct Composition {
    std::vector<Table*> tables;
    bool in_file = false;
  };
  // Checksums as of the last written row. A rollback restores those of the last commit.
  struct Sums {
    std::uint64_t entities = 0;
    std::uint64_t players = 0;
    std::uint64_t ranges = 0;
    std::uint64_t level = 0;
    std::uint64_t tables = 0;
    std::uint64_t schema = 0;
  };
  struct Statements {
    Statement entity, erase_entity, prototype, prototype_component, table, range, erase_range, player, erase_player,
        fact;
  };

  void write_all(const Batch& batch);
  void recreate_tables();
  void drop(const std::string& types_and_names);
  void prepare();
  void open_tables(const Batch& batch);
  void reserve_own_names();
  bool is_free(const std::string& name);
  std::string free_name(const std::string& preferred);
  Table* table_of(const reflect::Component& component, const std::string& instance);
  void create(Table& table);
  void write_compositions(const Batch& batch);
  void write_composition(std::int64_t id, const std::vector<Table*>& tables);
  void erase_unused_compositions();
  void forget_unused_compositions();
  void write_entities(const Batch& batch);
  void write_entity(std::uint32_t index, std::uint32_t generation, std::int64_t composition);
  void erase_entity(std::uint32_t index);
  void erase_missing(const Batch& batch);
  void erase_row(Table& table, std::uint32_t index);
  void write_rows(const Batch& batch);
  void write_players(const std::vector<SavedPlayer>& players);
  void write_ranges(const Batch& batch);
  void write_level(const std::shared_ptr<const SavedLevel>& level);
  void write_facts(const Facts& facts);
  void commit();
  void rollback();

  Database& database_;
  std::shared_ptr<const reflect::Schema> schema_;
  std::uint32_t incarnation_;
  bool recreates_ = true;  // the next batch recreates the tables
  Statements statements_;
  NameSet names_;
  std::map<std::int64_t, std::unique_ptr<Table>> tables_;  // by id
  std::vector<Table*> by_pool_;                            // null if the pool is not saved
  std::map<std::int64_t, Composition> compositions_;       // by id
  std::size_t compositions_max_ = 0;                       // above it, unused ones are removed
  bool prunes_ = false;                                    // the transaction removes unused compositions
  std::vector<std::int64_t> numbered_compositions_;        // ids, by number in the batch
  Remembered<EntityRow> entities_;
  using PlayerKey = std::pair<std::uint32_t, std::string>;  // id and account

  Remembered<std::uint64_t, PlayerKey> players_;
  Remembered<std::uint64_t> ranges_;
  std::shared_ptr<const SavedLevel> level_;
  std::shared_ptr<const SavedLevel> committed_level_;
  Sums sums_;
  Sums committed_;
  std::uint32_t rows_ = 0;
  std::vector<std::uint32_t> scratch_;
};

}  // namespace mobula::store
