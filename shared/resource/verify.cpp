#include <mobula/schema/entity_resource_generated.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/resource/limits.hpp>
#include <mobula/resource/verify.hpp>
#include <tuple>

namespace mobula::resource {
namespace {

using reflect::Field;
using reflect::FieldKind;

static_assert(sizeof(ComponentKey) == sizeof(fbs::ComponentKey), "keys are read in place");

core::Error invalid(std::string message) { return {"invalid", std::move(message)}; }

template <class... Args>
core::Error invalid(fmt::format_string<Args...> text, Args&&... args) {
  return invalid(core::format(text, std::forward<Args>(args)...));
}

std::span<const std::uint32_t> indices(const flatbuffers::Vector<std::uint32_t>* vector) {
  if (vector == nullptr) return {};
  return {vector->data(), vector->size()};
}

template <class Vector>
std::uint32_t size_of(const Vector* vector) {
  return vector == nullptr ? 0 : vector->size();
}

// FlatBuffers lets offsets meet in one vector. Then a small file could hold many large resources.
bool parts_fit(const fbs::EntityResource& table, std::size_t& bytes_left) {
  const auto take = [&bytes_left](std::size_t count, std::size_t size) {
    if (count > bytes_left / size) return false;
    bytes_left -= count * size;
    return true;
  };
  bool fit = take(size_of(table.parent_index()), 4) && take(size_of(table.prototype_of()), 4) &&
             take(size_of(table.prototypes()), 4) && take(size_of(table.columns()), 4) &&
             take(size_of(table.references()), sizeof(fbs::Reference));
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
    return invalid("parent_index has another length than num_entities");
  std::vector<std::uint8_t> depth(view.num_entities);
  for (std::uint32_t i = 0; i < view.num_entities; ++i) {
    const std::uint32_t parent = view.parent_index[i];
    if (parent != no_parent && parent >= i) return invalid("entity {} stands before its parent {}", i, parent);
    depth[i] = parent == no_parent ? 1 : static_cast<std::uint8_t>(depth[parent] + 1);
    if (depth[i] > limits::hierarchy_depth) return invalid("entity {} is deeper than {}", i, limits::hierarchy_depth);
  }
  return core::Done{};
}

core::Status check_prototypes(const EntityResource& view, const reflect::Schema& schema) {
  for (const std::span<const ComponentKey> keys : view.prototypes) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i > 0 && keys[i] <= keys[i - 1]) return invalid("a prototype is not sorted by type and instance name");
      if (schema.find(keys[i].type) == nullptr) return invalid("a prototype names a type that the schema lacks");
    }
    std::vector<core::StringId32> names;
    for (const ComponentKey& key : keys) names.push_back(key.instance);
    std::sort(names.begin(), names.end());
    if (std::adjacent_find(names.begin(), names.end()) != names.end())
      return invalid("a prototype has an instance name twice");
  }
  if (view.prototype_of.size() != view.num_entities)
    return invalid("prototype_of has another length than num_entities");
  for (const std::uint32_t prototype : view.prototype_of)
    if (prototype >= view.prototypes.size()) return invalid("prototype {} does not exist", prototype);
  return core::Done{};
}

double integer_at(FieldKind kind, const std::byte* at) {
  switch (kind) {
    case FieldKind::int8: return static_cast<double>(core::load<std::int8_t>(at));
    case FieldKind::uint8: return static_cast<double>(core::load<std::uint8_t>(at));
    case FieldKind::int16: return static_cast<double>(core::load<std::int16_t>(at));
    case FieldKind::uint16: return static_cast<double>(core::load<std::uint16_t>(at));
    case FieldKind::int32: return static_cast<double>(core::load<std::int32_t>(at));
    case FieldKind::uint32: return static_cast<double>(core::load<std::uint32_t>(at));
    case FieldKind::int64: return static_cast<double>(core::load<std::int64_t>(at));
    default: return static_cast<double>(core::load<std::uint64_t>(at));
  }
}

bool number_is_good(const Field& field, double number) {
  return std::isfinite(number) && (!field.ranged || (number >= field.low && number <= field.high));
}

