#include <mobula/core/did_you_mean.hpp>
#include <mobula/core/format.hpp>
#include <mobula/index/properties.hpp>
#include <mobula/index/property_text.hpp>

namespace mobula::index {
namespace {

using reflect::Value;

// Buffer for one component, or one value of it.
struct Scratch {
  alignas(std::max_align_t) std::byte bytes[reflect::Limits::component_bytes];
};

}  // namespace

Properties::Properties(ecs::Registry& registry, const reflect::Schema& schema, const NameTable& names)
    : registry_(registry), names_(names), table_(schema), computed_(reflect::Limits::component_bytes) {}

core::Result<PropertyRef> Properties::resolve(ecs::Entity entity, const InstanceName& component,
                                              std::string_view path) const {
  const ecs::PoolId pool = registry_.find(entity, component.id);
  if (pool == ecs::no_pool) return no_component(entity, component);
  return resolve(pool, path);
}

core::Result<PropertyRef> Properties::resolve(ecs::PoolId pool, std::string_view path) const {
  const core::Result<PropertyTable::Found> found = table_.find(registry_.pool(pool), path);
  if (!found) return found.error();
  return PropertyRef(*found->node, pool, found->element);
}

// Typed ------------------------------------------------------------------------------------

const std::byte* Properties::find_value(ecs::Entity entity, const PropertyRef& property) const {
  const std::byte* component = read(entity, property);
  if (component == nullptr || !property.single()) return nullptr;
  const PropertyNode& node = property.node();
  if (node.computed != nullptr) {
    node.computed->get(registry_, entity, component, computed_.data());
    return computed_.data();
  }
  return in_use(property, component) ? component + property.offset_ : nullptr;
}

core::Error Properties::why_not(ecs::Entity entity, const PropertyRef& property) const {
  const std::byte* component = read(entity, property);
  if (component == nullptr) return not_there(entity, property);
  return property.single() ? unused(property, component) : not_single(property);
}

core::Status Properties::set_value(ecs::Entity entity, const PropertyRef& property, const Value& value) {
  Scratch made;
  const PropertyNode& node = property.node();
  if (core::Status good = make_bytes(property, value, made.bytes); !good) return good;
  if (node.computed != nullptr) {
    Scratch changed;
    if (core::Status done = make_computed(entity, property, made.bytes, changed.bytes); !done) return done;
    write_made(entity, property, changed.bytes);
    return core::Done{};
  }
  if (node.array != nullptr && node.array->count_field >= 0) {
    const std::byte* component = read(entity, property);
    if (component != nullptr && !in_use(property, component)) return unused(property, component);
  }
  std::byte* component = registry_.try_write(entity, property.pool_);
  if (component == nullptr) return not_there(entity, property);
  std::memcpy(component + property.offset_, made.bytes, node.field->size);
  return core::Done{};
}

core::Status Properties::check_value(ecs::Entity entity, const PropertyRef& property, const Value& value) const {
  Scratch made;
  if (core::Status good = make_bytes(property, value, made.bytes); !good) return good;
  if (property.node().computed == nullptr) return core::Done{};
  Scratch changed;
  return make_computed(entity, property, made.bytes, changed.bytes);
}

core::Status Properties::make_bytes(const PropertyRef& property, const Value& value, std::byte* to) const {
  if (!property.single()) return not_single(property);
  if (property.node().read_only()) return read_only(property.node());
  const reflect::Field& field = *property.field();
  if (field.kind == reflect::FieldKind::string_id) {
    if (const auto* name = std::get_if<std::string_view>(&value)) {
      if (core::Status good = check_name(names_, *name); !good) return good;
    }
  }
  return reflect::write_value(field, value, to);
}

core::Status Properties::make_computed(ecs::Entity entity, const PropertyRef& property, const std::byte* value,
                                       std::byte* to) const {
  const PropertyNode& node = property.node();
  const std::byte* component = read(entity, property);
  if (component == nullptr) return not_there(entity, property);
  std::memcpy(to, component, node.component->size);
  return node.computed->set(registry_, entity, to, value);
}

void Properties::write_made(ecs::Entity entity, const PropertyRef& property, const std::byte* made) {
  std::memcpy(registry_.try_write(entity, property.pool_), made, property.node().component->size);
}

bool Properties::has(ecs::Entity entity, const PropertyRef& property) const {
  const std::byte* component = read(entity, property);
  return component != nullptr && in_use(property, component);
}

bool Properties::in_use(const PropertyRef& property, const std::byte* component) {
  const PropertyNode& node = property.node();
  return node.array == nullptr || node.array->count_field < 0 || property.element_ == reflect::whole_array ||
         property.element_ < reflect::elements_in_use(*node.component, *node.array, component);
}

// As text ----------------------------------------------------------------------------------

core::Result<std::string> Properties::get_text(ecs::Entity entity, const PropertyRef& property) const {
  const std::byte* component = read(entity, property);
  if (component == nullptr) return not_there(entity, property);
  if (!in_use(property, component)) return unused(property, component);
  const PropertyNode& node = property.node();
  std::string text;
  if (node.computed != nullptr) {
    node.computed->get(registry_, entity, component, computed_.data());
    append_json(*node.field, computed_.data(), names_, text);
  } else {
    append_json(*node.component, *node.tree, property.element_, component, names_, text);
  }
  return text;
}

core::Result<std::string> Properties::get_text(ecs::Entity entity, const InstanceName& component,
                                               std::string_view path) const {
  const core::Result<PropertyRef> property = resolve(entity, component, path);
  if (!property) return property.error();
  return get_text(entity, *property);
}

core::Status Properties::make_text(ecs::Entity entity, const PropertyRef& property, std::string_view json,
                                   std::byte* to) const {
  const std::byte* component = read(entity, property);
  if (component == nullptr) return not_there(entity, property);
  if (!in_use(property, component)) return unused(property, component);
  const core::Result<reflect::JsonValue> value = parse_json(json);
  if (!value) return value.error();
  const PropertyNode& node = property.node();
  if (node.computed != nullptr) return make_computed_text(entity, property, *value, to);
  std::memcpy(to, component, node.component->size);
  return write_text(*node.component, *node.tree, property.element_, *value, names_, to);
}

core::Status Properties::set_text(ecs::Entity entity, const PropertyRef& property, std::string_view json) {
  Scratch changed;
  if (core::Status made = make_text(entity, property, json, changed.bytes); !made) return made;
  write_made(entity, property, changed.bytes);
  return core::Done{};
}

core::Status Properties::set_text(ecs::Entity entity, const InstanceName& component, std::string_view path,
                                  std::string_view json) {
  const core::Result<PropertyRef> property = resolve(entity, component, path);
  if (!property) return property.error();
  return set_text(entity, *property, json);
}

core::Result<core::Bytes> Properties::preview_text(ecs::Entity entity, const InstanceName& component,
                                                   std::string_view path, std::string_view json) const {
  const core::Result<PropertyRef> property = resolve(entity, component, path);
  if (!property) return property.error();
  Scratch changed;
  if (core::Status made = make_text(entity, *property, json, changed.bytes); !made) return made.error();
  return core::Bytes(changed.bytes, changed.bytes + property->node().component->size);
}

// JSON functions see the value as a component with one field.
core::Status Properties::make_computed_text(ecs::Entity entity, const PropertyRef& property,
                                            const reflect::JsonValue& value, std::byte* to) const {
  const PropertyNode& node = property.node();
  if (node.read_only()) return read_only(node);
  Scratch made;
  const reflect::FieldNode tree{.name = node.field->path, .field = node.field, .array_count = 1, .children = {}};
  if (core::Status done = write_text(*node.component, tree, reflect::whole_array, value, names_, made.bytes); !done)
    return done;
  return make_computed(entity, property, made.bytes, to);
}

// What there is ----------------------------------------------------------------------------

core::Result<std::vector<PropertyInfo>> Properties::list(ecs::Entity entity) const {
  if (!registry_.valid(entity))
    return core::Error{"stale handle", core::format("entity {} is not alive", to_string(entity))};
  std::vector<PropertyInfo> all;
  const ecs::Registry& registry = registry_;
  for (const ecs::PoolId id : registry.prototypes().pools(registry.prototype(entity))) {
    const ecs::Pool& pool = registry.pool(id);
    for (const PropertyNode* node : table_.all(pool.type().id)) {
      all.push_back({.property = PropertyRef(*node, id, reflect::whole_array),
                     .component = pool.instance_name(),
                     .type = pool.type().name,
                     .path = node->path,
                     .field = *node->field,
                     .read_only = node->read_only(),
                     .computed = node->computed != nullptr});
    }
  }
  return all;
}

// Errors -----------------------------------------------------------------------------------

core::Error Properties::not_there(ecs::Entity entity, const PropertyRef& property) const {
  return no_component(entity, std::string_view(registry_.pool(property.pool_).instance_name()));
}

core::Error Properties::no_component(ecs::Entity entity, const InstanceName& component) const {
  if (!registry_.valid(entity)) return {"stale handle", core::format("entity {} is not alive", to_string(entity))};
  std::vector<std::string_view> known;
  const ecs::Registry& registry = registry_;
  for (const ecs::PoolId pool : registry.prototypes().pools(registry.prototype(entity)))
    known.push_back(registry.pool(pool).instance_name());
  const std::string name = component.text.empty() ? names_.text(component.id) : std::string(component.text);
  return {"no such component", core::format("entity {} has no component '{}'{}; it has {}", to_string(entity), name,
                                            core::did_you_mean(name, known),
                                            known.empty() ? "none" : core::format("{}", fmt::join(known, ", ")))};
}

core::Error Properties::unused(const PropertyRef& property, const std::byte* component) {
  const PropertyNode& node = property.node();
  return {"out of range",
          core::format("'{}' has {} elements in use; there is no element {}", node.path,
                       reflect::elements_in_use(*node.component, *node.array, component), property.element_)};
}

core::Error Properties::not_single(const PropertyRef& property) {
  const PropertyNode& node = property.node();
  const bool array = node.array != nullptr && property.element_ == reflect::whole_array;
  return {"wrong type", core::format("'{}' is {}, not one value", node.path.empty() ? node.component->name : node.path,
                                     array ? "an array" : "a struct")};
}

}  // namespace mobula::index
