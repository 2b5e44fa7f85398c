#include <mobula/core/format.hpp>
#include <mobula/index/property.hpp>

namespace mobula::index {
namespace {

using reflect::Field;
using reflect::FieldKind;

std::string_view name_of(FieldKind kind) {
  static constexpr std::string_view names[] = {"bool",    "int8",     "uint8",  "int16",  "uint16",
                                               "int32",   "uint32",   "int64",  "uint64", "float32",
                                               "float64", "rotation", "entity", "text",   "name"};
  static_assert(std::size(names) == reflect::field_kind_count);
  return names[static_cast<std::size_t>(kind)];
}

std::string describe_element(const Field& field) {
  if (!field.enum_values.empty()) {
    std::vector<std::string_view> names;
    for (const reflect::EnumValue& value : field.enum_values) names.push_back(value.name);
    return core::format("one of {}", fmt::join(names, ", "));
  }
  if (field.kind == FieldKind::fixed_string) return core::format("text of at most {} bytes", field.size);
  std::string text(name_of(field.kind));
  if (field.ranged) text += core::format(", {} to {}", field.low, field.high);
  if (field.ranged && reflect::is_float(field.kind)) text += core::format(" in steps of {}", field.step);
  return text;
}

}  // namespace

PropertyRef::PropertyRef(const PropertyNode& node, ecs::PoolId pool, std::uint32_t element)
    : node_(&node), pool_(pool), element_(element) {
  if (node.field == nullptr || node.computed != nullptr) return;
  offset_ = node.field->offset + (element == reflect::whole_array ? 0 : element * node.field->stride);
}

std::string describe_type(const Field& field) {
  if (field.count == 1) return describe_element(field);
  return core::format("{}{} × {}", field.count_field >= 0 ? "at most " : "", field.count, describe_element(field));
}

core::Result<PropertyAddress> parse_property_address(std::string_view text) {
  const std::size_t first = text.find('/');
  const std::string_view rest = first == std::string_view::npos ? std::string_view() : text.substr(first + 1);
  const std::optional<ecs::Entity> entity = ecs::parse_entity(text.substr(0, first));
  const std::size_t second = rest.find('/');
  const std::string_view component = rest.substr(0, second);
  if (!entity || component.empty()) {
    return core::Error{"bad address", core::format("'{}' is not a property; expected HANDLE/COMPONENT/PATH, such as "
                                                   "12.1/Transform/position.x",
                                                   text)};
  }
  return PropertyAddress{*entity, component, second == std::string_view::npos ? "" : rest.substr(second + 1)};
}

}  // namespace mobula::index
