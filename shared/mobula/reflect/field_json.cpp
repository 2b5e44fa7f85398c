#include <algorithm>
#include <charconv>
#include <cmath>
#include <mobula/core/did_you_mean.hpp>
#include <mobula/core/format.hpp>
#include <mobula/reflect/field_json.hpp>
#include <mobula/reflect/json_number.hpp>
#include <mobula/reflect/yaw.hpp>

namespace mobula::reflect {
namespace {

using Kind = JsonValue::Kind;

// Converts one JSON value to a Value of the field. Errors are reported.
class LeafReader {
 public:
  LeafReader(const Field& field, const JsonValue& value, JsonContext& context)
      : field_(field), value_(value), context_(context) {}

  // Returns false on an error.
  bool read(Value& into) {
    switch (field_.kind) {
      case FieldKind::boolean: return is(Kind::boolean, "true or false") && take(into, value_.boolean);
      case FieldKind::fixed_string: return is(Kind::string, "text") && take(into, std::string_view(value_.text));
      case FieldKind::unit_quaternion: return value_.kind == Kind::object ? yaw(into) : quaternion(into);
      default: break;
    }
    if (!field_.enum_values.empty()) return enum_name(into);
    return is_float(field_.kind) ? real(into) : integer(into);
  }

 private:
  static bool take(Value& into, Value value) {
    into = value;
    return true;
  }

  bool refuse(core::Error error) {
    context_.refuse(value_.place, std::move(error));
    return false;
  }

  bool is(Kind kind, std::string_view expected) {
    return value_.kind == kind || refuse(wrong_type(field_, describe(value_.kind), expected));
  }

  bool enum_name(Value& into) {
    if (value_.kind == Kind::string) return take(into, std::string_view(value_.text));
    return is(Kind::string, core::format("the name of a value, such as \"{}\"", field_.enum_values.front().name));
  }

  bool integer(Value& into) {
    if (!is(Kind::number, "a whole number")) return false;
    const std::optional<std::string> digits = whole_digits(value_.text);
    if (!digits) return refuse(wrong_type(field_, value_.text, "a whole number"));
    std::int64_t negative = 0;
    std::uint64_t natural = 0;
    if (digits->starts_with('-') && parse(*digits, negative)) return take(into, negative);
    if (parse(*digits, natural)) return take(into, natural);
    return refuse(beyond_range(field_, value_.text));  // no kind can hold it
  }

  template <class Number>
  static bool parse(std::string_view text, Number& number) {
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    return read.ec == std::errc() && read.ptr == text.data() + text.size();
  }

  bool real(Value& into) {
    if (!is(Kind::number, "a number")) return false;
    return take(into, read_json_number(value_.text));  // too large for a double is too large for every field
  }

  // Reads [x, y, z, w] and normalises it with all written digits.
  bool quaternion(Value& into) {
    if (!is(Kind::array, "[x, y, z, w] or {\"yaw\": degrees}")) return false;
    if (value_.items.size() != 4) {
      return refuse(
          {"wrong type", core::format("'{}' has {} values; expected [x, y, z, w]", field_.path, value_.items.size())});
    }
    std::array<double, 4> parts{};
    double squares = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      if (!plain_number(value_.items[i], parts[i])) return false;
      squares += parts[i] * parts[i];
    }
    // Lengths that are wrong stay, for write_value to refuse.
    const double length = std::sqrt(squares);
    const bool inexact = is_rotation_length(length) && std::fabs(squares - 1) > 1e-6;
    Quaternion turn{};
    for (std::size_t i = 0; i < 4; ++i) turn[i] = static_cast<float>(inexact ? parts[i] / length : parts[i]);
    return take(into, turn);
  }

  bool yaw(Value& into) {
    double degrees = 0;
    if (value_.members.size() != 1 || value_.members.front().name != "yaw") {
      return refuse({"wrong type",
                     core::format("'{}' is an object; expected [x, y, z, w] or {{\"yaw\": degrees}}", field_.path)});
    }
    if (!plain_number(value_.members.front().value, degrees)) return false;
    const YawQuaternion turned = quaternion_of_yaw(degrees);
    return take(into, Quaternion{0, static_cast<float>(turned.y), 0, static_cast<float>(turned.w)});
  }

