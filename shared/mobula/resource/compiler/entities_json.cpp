#include <mobula/core/hex.hpp>
#include <mobula/resource/compiler/entities_json.hpp>

namespace mobula::resource {

EntitiesJson::EntitiesJson(const TwoViews& views, const EntityTree& tree, const ColumnChoice& columns, NameUses& names,
                           JsonWriter& out)
    : views_(views),
      tree_(tree),
      columns_(columns),
      names_(names),
      out_(out),
      instances_(views.server.num_entities),
      hidden_(views.server.num_entities) {
  for (const FieldColumn& column : columns.fields)
    for (std::uint32_t i = 0; i < column.column->num_instances; ++i)
      instances_[column.column->entity_index[i]].push_back({&column, i});
  find_hidden();
}

// Finds entities hidden from clients. An entity with a Parent is hidden if its Parent is. Without one, it is hidden if
// all its components that could be marked are.
void EntitiesJson::find_hidden() {
  struct Signs {
    bool hidden = false;
    bool shown = false;
  };
  std::vector<Signs> signs(hidden_.size());
  const auto take = [&signs](std::uint32_t entity, bool hidden) {
    (hidden ? signs[entity].hidden : signs[entity].shown) = true;
  };
  for (const FieldColumn& column : columns_.fields)
    for (std::uint32_t i = 0; i < column.hidden.size() && !column.column->component->not_sent; ++i)
      take(column.column->entity_index[i], column.hidden[i]);
  std::vector<bool> has_parent(hidden_.size());
  const FieldColumn& parents = columns_.parents;
  for (std::uint32_t i = 0; i < parents.hidden.size(); ++i) {
    has_parent[parents.column->entity_index[i]] = true;
    hidden_[parents.column->entity_index[i]] = parents.hidden[i];
  }
  for (auto i = static_cast<std::uint32_t>(hidden_.size()); i-- > 0;) {
    if (!has_parent[i]) hidden_[i] = signs[i].hidden && !signs[i].shown;
    const std::uint32_t parent = views_.server.parent_index[i];
    if (parent != no_parent) take(parent, hidden_[i]);
  }
}

void EntitiesJson::use_names(const Column& column, Audience audience) {
  names_.use(column.key.type, audience);
  names_.use(column.key.instance, audience);
}

void EntitiesJson::use_parents() {
  const FieldColumn& parents = columns_.parents;
  for (const bool hidden : parents.hidden) use_names(*parents.column, hidden ? Audience::server : Audience::everyone);
}

void EntitiesJson::write_level() {
  out_.open_object();
  for (const std::uint32_t entity : tree_.top()) write_entity(entity);
  out_.close();
  use_parents();
}

void EntitiesJson::write_entity(std::uint32_t entity) {
  out_.key(tree_.name(entity)).open_object();
  write_members(entity);
  out_.close();
}

void EntitiesJson::write_members(std::uint32_t entity) {
  names_.use(views_.server.names[entity].name, Audience::server);
  const std::uint32_t parent = views_.server.parent_index[entity];
  if (tree_.attached(entity)) out_.key("parent").text(tree_.path(entity, parent));
  if (hidden_[entity] && (parent == no_parent || !hidden_[parent])) out_.key("server_only").boolean(true);
  if (!instances_[entity].empty()) {
    out_.key("components").open_object();
    for (const Instance& instance : instances_[entity]) write_component(instance, hidden_[entity]);
    out_.close();
  }
  if (!tree_.children(entity).empty()) {
    out_.key("children").open_object();
    for (const std::uint32_t child : tree_.children(entity)) write_entity(child);
    out_.close();
  }
}

void EntitiesJson::write_component(const Instance& instance, bool hidden) {
  const FieldColumn& from = *instance.column;
  const reflect::Component& component = *from.column->component;
  out_.key(from.name).open_object();
  if (from.name != component.name) out_.key(type_member).text(component.name);
  if (from.hidden[instance.number] && !component.not_sent && !hidden) out_.key(server_only_member).boolean(true);
  const JsonValue fields = instance_json(from, instance.number, tree_, names_, &names_);
  for (const JsonMember& field : fields.members) out_.key(field.name).value(field.value);
  out_.close();
  use_names(*from.column, from.hidden[instance.number] ? Audience::server : Audience::everyone);
}

// The name of a hidden prefab is hidden too.
void EntitiesJson::write_prefab(core::StringId32 name) {
  if (!names_.find(name, Audience::everyone)) hidden_[0] = true;
  names_.use(name, hidden_[0] ? Audience::server : Audience::everyone);
  out_.open_object();
  out_.key("spawnable").boolean(true);
  write_members(0);
  use_parents();
  write_columns();
  out_.close();
}

void EntitiesJson::write_columns() {
  if (columns_.raw.empty()) return;
  out_.key("columns").open_list();
  for (const RawColumn& column : columns_.raw) write_column(column);
  out_.close();
}

void EntitiesJson::write_column(const RawColumn& raw) {
  const Column& column = *raw.column;
  const auto text_of = [this](core::StringId32 id) { return names_.find(id, Audience::server).value_or(""); };
  use_names(column, raw.audience);
  out_.open_object();
  out_.key("type").text(text_of(column.key.type));
  if (column.key.instance != column.key.type) out_.key("name").text(text_of(column.key.instance));
  if (column.spawn_order != 0) out_.key("spawn_order").literal(std::to_string(column.spawn_order));
  if (raw.audience == Audience::server) out_.key("server_only").boolean(true);
  out_.key("entities").open_list();
  for (const std::uint32_t entity : column.entity_index) out_.text(tree_.path(0, entity));
  out_.close();
  out_.key("data").text(core::to_hex(column.data));
  if (!column.references.empty()) {
    out_.key("references").open_list();
    for (const Reference& reference : column.references) {
      out_.open_list();
      out_.number(reference.offset);
      out_.text(tree_.path(0, reference.target));
      out_.close();
    }
    out_.close();
  }
  out_.close();
}

}  // namespace mobula::resource
