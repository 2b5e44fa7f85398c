#include <algorithm>
#include <cmath>
#include <limits>
#include <mobula/core/format.hpp>
#include <mobula/core/from_chars.hpp>
#include <mobula/index/property_text.hpp>
#include <mobula/reflect/field_json.hpp>
#include <mobula/resource/compiler/component_json.hpp>

namespace mobula::resource {
namespace {

using reflect::Component;
using reflect::Field;
using reflect::FieldKind;
using reflect::FieldNode;
using reflect::JsonMember;
using reflect::JsonValue;
using reflect::whole_array;
using Kind = JsonValue::Kind;

JsonValue json_of(Kind kind, std::string text = {}) {
  return {.kind = kind, .boolean = false, .place = {}, .text = std::move(text), .items = {}, .members = {}};
}

// Numbers are first read as doubles. The shortest text of a float may then exceed the greatest float, or round twice to
// an adjacent float. The float's exact decimal digits never do.
JsonValue json_of(float number) {
  std::string text = core::format("{}", number);
  double read = 0;
  core::from_chars(text.data(), text.data() + text.size(), read);
  const bool fits = std::abs(read) <= static_cast<double>(std::numeric_limits<float>::max());
  if (!fits || static_cast<float>(read) != number) text = core::format("{}", static_cast<double>(number));
  return json_of(Kind::number, std::move(text));
}

JsonValue json_of(const reflect::Quaternion& turn) {
  JsonValue list = json_of(Kind::array);
  for (const float part : turn) list.items.push_back(json_of(part));
  return list;
}

class FieldReader {
 public:
  FieldReader(const Component& component, const std::byte* row, FieldTexts& texts)
      : component_(component), row_(row), texts_(texts) {}

  // Returns nothing if JSON cannot express the field, or another field determines it.
  std::optional<JsonValue> read(const FieldNode& node, std::uint32_t element) {
    if (element == whole_array && (node.array_count > 1 || (node.field != nullptr && node.field->count > 1)))
      return list(node);
    if (node.field == nullptr) return object(node, element);
    const Field& field = *node.field;
    if (follows_from_list(field)) return std::nullopt;
    return leaf(field, field.offset + (element == whole_array ? 0 : element) * field.stride);
  }

  JsonValue object(const FieldNode& node, std::uint32_t element) {
    JsonValue object = json_of(Kind::object);
    for (const FieldNode& child : node.children)
      if (std::optional<JsonValue> value = read(child, element))
        object.members.push_back({child.name, {}, std::move(*value)});
    return &node != root_ && object.members.size() == node.children.size() && is_vector(object)
               ? as_list(std::move(object))
               : object;
  }

  JsonValue component(const FieldNode& tree) {
    root_ = &tree;
    return object(tree, whole_array);
  }

 private:
  static bool is_vector(const JsonValue& object) {
    return object.members.size() > 1 && std::ranges::all_of(object.members, [](const JsonMember& member) {
             return member.name.size() == 1 && member.value.kind == Kind::number;
           });
  }

  static JsonValue as_list(JsonValue object) {
    JsonValue list = json_of(Kind::array);
    for (JsonMember& member : object.members) list.items.push_back(std::move(member.value));
    return list;
  }

  // An array of one element is written as that element, which does not determine the count.
  [[nodiscard]] bool follows_from_list(const Field& field) const {
    return std::ranges::any_of(component_.fields, [&](const Field& each) {
      return each.count > 1 && each.count_field >= 0 &&
             &component_.fields[static_cast<std::size_t>(each.count_field)] == &field;
    });
  }

  std::optional<JsonValue> list(const FieldNode& node) {
    const FieldNode* leaf = &node;
    while (leaf->field == nullptr) leaf = &leaf->children.front();
    JsonValue list = json_of(Kind::array);
    const std::uint32_t count = reflect::elements_in_use(component_, *leaf->field, row_);
    for (std::uint32_t i = 0; i < count; ++i) {
      std::optional<JsonValue> item = read(node, i);
      if (!item) return std::nullopt;
      list.items.push_back(std::move(*item));
    }
    return list;
  }

  std::optional<JsonValue> leaf(const Field& field, std::uint32_t offset) {
    const std::byte* const at = row_ + offset;
    if (field.kind == FieldKind::entity) {
      std::optional<std::string> path = texts_.path(offset);
      return path ? json_of(Kind::string, std::move(*path)) : json_of(Kind::null);
    }
    if (field.kind == FieldKind::string_id) {
      const auto name = texts_.name(core::StringId32(core::load<std::uint32_t>(at)), field);
      return name ? std::optional(json_of(Kind::string, std::string(*name))) : std::nullopt;
    }
    if (field.kind == FieldKind::float32) return json_of(core::load<float>(at));
    if (field.kind == FieldKind::unit_quaternion) return json_of(core::load<reflect::Quaternion>(at));
    std::string text;
    index::append_json(field, at, no_names_, text);
    const bool number = field.enum_values.empty() && (is_integer(field.kind) || is_float(field.kind));
    return number ? json_of(Kind::number, std::move(text)) : *index::parse_json(text);
  }

  const Component& component_;
  const std::byte* row_;
  FieldTexts& texts_;
  const index::NameTable no_names_;
  const FieldNode* root_ = nullptr;
};

// Writes names as hashes and counts paths.
class Again final : public reflect::JsonContext {
 public:
  void refuse(reflect::Place /*place*/, core::Error /*error*/) override { refused = true; }
  void write_name(const Field& /*field*/, const JsonValue& value, std::byte* to) override {
    core::store(to, core::StringId32(value.text).value);
  }
  void write_entity(const Field& /*field*/, std::uint32_t /*offset*/, const JsonValue& value,
                    std::byte* /*to*/) override {
    references += value.kind == Kind::string ? 1 : 0;
  }

  bool refused = false;
  std::size_t references = 0;
};

}  // namespace

JsonValue component_json(const Component& component, const FieldNode& tree, const std::byte* row, FieldTexts& texts) {
  return FieldReader(component, row, texts).component(tree);
}

bool recompiles_to(const Component& component, const FieldNode& tree, const JsonValue& json, const std::byte* row,
                   std::size_t references) {
  core::Bytes made = component.default_value;
  Again again;
  reflect::write_json(component, tree, whole_array, json, made.data(), again);
  return !again.refused && again.references == references && std::equal(made.begin(), made.end(), row);
}

}  // namespace mobula::resource
