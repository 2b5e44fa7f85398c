#include <cstring>
#include <mobula/core/format.hpp>
#include <mobula/resource/component_compiler.hpp>
#include <mobula/resource/field_tree.hpp>
#include <mobula/resource/field_value.hpp>

namespace mobula::resource {
namespace {

// Fills one component's bytes from JSON.
class RowWriter {
 public:
  RowWriter(const reflect::Component& component, ComponentContext& context, std::byte* row)
      : component_(component), context_(context), row_(row) {}

  // `element`: which of an array of structs; 0 elsewhere.
  void apply(const FieldNode& node, const JsonValue& value, std::uint32_t element) {
    if (node.array_count > 1 && !in_array_) return struct_array(node, value);
    if (node.field == nullptr) return structure(node, value, element);
    if (node.field->count > 1 && !in_array_) return array(*node.field, value);
    leaf(*node.field, value, element);
  }

  void structure(const FieldNode& node, const JsonValue& value, std::uint32_t element) {
    if (value.kind == JsonValue::Kind::object) return object(node, value, element);
    if (value.kind != JsonValue::Kind::array) {
      return context_.error(value.place,
                            core::format("'{}' is {}; expected {}", node.name, describe(value.kind), shape(node)));
    }
    if (value.items.size() != node.children.size()) {
      return context_.error(
          value.place, core::format("'{}' has {} values; expected {}", node.name, value.items.size(), shape(node)));
    }
    for (std::size_t i = 0; i < value.items.size(); ++i) apply(node.children[i], value.items[i], element);
  }

 private:
  void object(const FieldNode& node, const JsonValue& value, std::uint32_t element) {
    for (const JsonMember& member : value.members) {
      if (member.name.starts_with('$')) continue;
      if (const FieldNode* child = node.find(member.name)) {
        apply(*child, member.value, element);
      } else {
        unknown_field(node, member);
      }
    }
  }

  void unknown_field(const FieldNode& node, const JsonMember& member) {
    std::vector<std::string_view> names;
    for (const FieldNode& child : node.children) names.push_back(child.name);
    context_.error(member.place, core::format("'{}' is no field of {}{}; expected one of {}", member.name,
                                              node.name.empty() ? component_.name : node.name,
                                              did_you_mean(member.name, names), fmt::join(names, ", ")));
  }

  // "[x, y, z] or {"x": …}"
  static std::string shape(const FieldNode& node) {
    std::vector<std::string_view> names;
    for (const FieldNode& child : node.children) names.push_back(child.name);
    return core::format("[{}] or {{\"{}\": …}}", fmt::join(names, ", "), names.front());
  }

  void struct_array(const FieldNode& node, const JsonValue& value) {
    const FieldNode* leaf = &node;
    while (leaf->field == nullptr) leaf = &leaf->children.front();
    if (!array_fits(node.name, value, node.array_count, leaf->field->count_field >= 0)) return;
    in_array_ = true;
    for (std::uint32_t i = 0; i < value.items.size(); ++i) structure(node, value.items[i], i);
    in_array_ = false;
    count_elements(*leaf->field, value);
  }

  void array(const reflect::Field& field, const JsonValue& value) {
    if (!array_fits(field.path, value, field.count, field.count_field >= 0)) return;
    for (std::uint32_t i = 0; i < value.items.size(); ++i) leaf(field, value.items[i], i);
    for (auto i = static_cast<std::uint32_t>(value.items.size()); i < field.count; ++i)
      std::memset(row_ + field.offset + i * field.stride, 0, field.size);
    count_elements(field, value);
  }

  // The field that counts a bounded array follows from the array.
  void count_elements(const reflect::Field& field, const JsonValue& array) {
    if (field.count_field < 0) return;
    const reflect::Field& counter = component_.fields[static_cast<std::size_t>(field.count_field)];
    leaf(counter, json_number(static_cast<double>(array.items.size()), array.place), 0);
  }

  bool array_fits(std::string_view name, const JsonValue& value, std::uint32_t count, bool fewer) {
    const std::string expected = core::format("an array of {}{} values", fewer ? "at most " : "", count);
    if (value.kind != JsonValue::Kind::array) {
      context_.error(value.place, core::format("'{}' is {}; expected {}", name, describe(value.kind), expected));
      return false;
    }
    if (value.items.size() == count || (fewer && value.items.size() < count)) return true;
    context_.error(value.place, core::format("'{}' has {} values; expected {}", name, value.items.size(), expected));
    return false;
  }

  void leaf(const reflect::Field& field, const JsonValue& value, std::uint32_t element) {
    const std::uint32_t offset = field.offset + element * field.stride;
    write_field(field, value, row_ + offset, offset, context_);
  }

  const reflect::Component& component_;
  ComponentContext& context_;
  std::byte* row_;
  bool in_array_ = false;
};

}  // namespace

void CompilerTable::add(std::string_view component_name, ComponentCompiler compiler) {
  MOBULA_ASSERT(compiler.compile != nullptr, "a compiler that compiles nothing");
  const bool added = compilers_.emplace(component_name, std::move(compiler)).second;
  MOBULA_ASSERT(added, "two compilers for component " + std::string(component_name));
}

const ComponentCompiler* CompilerTable::find(std::string_view component_name) const {
  const auto found = compilers_.find(component_name);
  return found == compilers_.end() ? nullptr : &found->second;
}

void compile_fields(const ComponentSource& source, ComponentContext& context, core::Bytes& out) {
  const reflect::Component& component = *source.component;
  const std::size_t start = out.size();
  out.insert(out.end(), component.default_value.begin(), component.default_value.end());
  RowWriter writer(component, context, out.data() + start);
  for (const JsonValue* layer : source.layers) writer.structure(context.fields(component), *layer, 0);
}

}  // namespace mobula::resource
