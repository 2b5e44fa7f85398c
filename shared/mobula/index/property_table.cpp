#include <algorithm>
#include <charconv>
#include <mobula/core/did_you_mean.hpp>
#include <mobula/core/format.hpp>
#include <mobula/index/property_table.hpp>
#include <mobula/reflect/value.hpp>

namespace mobula::index {
namespace {

using reflect::Field;
using reflect::FieldKind;
using reflect::FieldNode;
using reflect::whole_array;

const Field& first_leaf(const FieldNode& tree) {
  const FieldNode* node = &tree;
  while (node->field == nullptr) node = &node->children.front();
  return *node->field;
}

std::uint32_t size_of(FieldKind kind) {
  switch (kind) {
    case FieldKind::boolean:
    case FieldKind::int8:
    case FieldKind::uint8: return 1;
    case FieldKind::int16:
    case FieldKind::uint16: return 2;
    case FieldKind::int64:
    case FieldKind::uint64:
    case FieldKind::float64:
    case FieldKind::entity: return 8;
    case FieldKind::unit_quaternion: return 16;
    case FieldKind::fixed_string: return 0;  // depends on the field
    default: return 4;
  }
}

}  // namespace

PropertyTable::PropertyTable(const reflect::Schema& schema) {
  for (const reflect::Component& component : schema.components()) {
    auto type = std::make_unique<Type>(Type{&component, reflect::field_tree(component), {}, {}});
    add_tree(*type, type->tree, "");
    types_.emplace(component.id, std::move(type));
  }
}

void PropertyTable::add_tree(Type& type, const FieldNode& tree, const std::string& path) {
  const auto place = type.nodes.emplace(path, PropertyNode{}).first;
  PropertyNode& node = place->second;
  node.path = place->first;
  node.component = type.component;
  node.tree = &tree;
  node.field = tree.field;
  const Field& leaf = first_leaf(tree);
  if (leaf.count > 1 && path.size() >= leaf.array_at) node.array = &leaf;
  for (const FieldNode& child : tree.children)
    add_tree(type, child, path.empty() ? child.name : path + '.' + child.name);
}

core::Status PropertyTable::add(std::string_view component, ComputedProperty property) {
  const auto found = types_.find(core::StringId32(component));
  if (found == types_.end())
    return core::Error{"unknown component", core::format("the schema has no component '{}'", component)};
  Type& type = *found->second;
  Field& value = property.value;
  if (value.kind != FieldKind::fixed_string) value.size = size_of(value.kind);
  value.offset = 0;
  value.stride = value.size;
  const bool good = property.get != nullptr && value.count == 1 && value.count_field < 0 && value.size > 0 &&
                    value.size <= reflect::Limits::component_bytes && !value.path.empty() &&
                    value.path.find('[') == std::string::npos;
  if (!good)
    return core::Error{"bad property",
                       core::format("'{}' needs a getter, a path and a size, and must not be an array", value.path)};
  const auto [place, added] = type.nodes.try_emplace(value.path);
  if (!added)
    return core::Error{"name collision", core::format("{} has a property '{}' already", component, value.path)};
  const ComputedProperty& kept = type.computed.emplace_back(std::move(property));
  PropertyNode& node = place->second;
  node.path = place->first;
  node.component = type.component;
  node.field = &kept.value;
  node.computed = &kept;
  return core::Done{};
}

core::Result<PropertyTable::Found> PropertyTable::find(const ecs::Pool& pool, std::string_view path) const {
  const auto type = types_.find(pool.type().id);
  if (type == types_.end()) {
    return core::Error{"no such property", core::format("component type {} of {} is not in the schema",
                                                        pool.type().name, pool.instance_name())};
  }
  const auto found = type->second->nodes.find(path);
  if (found == type->second->nodes.end()) {
    if (path.find('[') == std::string_view::npos) return unknown(*type->second, pool, path);
    core::Result<Found> element = find_element(*type->second, path);
    if (element && element->node == nullptr) return unknown(*type->second, pool, path);
    return element;
  }
  const PropertyNode& node = found->second;
  if (node.field == nullptr && node.array != nullptr && node.array->array_at < path.size()) {
    const std::string_view array = path.substr(0, node.array->array_at);
    return core::Error{"no such property",
                       core::format("'{}' is an array; expected {}[0]{}", array, array, path.substr(array.size()))};
  }
  return Found{&node, whole_array};
}

// Finds "several[1].weight", and "several.weight[1]" too. Found::node is null if there is no such element.
core::Result<PropertyTable::Found> PropertyTable::find_element(const Type& type, std::string_view path) {
  const std::size_t open = path.find('[');
  const std::size_t close = path.find(']', open);
  std::uint32_t element = 0;
  const char* const digits = path.data() + open + 1;
  if (close == std::string_view::npos) return Found{nullptr, 0};
  const auto read = std::from_chars(digits, path.data() + close, element);
  if (read.ec == std::errc::invalid_argument || read.ptr != path.data() + close) return Found{nullptr, 0};
  const std::string plain = std::string(path.substr(0, open)) + std::string(path.substr(close + 1));
  const auto found = type.nodes.find(plain);
  if (found == type.nodes.end()) return Found{nullptr, 0};
  const PropertyNode& node = found->second;
  if (node.array == nullptr || (open != node.array->array_at && (node.field == nullptr || open != plain.size())))
    return core::Error{"no such property", core::format("'{}' is not an array", path.substr(0, open))};
  if (read.ec != std::errc() || element >= node.array->count) {
    return core::Error{"out of range", core::format("'{}' is out of range: there are {} elements, from 0 to {}", path,
                                                    node.array->count, node.array->count - 1)};
  }
  return Found{&node, element};
}

core::Error PropertyTable::unknown(const Type& type, const ecs::Pool& pool, std::string_view path) {
  std::vector<std::string_view> known;
  for (const auto& [name, node] : type.nodes)
    if (!name.empty()) known.push_back(name);
  std::sort(known.begin(), known.end());
  return {"no such property", core::format("component {} has no property '{}'{}", pool.instance_name(), path,
                                           core::did_you_mean(path, known))};
}

std::vector<const PropertyNode*> PropertyTable::all(core::StringId32 type) const {
  std::vector<const PropertyNode*> nodes;
  const auto found = types_.find(type);
  if (found == types_.end()) return nodes;
  for (const Field& field : found->second->component->fields)
    nodes.push_back(&found->second->nodes.find(field.path)->second);
  for (const ComputedProperty& computed : found->second->computed)
    nodes.push_back(&found->second->nodes.find(computed.value.path)->second);
  return nodes;
}

}  // namespace mobula::index
