#include <mobula/schema/entity_resource_generated.h>

#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/reflect/value.hpp>
#include <mobula/resource/limits.hpp>
#include <mobula/resource/verify.hpp>
#include <tuple>

namespace mobula::resource {
namespace {

using reflect::Field;
using reflect::FieldKind;

static_assert(sizeof(ComponentKey) == sizeof(fbs::ComponentKey) && sizeof(EntityName) == sizeof(fbs::EntityName),
              "read in place");

core::Error unsound(std::string message) { return {"invalid", std::move(message)}; }

template <class... Args>
core::Error unsound(fmt::format_string<Args...> text, Args&&... args) {
  return unsound(core::format(text, std::forward<Args>(args)...));
}

std::span<const std::uint32_t> indices(const flatbuffers::Vector<std::uint32_t>* vector) {
  if (vector == nullptr) return {};
  return {vector->data(), vector->size()};
}

template <class Vector>
std::uint32_t size_of(const Vector* vector) {
  return vector == nullptr ? 0 : vector->size();
}

// Checks that parts do not overlap. FlatBuffers allows two offsets to one vector, so a small file could hold many large
// resources.
bool parts_fit(const fbs::EntityResource& table, std::size_t& bytes_left) {
  const auto take = [&bytes_left](std::size_t count, std::size_t size) {
    if (count > bytes_left / size) return false;
    bytes_left -= count * size;
    return true;
  };
  bool fit = take(size_of(table.parent_index()), 4) && take(size_of(table.prototype_of()), 4) &&
             take(size_of(table.prototypes()), 4) && take(size_of(table.columns()), 4) &&
             take(size_of(table.references()), sizeof(fbs::Reference)) &&
             take(size_of(table.entity_names()), sizeof(fbs::EntityName)) && take(size_of(table.attached()), 4);
  for (std::uint32_t i = 0; fit && i < size_of(table.columns()); ++i) {
    const fbs::Column& column = *table.columns()->Get(i);
    fit = take(size_of(column.entity_index()), 4) && take(size_of(column.data()), 1);
  }
  for (std::uint32_t i = 0; fit && i < size_of(table.prototypes()); ++i)
    fit = take(size_of(table.prototypes()->Get(i)->components()), sizeof(fbs::ComponentKey));
  return fit;
}

core::Status check_parents(const EntityResource& view) {
  if (view.parent_index.size() != view.num_entities)
    return unsound("parent_index has another length than num_entities");
  std::vector<std::uint8_t> depth(view.num_entities);
  for (std::uint32_t i = 0; i < view.num_entities; ++i) {
    const std::uint32_t parent = view.parent_index[i];
    if (parent != no_parent && parent >= i) return unsound("entity {} stands before its parent {}", i, parent);
    depth[i] = parent == no_parent ? 1 : static_cast<std::uint8_t>(depth[parent] + 1);
    if (depth[i] > limits::hierarchy_depth) return unsound("entity {} is deeper than {}", i, limits::hierarchy_depth);
  }
  return core::Done{};
}

core::Status check_prototypes(const EntityResource& view, const reflect::Schema& schema) {
  for (const std::span<const ComponentKey> keys : view.prototypes) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i > 0 && keys[i] <= keys[i - 1]) return unsound("a prototype is not sorted by type and instance name");
      if (schema.find(keys[i].type) == nullptr) return unsound("a prototype names a type that the schema lacks");
    }
    std::vector<core::StringId32> names;
    for (const ComponentKey& key : keys) names.push_back(key.instance);
    std::sort(names.begin(), names.end());
    if (std::adjacent_find(names.begin(), names.end()) != names.end())
      return unsound("a prototype has an instance name twice");
  }
  if (view.prototype_of.size() != view.num_entities)
    return unsound("prototype_of has another length than num_entities");
  for (const std::uint32_t prototype : view.prototype_of)
    if (prototype >= view.prototypes.size()) return unsound("prototype {} does not exist", prototype);
  return core::Done{};
}

// Refuses stored handles except null, because handles are made from references.
bool may_be_stored(const Field& field, const std::byte* at) {
  if (field.kind == FieldKind::entity) return core::load<std::uint64_t>(at) == 0;
  return reflect::value_is_good(field, at);
}

core::Status check_values(const Column& column) {
  const reflect::Component& component = *column.component;
  for (const reflect::Field& field : component.fields) {
    for (std::uint32_t row = 0; row < column.num_instances; ++row) {
      const std::byte* value = column.data.data() + std::size_t{row} * component.size + field.offset;
      for (std::uint32_t i = 0; i < field.count; ++i, value += field.stride) {
        if (!may_be_stored(field, value))
          return unsound("{} {} of entity {} is not a value of its kind", component.name, field.path,
                         column.entity_index[row]);
      }
    }
  }
  return core::Done{};
}

