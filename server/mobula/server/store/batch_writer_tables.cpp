#include <mobula/server/store/batch_writer_impl.hpp>

namespace mobula::store {

// Drops what the SELECT `types_and_names` lists. An object of that name but another type is kept.
void BatchWriter::State::drop(const std::string& types_and_names) {
  std::vector<std::string> drops;
  {
    Statement found =
        database_.prepare("SELECT type, name FROM sqlite_schema WHERE (type, name) IN (" + types_and_names + ")");
    while (found.next()) drops.push_back("DROP " + std::string(found.text(0)) + " " + sql_name(found.text(1)));
  }
  for (const std::string& sql : drops) database_.run(sql);
}

// Drops all tables of a save, whatever their schema or layout, and creates new ones. The names of component tables come
// from the file and may be anything, also that of another program's table, which is kept.
void BatchWriter::State::recreate_tables() {
  statements_ = {};
  for (const OwnTable& view : own_views()) drop("SELECT 'view', " + literal(view.name));
  if (database_.number("SELECT count(*) FROM sqlite_schema WHERE name = 'saved_component_table'") > 0)
    drop(
        "SELECT 'view', view_name FROM saved_component_table"
        " UNION SELECT 'table', table_name FROM saved_component_table");
  for (const OwnTable& table : own_tables()) {
    database_.run("DROP TABLE IF EXISTS " + sql_name(table.name));
    database_.run(table.sql);
  }
  for (const auto made_for_people : {own_views, own_indexes})
    for (const OwnTable& made : made_for_people())
      if (is_free(made.name)) database_.run(made.sql);

  reserve_own_names();
  tables_.clear();
  by_pool_.clear();
  compositions_.clear();
  entities_.clear();
  players_.clear();
  ranges_.clear();
  sums_ = Sums{.schema = schema_sum(schema_->bytes())};
  prepare();
  Statement schema = database_.prepare("INSERT INTO saved_schema (id, bfbs) VALUES (1, ?)");
  if (schema) schema.bind_blob(1, schema_->bytes()).run();
  for (const reflect::Component& component : schema_->components())
    if (Table* const table = component.not_saved ? nullptr : table_of(component, component.name)) create(*table);
}

void BatchWriter::State::reserve_own_names() {
  names_ = NameSet();
  for (const OwnTable& table : own_tables()) names_.reserve(table.name);
  for (const OwnTable& view : own_views()) names_.reserve(view.name);
}

void BatchWriter::State::prepare() {
  const auto make = [&](const char* sql) { return database_.prepare(sql); };
  statements_ = {make("INSERT OR REPLACE INTO saved_entity (entity, generation, prototype) VALUES (?, ?, ?)"),
                 make("DELETE FROM saved_entity WHERE entity = ?"),
                 make("INSERT OR IGNORE INTO saved_prototype (id, components) VALUES (?, ?)"),
                 make("INSERT OR IGNORE INTO saved_prototype_component (prototype, component_table) VALUES (?, ?)"),
                 make("INSERT INTO saved_component_table (id, component, instance, table_name, view_name) "
                      "VALUES (?, ?, ?, ?, ?)"),
                 make("INSERT OR REPLACE INTO saved_entity_range (first, count, generation) VALUES (?, ?, ?)"),
                 make("DELETE FROM saved_entity_range WHERE first = ?"),
                 make("INSERT OR REPLACE INTO saved_player (id, account, name, entity, generation, present) "
                      "VALUES (?, ?, ?, ?, ?, ?)"),
                 make("DELETE FROM saved_player WHERE id = ? AND account = ?"),
                 make("INSERT OR REPLACE INTO saved_world (key, value) VALUES (?, ?)")};
}

// True if nothing in the file has the name, or if the database has failed.
bool BatchWriter::State::is_free(const std::string& name) {
  Statement others = database_.prepare("SELECT count(*) FROM sqlite_schema WHERE lower(name) = lower(?)");
  if (others) others.bind_text(1, name);
  return !others.next() || others.integer(0) == 0;
}

std::string BatchWriter::State::free_name(const std::string& preferred) {
  for (;;)
    if (std::string name = names_.reserve(preferred); is_free(name)) return name;
}

// Returns the table of a pool. Null if the database has failed, which leaves unknown whether the name is free.
BatchWriter::State::Table* BatchWriter::State::table_of(const reflect::Component& component,
                                                        const std::string& instance) {
  const std::int64_t id = ComponentTable(component, instance, "", "").id();
  if (const auto found = tables_.find(id); found != tables_.end()) return found->second.get();
  const std::string preferred = ComponentTable::preferred_name(component, instance);
  const std::string name = free_name("component_" + preferred);
  const std::string view = free_name(preferred);
  if (database_.failed()) {
    names_.release(name);
    names_.release(view);
    return nullptr;
  }
  auto table = std::make_unique<Table>(ComponentTable(component, instance, name, view));
  return tables_.emplace(id, std::move(table)).first->second.get();
}

void BatchWriter::State::create(Table& table) {
  if (table.in_file) return;
  const ComponentTable& layout = table.layout;
  database_.run(layout.create_sql());
  database_.run(layout.create_view_sql());
  if (database_.failed()) return;
  statements_.table.bind(1, layout.id())
      .bind_text(2, layout.component().name)
      .bind_text(3, layout.instance_name())
      .bind_text(4, layout.name())
      .bind_text(5, layout.view())
      .run();
  sums_.tables += sum_of(layout);
  table.in_file = table.is_new = true;
}

void BatchWriter::State::open_tables(const Batch& batch) {
  for (const BatchPool& pool : batch.new_pools) {
    if (pool.pool >= by_pool_.size()) by_pool_.resize(pool.pool + 1);
    by_pool_[pool.pool] = table_of(*schema_->find(pool.type), pool.instance_name);
  }
  for (Table* table : by_pool_) {
    if (table == nullptr) continue;
    create(*table);
    if (table->write) continue;
    table->write = database_.prepare(table->layout.write_sql());
    table->erase = database_.prepare(table->layout.delete_sql());
  }
}

}  // namespace mobula::store