  bool plain_number(const JsonValue& part, double& number) {
    if (part.kind != Kind::number) {
      context_.refuse(part.place, wrong_type(field_, describe(part.kind), "a number"));
      return false;
    }
    number = read_json_number(part.text);
    if (std::fabs(number) <= 1e6) return true;
    context_.refuse(part.place, out_of_range(field_, part.text, "-1000000 to 1000000"));
    return false;
  }

  const Field& field_;
  const JsonValue& value_;
  JsonContext& context_;
};

// Writes the bytes of one component.
class RowWriter {
 public:
  RowWriter(const Component& component, JsonContext& context, std::byte* row)
      : component_(component), context_(context), row_(row) {}

  void element(const FieldNode& node, const JsonValue& value, std::uint32_t which) {
    in_array_ = true;
    apply(node, value, which);
  }

  // `element` is the index in an array of structs, 0 elsewhere.
  void apply(const FieldNode& node, const JsonValue& value, std::uint32_t element) {
    if (node.array_count > 1 && !in_array_) return struct_array(node, value);
    if (node.field == nullptr) return structure(node, value, element);
    if (node.field->count > 1 && !in_array_) return array(node, value);
    leaf(*node.field, value, element);
  }

 private:
  void structure(const FieldNode& node, const JsonValue& value, std::uint32_t element) {
    if (value.kind == Kind::object) return object(node, value, element);
    const std::string_view name = node.name.empty() ? component_.name : node.name;
    if (value.kind != Kind::array) {
      return refuse(value.place, "wrong type",
                    core::format("'{}' is {}; expected {}", name, describe(value.kind), shape(node)));
    }
    if (value.items.size() != node.children.size()) {
      return refuse(value.place, "wrong type",
                    core::format("'{}' has {} values; expected {}", name, value.items.size(), shape(node)));
    }
    for (std::size_t i = 0; i < value.items.size(); ++i) apply(node.children[i], value.items[i], element);
  }

  void refuse(Place place, const char* reason, std::string message) {
    context_.refuse(place, {reason, std::move(message)});
  }

  void object(const FieldNode& node, const JsonValue& value, std::uint32_t element) {
    for (const JsonMember& member : value.members) {
      if (const FieldNode* child = node.find(member.name)) {
        apply(*child, member.value, element);
      } else if (!context_.passes(member.name)) {
        unknown_field(node, member);
      }
    }
  }

  void unknown_field(const FieldNode& node, const JsonMember& member) {
    const std::vector<std::string_view> names = children_of(node);
    refuse(member.place, "no such property",
           core::format("'{}' is not a field of {}{}; expected one of {}", member.name,
                        node.name.empty() ? component_.name : node.name, core::did_you_mean(member.name, names),
                        fmt::join(names, ", ")));
  }

  static std::vector<std::string_view> children_of(const FieldNode& node) {
    std::vector<std::string_view> names;
    for (const FieldNode& child : node.children) names.push_back(child.name);
    return names;
  }

  // "[x, y, z] or {"x": …}"
  static std::string shape(const FieldNode& node) {
    const std::vector<std::string_view> names = children_of(node);
    return core::format("[{}] or {{\"{}\": …}}", fmt::join(names, ", "), names.front());
  }

  void struct_array(const FieldNode& node, const JsonValue& value) {
    const FieldNode* leaf = &node;
    while (leaf->field == nullptr) leaf = &leaf->children.front();
    if (!array_fits(node.name, value, node.array_count, leaf->field->count_field >= 0)) return;
    in_array_ = true;
    for (std::uint32_t i = 0; i < value.items.size(); ++i) structure(node, value.items[i], i);
    in_array_ = false;
    end_list(node, *leaf->field, value);
  }

