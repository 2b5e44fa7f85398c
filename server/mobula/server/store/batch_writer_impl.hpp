// What a BatchWriter knows of its file, so that it writes what differs. batch_writer_tables.cpp makes the file's
// tables, batch_writer.cpp writes compositions and entities, batch_writer_facts.cpp all else.
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
  // A table of the file, and what it has.
  struct Table {
    explicit Table(ComponentTable made) : layout(std::move(made)) {}
    ComponentTable layout;
    bool in_file = false;
    bool made_now = false;  // by this transaction
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
  // Sums that are kept up; copied at the beginning of a transaction.
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
  void make_anew();
  void drop(const std::string& types_and_names);
  void prepare();
  void open_tables(const Batch& batch);
  void take_own_names();
  bool is_free(const std::string& name);
  std::string free_name(const std::string& wanted);
  Table* table_of(const reflect::Component& component, const std::string& instance);
  void make(Table& table);
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
  bool anew_ = true;
  Statements statements_;
  NameSet names_;
  std::map<std::int64_t, std::unique_ptr<Table>> tables_;  // by id
  std::vector<Table*> by_pool_;                            // null: not saved
  std::map<std::int64_t, Composition> compositions_;       // by id
  std::size_t compositions_max_ = 0;                       // with more of them, those that no entity has go
  bool prunes_ = false;                                    // in this transaction
  std::vector<std::int64_t> numbered_compositions_;        // of the batch
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
