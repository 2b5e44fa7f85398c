#include <mobula/server/store/batch_writer_impl.hpp>

namespace mobula::store {

// `types_and_names`: a SELECT of such. What is there under the name but is of another type stays.
void BatchWriter::State::drop(const std::string& types_and_names) {
  std::vector<std::string> drops;
  {
    Statement made =
        database_.prepare("SELECT type, name FROM sqlite_schema WHERE (type, name) IN (" + types_and_names + ")");
    while (made.next()) drops.push_back("DROP " + std::string(made.text(0)) + " " + quoted(made.text(1)));
  }
  for (const std::string& sql : drops) database_.run(sql);
}

// Whatever was saved in the file goes: tables of another schema, or made in another way, or none. What they are called
// the file says, so it may be no name at all; somebody else's table may have a view's name, and stays.
void BatchWriter::State::make_anew() {
  statements_ = {};
  for (const OwnTable& view : own_views()) drop("SELECT 'view', " + literal(view.name));
  if (database_.number("SELECT count(*) FROM sqlite_schema WHERE name = 'saved_component_table'") > 0)
    drop(
        "SELECT 'view', view_name FROM saved_component_table"
        " UNION SELECT 'table', table_name FROM saved_component_table");
  for (const OwnTable& table : own_tables()) {
    database_.run("DROP TABLE IF EXISTS " + quoted(table.name));
    database_.run(table.sql);
  }
  for (const auto made_for_people : {own_views, own_indexes})
    for (const OwnTable& made : made_for_people())
      if (is_free(made.name)) database_.run(made.sql);

  take_own_names();
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
    if (Table* const table = component.not_saved ? nullptr : table_of(component, component.name)) make(*table);
}

void BatchWriter::State::take_own_names() {
  names_ = NameSet();
  for (const OwnTable& table : own_tables()) names_.take(table.name);
  for (const OwnTable& view : own_views()) names_.take(view.name);
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

// Nothing in the file has the name, whoever made it; or there is no answer.
bool BatchWriter::State::is_free(const std::string& name) {
  Statement others = database_.prepare("SELECT count(*) FROM sqlite_schema WHERE lower(name) = lower(?)");
  if (others) others.bind_text(1, name);
  return !others.next() || others.integer(0) == 0;
}

std::string BatchWriter::State::free_name(const std::string& wanted) {
  for (;;)
    if (std::string name = names_.take(wanted); is_free(name)) return name;
}

// Null if the database has failed: whether somebody else has the name is not known.
BatchWriter::State::Table* BatchWriter::State::table_of(const reflect::Component& component,
                                                        const std::string& instance) {
  const std::int64_t id = ComponentTable(component, instance, "", "").id();
  if (const auto found = tables_.find(id); found != tables_.end()) return found->second.get();
  const std::string wanted = ComponentTable::wanted_name(component, instance);
  const std::string name = free_name("component_" + wanted);
  const std::string view = free_name(wanted);
  if (database_.failed()) {
    names_.give_back(name);
    names_.give_back(view);
    return nullptr;
  }
  auto table = std::make_unique<Table>(ComponentTable(component, instance, name, view));
  return tables_.emplace(id, std::move(table)).first->second.get();
}

void BatchWriter::State::make(Table& table) {
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
  table.in_file = table.made_now = true;
}

void BatchWriter::State::open_tables(const Batch& batch) {
  for (const BatchPool& pool : batch.new_pools) {
    if (pool.pool >= by_pool_.size()) by_pool_.resize(pool.pool + 1);
    by_pool_[pool.pool] = table_of(*schema_->find(pool.type), pool.instance_name);
  }
  for (Table* table : by_pool_) {
    if (table == nullptr) continue;
    make(*table);
    if (table->write) continue;
    table->write = database_.prepare(table->layout.write_sql());
    table->erase = database_.prepare(table->layout.delete_sql());
  }
}

}  // namespace mobula::store