bool integer_is_good(const Field& field, const std::byte* at) {
  if (field.enum_values.empty()) return number_is_good(field, integer_at(field.kind, at));
  std::int64_t value = 0;
  std::memcpy(&value, at, field.size);
  const bool is_signed =
      field.kind == FieldKind::int8 || field.kind == FieldKind::int16 || field.kind == FieldKind::int32;
  if (is_signed) value = static_cast<std::int64_t>(integer_at(field.kind, at));
  return std::any_of(field.enum_values.begin(), field.enum_values.end(),
                     [value](const reflect::EnumValue& each) { return each.value == value; });
}

bool rotation_is_good(const std::byte* at) {
  float squares = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto part = core::load<float>(at + 4 * i);
    squares += part * part;
  }
  return std::fabs(squares - 1.0f) < 0.01f;  // false for NaN
}

// Text, then zeros to the end.
bool text_is_good(const std::byte* at, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(at), size);
  const std::size_t length = std::min(all.find('\0'), size);
  return core::is_utf8(all.substr(0, length)) && all.find_first_not_of('\0', length) == std::string_view::npos;
}

// Whether code that trusts the type may read the value: no NaN, no bool but 0 and 1, no handle out of thin air.
bool value_is_good(const Field& field, const std::byte* at) {
  if (reflect::is_integer(field.kind)) return integer_is_good(field, at);
  switch (field.kind) {
    case FieldKind::boolean: return std::to_integer<unsigned>(*at) <= 1;
    case FieldKind::float32: return number_is_good(field, core::load<float>(at));
    case FieldKind::float64: return number_is_good(field, core::load<double>(at));
    case FieldKind::unit_quaternion: return rotation_is_good(at);
    case FieldKind::entity: return core::load<std::uint64_t>(at) == 0;  // handles come from references
    case FieldKind::fixed_string: return text_is_good(at, field.size);
    default: return true;
  }
}