bool is_entity_field(const reflect::Component& component, std::uint32_t offset) {
  for (const reflect::Field& field : component.fields) {
    if (field.kind != FieldKind::entity || offset < field.offset) continue;
    const std::uint32_t beyond = offset - field.offset;
    if (beyond == 0 || (field.stride > 0 && beyond % field.stride == 0 && beyond / field.stride < field.count))
      return true;
  }
  return false;
}

core::Status check_references(const EntityResource& view, const Column& column) {
  for (std::size_t i = 0; i < column.references.size(); ++i) {
    const Reference& reference = column.references[i];
    if (i > 0 && reference.offset <= column.references[i - 1].offset) return unsound("references are not rising");
    if (reference.target >= view.num_entities) return unsound("a reference to entity {}", reference.target);
    if (column.data.size() < sizeof(ecs::Entity) || reference.offset > column.data.size() - sizeof(ecs::Entity))
      return unsound("a reference beyond its column");
    if (column.component != nullptr && !is_entity_field(*column.component, reference.offset % column.component->size))
      return unsound("a reference at an offset that is not an entity field of {}", column.component->name);
  }
  return core::Done{};
}

core::Status check_column(const EntityResource& view, const Column& column) {
  if (column.entity_index.size() != column.num_instances)
    return unsound("entity_index has another length than num_instances");
  if (column.num_instances == 0) return unsound("a column without instances");
  for (std::uint32_t i = 0; i < column.num_instances; ++i) {
    if (column.entity_index[i] >= view.num_entities) return unsound("a component of entity {}", column.entity_index[i]);
    if (i > 0 && column.entity_index[i] <= column.entity_index[i - 1]) return unsound("entity_index is not rising");
  }
  if (!column.data.empty() && reinterpret_cast<std::uintptr_t>(column.data.data()) % 16 != 0)
    return unsound("a column is not 16-aligned");
  const reflect::Component* component = column.component;
  if (component != nullptr) {
    if (column.data.size() != std::size_t{column.num_instances} * component->size)
      return unsound("a column of {} has {} bytes for {} instances of {}", component->name, column.data.size(),
                     column.num_instances, component->size);
    const core::Status values = check_values(column);
    if (!values) return values;
  }
  return check_references(view, column);
}

core::Result<Column> read_column(const fbs::Column& table, const reflect::Schema& schema) {
  if (table.data() == nullptr || table.entity_index() == nullptr) return unsound("a column without data");
  return Column{.key = {core::StringId32(table.type()), core::StringId32(table.instance())},
                .spawn_order = table.spawn_order(),
                .num_instances = table.num_instances(),
                .entity_index = indices(table.entity_index()),
                .data = core::as_bytes(table.data()->data(), table.data()->size()),
                .references = {},
                .component = schema.find(core::StringId32(table.type()))};
}

core::Status read_columns(const fbs::EntityResource& table, const reflect::Schema& schema, EntityResource& view) {
  if (size_of(table.columns()) > limits::columns) return unsound("more than {} columns", limits::columns);
  for (std::uint32_t i = 0; i < size_of(table.columns()); ++i) {
    core::Result<Column> column = read_column(*table.columns()->Get(i), schema);
    if (!column) return column.error();
    if (i > 0) {
      const Column& last = view.columns.back();
      if (std::tie(column->spawn_order, column->key) <= std::tie(last.spawn_order, last.key))
        return unsound("columns are not sorted by spawn order, type and instance name");
    }
    view.columns.push_back(std::move(*column));
  }
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < size_of(table.references()); ++i) {
    const fbs::Reference& reference = *table.references()->Get(i);
    if (reference.column() >= view.columns.size()) return unsound("a reference in column {}", reference.column());
    if (reference.column() < last) return unsound("references are not rising");
    last = reference.column();
    view.columns[last].references.push_back({reference.offset(), reference.target()});
  }
  return core::Done{};
}