  void array(const FieldNode& node, const JsonValue& value) {
    const Field& field = *node.field;
    if (field.array_at < field.path.size()) return column(field, value);
    if (!array_fits(field.path, value, field.count, field.count_field >= 0)) return;
    for (std::uint32_t i = 0; i < value.items.size(); ++i) leaf(field, value.items[i], i);
    end_list(node, field, value);
  }

  // One field of each struct of an array; the list does not determine the count.
  void column(const Field& field, const JsonValue& value) {
    if (!array_fits(field.path, value, elements_in_use(component_, field, row_), false)) return;
    for (std::uint32_t i = 0; i < value.items.size(); ++i) leaf(field, value.items[i], i);
  }

  // The list determines the count of a bounded array.
  void end_list(const FieldNode& array, const Field& field, const JsonValue& list) {
    if (field.count_field < 0) return;
    const auto count = static_cast<std::uint32_t>(list.items.size());
    reset_from(array, count);
    leaf(component_.fields[static_cast<std::size_t>(field.count_field)], json_number(count, list.place), 0);
  }

  void reset_from(const FieldNode& node, std::uint32_t first) {
    for (const FieldNode& child : node.children) reset_from(child, first);
    if (node.field == nullptr) return;
    const Field& field = *node.field;
    for (std::uint32_t i = first; i < field.count; ++i) {
      const std::uint32_t offset = field.offset + i * field.stride;
      std::memcpy(row_ + offset, component_.default_value.data() + offset, field.size);
    }
  }

  [[nodiscard]] bool counts_elements(const Field& field) const {
    return std::ranges::any_of(component_.fields, [&](const Field& each) {
      return each.count_field >= 0 && &component_.fields[static_cast<std::size_t>(each.count_field)] == &field;
    });
  }

  // A count must equal the lengths of its lists, in any order.
  void agree(const Field& counter, std::uint64_t count, Place place) {
    const auto found = std::ranges::find(counts_, &counter, &std::pair<const Field*, std::uint64_t>::first);
    if (found == counts_.end()) return counts_.emplace_back(&counter, count), void();
    if (found->second == count) return;
    refuse(
        place, "out of range",
        core::format("'{}' would be {} and {}; expected one number of elements", counter.path, found->second, count));
  }

  bool array_fits(std::string_view name, const JsonValue& value, std::uint32_t count, bool fewer) {
    const std::string expected = core::format("an array of {}{} values", fewer ? "at most " : "", count);
    if (value.kind != Kind::array) {
      refuse(value.place, "wrong type", core::format("'{}' is {}; expected {}", name, describe(value.kind), expected));
      return false;
    }
    if (value.items.size() == count || (fewer && value.items.size() < count)) return true;
    refuse(value.place, "out of range",
           core::format("'{}' has {} values; expected {}", name, value.items.size(), expected));
    return false;
  }

  void leaf(const Field& field, const JsonValue& value, std::uint32_t element) {
    if (!context_.writable(field, value.place)) return;
    const std::uint32_t offset = field.offset + element * field.stride;
    std::byte* to = row_ + offset;
    if (field.kind == FieldKind::string_id) return context_.write_name(field, value, to);
    if (field.kind == FieldKind::entity) return context_.write_entity(field, offset, value, to);
    Value read;
    if (!LeafReader(field, value, context_).read(read)) return;
    const std::string_view written = value.kind == Kind::number ? std::string_view(value.text) : std::string_view();
    if (core::Status done = write_value(field, read, to, written); !done)
      context_.refuse(value.place, done.error());
    else if (counts_elements(field))
      agree(field, std::get<std::uint64_t>(read_value(field, to)), value.place);
  }

  const Component& component_;
  JsonContext& context_;
  std::byte* row_;
  bool in_array_ = false;
  std::vector<std::pair<const Field*, std::uint64_t>> counts_;  // written counters and their values
};

}  // namespace

void write_json(const Component& component, const FieldNode& node, std::uint32_t element, const JsonValue& value,
                std::byte* row, JsonContext& context) {
  RowWriter writer(component, context, row);
  element == whole_array ? writer.apply(node, value, 0) : writer.element(node, value, element);
}

}  // namespace mobula::reflect