core::Status check_values(const Column& column) {
  const reflect::Component& component = *column.component;
  for (const reflect::Field& field : component.fields) {
    for (std::uint32_t row = 0; row < column.num_instances; ++row) {
      const std::byte* value = column.data.data() + std::size_t{row} * component.size + field.offset;
      for (std::uint32_t i = 0; i < field.count; ++i, value += field.stride) {
        if (!value_is_good(field, value))
          return invalid("{} {} of entity {} is no value of its kind", component.name, field.path,
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
    if (i > 0 && reference.offset <= column.references[i - 1].offset) return invalid("references are not rising");
    if (reference.target >= view.num_entities) return invalid("a reference to entity {}", reference.target);
    if (column.data.size() < sizeof(ecs::Entity) || reference.offset > column.data.size() - sizeof(ecs::Entity))
      return invalid("a reference beyond its column");
    if (column.component != nullptr && !is_entity_field(*column.component, reference.offset % column.component->size))
      return invalid("a reference on what is no entity field of {}", column.component->name);
  }
  return core::Done{};
}

core::Status check_column(const EntityResource& view, const Column& column) {
  if (column.entity_index.size() != column.num_instances)
    return invalid("entity_index has another length than num_instances");
  if (column.num_instances == 0) return invalid("a column without instances");
  for (std::uint32_t i = 0; i < column.num_instances; ++i) {
    if (column.entity_index[i] >= view.num_entities) return invalid("a component of entity {}", column.entity_index[i]);
    if (i > 0 && column.entity_index[i] <= column.entity_index[i - 1]) return invalid("entity_index is not rising");
  }
  if (reinterpret_cast<std::uintptr_t>(column.data.data()) % 16 != 0) return invalid("a column is not 16-aligned");
  const reflect::Component* component = column.component;
  if (component != nullptr) {
    if (column.data.size() != std::size_t{column.num_instances} * component->size)
      return invalid("a column of {} has {} bytes for {} instances of {}", component->name, column.data.size(),
                     column.num_instances, component->size);
    const core::Status values = check_values(column);
    if (!values) return values;
  }
  return check_references(view, column);
}

core::Result<Column> read_column(const fbs::Column& table, const reflect::Schema& schema) {
  if (table.data() == nullptr || table.entity_index() == nullptr) return invalid("a column without data");
  return Column{.key = {core::StringId32(table.type()), core::StringId32(table.instance())},
                .spawn_order = table.spawn_order(),
                .num_instances = table.num_instances(),
                .entity_index = indices(table.entity_index()),
                .data = core::as_bytes(table.data()->data(), table.data()->size()),
                .references = {},
                .component = schema.find(core::StringId32(table.type()))};
}

core::Status read_columns(const fbs::EntityResource& table, const reflect::Schema& schema, EntityResource& view) {
  if (size_of(table.columns()) > limits::columns) return invalid("more than {} columns", limits::columns);
  for (std::uint32_t i = 0; i < size_of(table.columns()); ++i) {
    core::Result<Column> column = read_column(*table.columns()->Get(i), schema);
    if (!column) return column.error();
    if (i > 0) {
      const Column& last = view.columns.back();
      if (std::tie(column->spawn_order, column->key) <= std::tie(last.spawn_order, last.key))
        return invalid("columns are not sorted by spawn order, type and instance name");
    }
    view.columns.push_back(std::move(*column));
  }
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < size_of(table.references()); ++i) {
    const fbs::Reference& reference = *table.references()->Get(i);
    if (reference.column() >= view.columns.size()) return invalid("a reference in column {}", reference.column());
    if (reference.column() < last) return invalid("references are not rising");
    last = reference.column();
    view.columns[last].references.push_back({reference.offset(), reference.target()});
  }
  return core::Done{};
}

// A column for each key of each entity's prototype, and no other: then the sums agree, and each instance of a
// column is met by its entity's prototype.
core::Status check_agreement(const EntityResource& view) {
  std::vector<ComponentKey> seen;
  std::size_t instances = 0;
  for (const Column& column : view.columns) {
    if (column.component == nullptr) continue;
    seen.push_back(column.key);
    instances += column.num_instances;
    for (const std::uint32_t entity : column.entity_index) {
      const std::span<const ComponentKey> keys = view.prototypes[view.prototype_of[entity]];
      if (!std::binary_search(keys.begin(), keys.end(), column.key))
        return invalid("entity {} has a component that its prototype lacks", entity);
    }
  }
  std::sort(seen.begin(), seen.end());
  if (std::adjacent_find(seen.begin(), seen.end()) != seen.end())
    return invalid("two columns of one type and instance name");
  std::size_t promised = 0;
  for (const std::uint32_t prototype : view.prototype_of) promised += view.prototypes[prototype].size();
  if (promised != instances) return invalid("prototypes promise {} components, columns hold {}", promised, instances);
  return core::Done{};
}

}  // namespace

core::Result<EntityResource> verify_entity_resource(const fbs::EntityResource& table, const reflect::Schema& schema,
                                                    std::size_t& bytes_left) {
  if (!parts_fit(table, bytes_left)) return invalid("parts of the file overlap");
  EntityResource view;
  view.num_entities = table.num_entities();
  if (view.num_entities > limits::entities) return invalid("more than {} entities", limits::entities);
  view.parent_index = indices(table.parent_index());
  view.prototype_of = indices(table.prototype_of());
  for (std::uint32_t i = 0; i < size_of(table.prototypes()); ++i) {
    const auto* keys = table.prototypes()->Get(i)->components();
    view.prototypes.emplace_back(keys == nullptr ? nullptr : reinterpret_cast<const ComponentKey*>(keys->Data()),
                                 size_of(keys));
  }
  if (core::Status good = check_parents(view); !good) return good.error();
  if (core::Status good = check_prototypes(view, schema); !good) return good.error();
  if (core::Status good = read_columns(table, schema, view); !good) return good.error();
  for (const Column& column : view.columns)
    if (core::Status good = check_column(view, column); !good) return good.error();
  if (core::Status good = check_agreement(view); !good) return good.error();
  return view;
}

}  // namespace mobula::resource