// Checks that there is a column for each key of each entity's prototype, and no other. Then the sums agree, and each
// instance of a column belongs to its entity's prototype. Unused prototypes name no other columns either.
core::Status check_agreement(const EntityResource& view) {
  std::vector<ComponentKey> all;
  for (const Column& column : view.columns) all.push_back(column.key);
  std::ranges::sort(all);
  if (std::ranges::adjacent_find(all) != all.end()) return unsound("two columns of one type and instance name");
  for (const std::span<const ComponentKey> keys : view.prototypes)
    for (const ComponentKey& key : keys)
      if (!std::ranges::binary_search(all, key)) return unsound("a prototype names a column that is not there");
  std::size_t instances = 0;
  for (const Column& column : view.columns) {
    if (column.component == nullptr) continue;
    instances += column.num_instances;
    for (const std::uint32_t entity : column.entity_index) {
      const std::span<const ComponentKey> keys = view.prototypes[view.prototype_of[entity]];
      if (!std::binary_search(keys.begin(), keys.end(), column.key))
        return unsound("entity {} has a component that its prototype lacks", entity);
    }
  }
  std::size_t promised = 0;
  for (const std::uint32_t prototype : view.prototype_of) promised += view.prototypes[prototype].size();
  if (promised != instances) return unsound("prototypes promise {} components, columns hold {}", promised, instances);
  return core::Done{};
}

core::Status check_names(const EntityResource& view) {
  if (view.names.size() != view.num_entities) return unsound("entity_names has another length than num_entities");
  for (std::size_t i = 0; i < view.attached.size(); ++i) {
    if (view.attached[i] >= view.num_entities || view.parent_index[view.attached[i]] == no_parent)
      return unsound("entity {} is attached to nothing", view.attached[i]);
    if (i > 0 && view.attached[i] <= view.attached[i - 1]) return unsound("attached is not rising");
  }
  return core::Done{};
}

std::vector<std::span<const ComponentKey>> read_prototypes(const fbs::EntityResource& table) {
  std::vector<std::span<const ComponentKey>> prototypes;
  for (std::uint32_t i = 0; i < size_of(table.prototypes()); ++i) {
    const auto* keys = table.prototypes()->Get(i)->components();
    prototypes.emplace_back(keys == nullptr ? nullptr : reinterpret_cast<const ComponentKey*>(keys->Data()),
                            size_of(keys));
  }
  return prototypes;
}

// Reads and checks what both parts have in common.
core::Status read_part(const fbs::EntityResource& table, const reflect::Schema& schema, std::size_t& bytes_left,
                       EntityResource& view) {
  if (!parts_fit(table, bytes_left)) return unsound("parts of the file overlap");
  view.prototypes = read_prototypes(table);
  view.prototype_of = indices(table.prototype_of());
  if (core::Status good = check_prototypes(view, schema); !good) return good;
  if (core::Status good = read_columns(table, schema, view); !good) return good;
  for (const Column& column : view.columns)
    if (core::Status good = check_column(view, column); !good) return good;
  return core::Done{};
}

// Adds the clients' columns, except those that the server has its own of.
void merge(std::vector<Column> clients, std::vector<Column>& server) {
  std::vector<ComponentKey> own;
  for (const Column& column : server) own.push_back(column.key);
  std::ranges::sort(own);
  for (Column& column : clients)
    if (!std::ranges::binary_search(own, column.key)) server.push_back(std::move(column));
  std::ranges::sort(server, [](const Column& a, const Column& b) {
    return std::tie(a.spawn_order, a.key) < std::tie(b.spawn_order, b.key);
  });
}

}  // namespace

core::Result<EntityResource> verify_clients_part(const fbs::EntityResource& table, const reflect::Schema& schema,
                                                 std::size_t& bytes_left) {
  EntityResource view;
  view.num_entities = table.num_entities();
  if (view.num_entities > limits::entities) return unsound("more than {} entities", limits::entities);
  view.parent_index = indices(table.parent_index());
  if (core::Status good = check_parents(view); !good) return good.error();
  if (core::Status good = read_part(table, schema, bytes_left, view); !good) return good.error();
  if (core::Status good = check_agreement(view); !good) return good.error();
  return view;
}

core::Status verify_server_part(const fbs::EntityResource& table, const reflect::Schema& schema,
                                std::size_t& bytes_left, EntityResource& view) {
  EntityResource server;
  server.num_entities = view.num_entities;
  server.parent_index = view.parent_index;
  if (table.num_entities() != view.num_entities || table.parent_index() != nullptr)
    return unsound("the server's part is of another level or prefab");
  if (core::Status good = read_part(table, schema, bytes_left, server); !good) return good;
  if (size_of(table.entity_names()) > 0)
    server.names = {reinterpret_cast<const EntityName*>(table.entity_names()->Data()), size_of(table.entity_names())};
  server.attached = indices(table.attached());
  if (core::Status good = check_names(server); !good) return good;
  merge(std::move(view.columns), server.columns);
  if (server.columns.size() > limits::columns) return unsound("more than {} columns", limits::columns);
  if (core::Status good = check_agreement(server); !good) return good;
  view = std::move(server);
  return core::Done{};
}

}  // namespace mobula::resource
