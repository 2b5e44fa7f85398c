#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/server/store/batch_writer_impl.hpp>
#include <set>
#include <utility>

namespace mobula::store {
namespace {

constexpr std::size_t compositions_spare = 1024;  // unused ones that are kept at least

}  // namespace

void BatchWriter::State::remember(const SavedWorld& world) {
  recreates_ = false;
  reserve_own_names();
  std::vector<Table*> numbered;
  for (const SavedTable& saved : world.tables) {
    const ComponentTable& layout = saved.table;
    names_.reserve(layout.name());
    names_.reserve(layout.view());
    const reflect::Component* component = schema_->find(layout.component().name);
    auto table =
        std::make_unique<Table>(ComponentTable(*component, layout.instance_name(), layout.name(), layout.view()));
    table->in_file = true;
    table->sums.reserve(saved.indices.size());
    for (std::size_t i = 0; i < saved.indices.size(); ++i) table->sums.set(saved.indices[i], saved.sums[i]);
    table->sums.commit();
    sums_.tables += sum_of(layout);
    numbered.push_back(table.get());
    tables_.emplace(layout.id(), std::move(table));
  }
  for (const auto& [id, parts] : world.compositions) {
    Composition& composition = compositions_[id];
    composition.in_file = true;
    for (const std::uint32_t part : parts) composition.tables.push_back(numbered[part]);
  }
  entities_.reserve(world.entities.size());
  for (const SavedEntity& each : world.entities)
    entities_.set(each.index, {entity_sum(each.index, each.generation, each.composition), each.composition});
  for (const SavedPlayer& player : world.facts.players) {
    players_.set({player.id, player.account}, sum_of(player));
    sums_.players += sum_of(player);
  }
  for (const ecs::EntityRange& range : world.ranges) {
    ranges_.set(range.first, sum_of(range));
    sums_.ranges += sum_of(range);
  }
  level_ = world.facts.level;
  if (level_ != nullptr) sums_.level = sum_of(*level_);
  sums_.entities = world.entities_sum;
  sums_.schema = schema_sum(schema_->bytes());
  prepare();
  commit();
}

core::Result<WrittenBatch> BatchWriter::State::write(const Batch& batch) {
  rows_ = 0;
  database_.begin();
  if (!database_.failed()) write_all(batch);
  database_.run("COMMIT");
  if (std::optional<core::Error> error = database_.take_error()) {
    database_.rollback();
    rollback();
    return *error;
  }
  commit();
  return WrittenBatch{rows_, sums_.entities};
}

void BatchWriter::State::write_all(const Batch& batch) {
  if (recreates_) recreate_tables();
  if (!statements_.fact) prepare();  // remember() may have failed to; a second failure is an error
  open_tables(batch);
  if (database_.failed()) return;
  write_compositions(batch);
  write_entities(batch);
  if (batch.is_full) erase_missing(batch);
  prunes_ = compositions_.size() > compositions_max_;
  if (prunes_) erase_unused_compositions();
  write_rows(batch);
  write_players(batch.facts.players);
  if (batch.has_ranges) write_ranges(batch);
  if (batch.facts.level != level_ || recreates_) write_level(batch.facts.level);
  write_facts(batch.facts);
}

void BatchWriter::State::commit() {
  recreates_ = false;
  for (const auto& [id, table] : tables_) {
    table->sums.commit();
    table->is_new = false;
  }
  entities_.commit();
  players_.commit();
  ranges_.commit();
  committed_ = sums_;
  committed_level_ = level_;
  if (std::exchange(prunes_, false)) forget_unused_compositions();
}

void BatchWriter::State::rollback() {
  for (const auto& [id, table] : tables_) {
    table->sums.rollback();
    if (!table->is_new) continue;
    table->is_new = table->in_file = false;
    table->write = Statement();
    table->erase = Statement();
  }
  entities_.rollback();
  players_.rollback();
  ranges_.rollback();
  for (auto& [id, composition] : compositions_) composition.in_file = false;  // "OR IGNORE" permits writing one twice
  level_ = committed_level_;
  sums_ = committed_;
}

// --- Entities and components -----------------------------------------------------------------------------------------

void BatchWriter::State::write_compositions(const Batch& batch) {
  numbered_compositions_.clear();
  std::size_t next = 0;
  std::vector<Table*> tables;
  std::vector<std::int64_t> ids;
  for (const std::uint32_t size : batch.composition_sizes) {
    tables.clear();
    ids.clear();
    for (std::uint32_t i = 0; i < size; ++i) {
      tables.push_back(by_pool_[batch.composition_pools[next++]]);
      ids.push_back(tables.back()->layout.id());
    }
    numbered_compositions_.push_back(composition_id(ids));
    write_composition(numbered_compositions_.back(), tables);
  }
}

void BatchWriter::State::write_composition(std::int64_t id, const std::vector<Table*>& tables) {
  Composition& composition = compositions_[id];
  if (database_.failed() || composition.in_file) return;
  composition = {tables, true};
  std::set<std::string> components;
  for (const Table* table : tables) {
    const std::string& name = table->layout.component().name;
    const std::string& instance = table->layout.instance_name();
    components.insert(instance == name ? name : core::format("{} \"{}\"", name, instance));
  }
  std::string text;
  for (const std::string& component : components) text += (text.empty() ? "" : ", ") + component;
  statements_.prototype.bind(1, id).bind_text(2, text).run();
  for (const Table* table : tables) statements_.prototype_component.bind(1, id).bind(2, table->layout.id()).run();
}

// Bounds the table: a long run may have used very many compositions.
void BatchWriter::State::erase_unused_compositions() {
  database_.run("DELETE FROM saved_prototype WHERE id NOT IN (SELECT prototype FROM saved_entity)");
  database_.run("DELETE FROM saved_prototype_component WHERE prototype NOT IN (SELECT id FROM saved_prototype)");
}

void BatchWriter::State::forget_unused_compositions() {
  std::set<std::int64_t> used;
  entities_.each([&](std::uint32_t, const EntityRow& row) { used.insert(row.composition); });
  std::erase_if(compositions_, [&](const auto& each) { return !used.contains(each.first); });
  compositions_max_ = 2 * compositions_.size() + compositions_spare;
}

void BatchWriter::State::write_entities(const Batch& batch) {
  for (const BatchEntity& each : batch.entities) {
    if (database_.failed()) return;
    if (each.generation == 0) {
      erase_entity(each.index);
    } else {
      const bool is_here = each.composition != BatchEntity::elsewhere;
      write_entity(each.index, each.generation, is_here ? numbered_compositions_[each.composition] : elsewhere);
    }
  }
}

void BatchWriter::State::write_entity(std::uint32_t index, std::uint32_t generation, std::int64_t composition) {
  const EntityRow row{entity_sum(index, generation, composition), composition};
  const EntityRow* had = entities_.find(index);
  if (had != nullptr && had->sum == row.sum) return;
  if (had != nullptr) {
    sums_.entities -= had->sum;
    const std::vector<Table*>& kept = compositions_[composition].tables;
    for (Table* table : compositions_[had->composition].tables)
      if (std::ranges::find(kept, table) == kept.end()) erase_row(*table, index);
  }
  statements_.entity.bind(1, index).bind(2, generation).bind(3, composition).run();
  sums_.entities += row.sum;
  entities_.set(index, row);
  ++rows_;
}

void BatchWriter::State::erase_entity(std::uint32_t index) {
  const EntityRow* had = entities_.find(index);
  if (had == nullptr) return;
  for (Table* table : compositions_[had->composition].tables) erase_row(*table, index);
  statements_.erase_entity.bind(1, index).run();
  sums_.entities -= had->sum;
  entities_.erase(index);
  ++rows_;
}

void BatchWriter::State::erase_row(Table& table, std::uint32_t index) {
  const std::uint64_t* sum = table.sums.find(index);
  if (sum == nullptr) return;
  if (!table.erase)
    table.erase = database_.prepare(table.layout.delete_sql());  // the table may have no pool in this run
  if (database_.failed()) return;
  table.erase.bind(1, index).run();
  sums_.entities -= *sum;
  table.sums.erase(index);
  ++rows_;
}

void BatchWriter::State::erase_missing(const Batch& batch) {
  scratch_.clear();
  entities_.each([&](std::uint32_t index, const EntityRow&) {
    const auto found = std::ranges::lower_bound(batch.entities, index, {}, &BatchEntity::index);
    if (found == batch.entities.end() || found->index != index) scratch_.push_back(index);
  });
  for (const std::uint32_t index : scratch_) erase_entity(index);
}

void BatchWriter::State::write_rows(const Batch& batch) {
  std::size_t at = 0;
  const std::byte* row = batch.rows.data();
  for (const BatchRows& part : batch.pools) {
    Table& table = *by_pool_[part.pool];
    const std::size_t size = table.layout.component().size;
    for (const std::size_t end = at + part.count; at < end; ++at, row += size) {
      if (database_.failed()) return;
      const std::uint32_t index = batch.indices[at];
      const std::uint64_t sum = table.layout.sum(index, row);
      const std::uint64_t* had = table.sums.find(index);
      if (had != nullptr && *had == sum) continue;
      sums_.entities += sum - (had != nullptr ? *had : 0);
      table.layout.bind(table.write, index, row);
      table.write.run();
      table.sums.set(index, sum);
      ++rows_;
    }
  }
}

BatchWriter::BatchWriter(Database& database, std::shared_ptr<const reflect::Schema> schema, std::uint32_t incarnation)
    : state_(std::make_unique<State>(database, std::move(schema), incarnation)) {}
BatchWriter::~BatchWriter() = default;

void BatchWriter::remember(const SavedWorld& world) { state_->remember(world); }
core::Result<WrittenBatch> BatchWriter::write(const Batch& batch) { return state_->write(batch); }

}  // namespace mobula::store
