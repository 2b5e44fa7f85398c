#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <mobula/core/format.hpp>
#include <mobula/resource/field_value.hpp>
#include <mobula/resource/yaw.hpp>

namespace mobula::resource {
namespace {

using reflect::Field;
using reflect::FieldKind;

// A field and the value that is to go there.
struct Writer {
  const Field& field;
  const JsonValue& value;
  std::byte* to;
  ComponentContext& context;

  bool is(JsonValue::Kind kind, std::string_view expected) const {
    if (value.kind == kind) return true;
    context.error(value.place, core::format("'{}' is {}; expected {}", field.path, describe(value.kind), expected));
    return false;
  }

  void out_of_range(std::string_view written, double low, double high) const {
    context.error(value.place,
                  core::format("'{}' is out of range: {}; expected {} to {}", field.path, written, low, high));
  }

  bool in_schema_range(double number) const {
    if (!field.ranged || (number >= field.low && number <= field.high)) return true;
    out_of_range(value.text, field.low, field.high);
    return false;
  }

  void boolean() const {
    if (is(JsonValue::Kind::boolean, "true or false")) core::store(to, static_cast<std::uint8_t>(value.boolean));
  }

  template <class Integer>
  void integer() const {
    if (!field.enum_values.empty()) return enum_name<Integer>();
    if (!is(JsonValue::Kind::number, "a whole number")) return;
    Integer number{};
    const char* end = value.text.data() + value.text.size();
    const auto read = std::from_chars(value.text.data(), end, number);
    const bool whole = value.text.find_first_of(".eE") == std::string::npos;
    if (!whole) {
      context.error(value.place, core::format("'{}' is {}; expected a whole number", field.path, value.text));
    } else if (read.ec != std::errc() || read.ptr != end) {
      context.error(value.place, core::format("'{}' is out of range: {}; expected {} to {}", field.path, value.text,
                                              std::numeric_limits<Integer>::min() + Integer{},
                                              std::numeric_limits<Integer>::max() + Integer{}));
    } else if (in_schema_range(static_cast<double>(number))) {
      core::store(to, number);
    }
  }

  template <class Integer>
  void enum_name() const {
    if (!is(JsonValue::Kind::string, "the name of a value, such as \"" + field.enum_values.front().name + "\"")) return;
    std::vector<std::string_view> names;
    for (const reflect::EnumValue& each : field.enum_values) {
      if (each.name == value.text) return core::store(to, static_cast<Integer>(each.value));
      names.push_back(each.name);
    }
    context.error(value.place, core::format("'{}' has no value '{}'{}; expected {}", field.path, value.text,
                                            did_you_mean(value.text, names), fmt::join(names, ", ")));
  }

  // A finite number within the field's limits.
  template <class Float>
  void real() const {
    if (!is(JsonValue::Kind::number, "a number")) return;
    double number = 0;
    const auto read = std::from_chars(value.text.data(), value.text.data() + value.text.size(), number);
    const auto narrow = static_cast<Float>(number);
    if (read.ec != std::errc() || !std::isfinite(narrow))
      return out_of_range(value.text, std::numeric_limits<Float>::lowest(), std::numeric_limits<Float>::max());
    if (in_schema_range(number)) core::store(to, narrow);
  }

  void string_id() const {
    if (is(JsonValue::Kind::string, "a name")) core::store(to, context.string_id(value.text, value.place).value);
  }

  void fixed_string() const {
    if (!is(JsonValue::Kind::string, "text")) return;
    if (value.text.size() > field.size) {
      context.error(value.place, core::format("'{}' is too long: {} bytes; expected at most {}", field.path,
                                              value.text.size(), field.size));
    } else if (value.text.find('\0') != std::string::npos) {
      context.error(value.place, core::format("'{}' holds a zero byte; expected text", field.path));
    } else {
      std::memset(to, 0, field.size);
      std::memcpy(to, value.text.data(), value.text.size());
    }
  }

  // [x, y, z, w], or {"yaw": degrees}.
  void quaternion() const {
    if (value.kind == JsonValue::Kind::object) return yaw();
    if (!is(JsonValue::Kind::array, "[x, y, z, w] or {\"yaw\": degrees}")) return;
    if (value.items.size() != 4) {
      return context.error(value.place,
                           core::format("'{}' has {} values; expected [x, y, z, w]", field.path, value.items.size()));
    }
    std::array<double, 4> parts{};
    double squares = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      if (!plain_number(value.items[i], parts[i])) return;
      squares += parts[i] * parts[i];
    }
    if (!(std::fabs(squares - 1) < 0.001))
      return context.error(value.place, core::format("'{}' is no rotation: its length is not 1", field.path));
    const double length = std::sqrt(squares);
    for (std::size_t i = 0; i < 4; ++i) core::store(to + 4 * i, static_cast<float>(parts[i] / length));
  }

  void yaw() const {
    double degrees = 0;
    if (value.members.size() != 1 || value.members.front().name != "yaw") {
      return context.error(
          value.place, core::format("'{}' is an object; expected [x, y, z, w] or {{\"yaw\": degrees}}", field.path));
    }
    if (!plain_number(value.members.front().value, degrees)) return;
    const YawQuaternion turned = quaternion_of_yaw(degrees);
    const std::array<float, 4> parts{0, static_cast<float>(turned.y), 0, static_cast<float>(turned.w)};
    core::store(to, parts);
  }

  bool plain_number(const JsonValue& part, double& number) const {
    if (part.kind != JsonValue::Kind::number) {
      context.error(part.place, core::format("'{}' is {}; expected a number", field.path, describe(part.kind)));
      return false;
    }
    const auto read = std::from_chars(part.text.data(), part.text.data() + part.text.size(), number);
    if (read.ec == std::errc() && std::fabs(number) <= 1e6) return true;
    context.error(part.place, core::format("'{}' is out of range: {}", field.path, part.text));
    return false;
  }
};

}  // namespace

void write_field(const Field& field, const JsonValue& value, std::byte* to, std::uint32_t offset,
                 ComponentContext& context) {
  const Writer writer{field, value, to, context};
  switch (field.kind) {
    case FieldKind::boolean: return writer.boolean();
    case FieldKind::int8: return writer.integer<std::int8_t>();
    case FieldKind::uint8: return writer.integer<std::uint8_t>();
    case FieldKind::int16: return writer.integer<std::int16_t>();
    case FieldKind::uint16: return writer.integer<std::uint16_t>();
    case FieldKind::int32: return writer.integer<std::int32_t>();
    case FieldKind::uint32: return writer.integer<std::uint32_t>();
    case FieldKind::int64: return writer.integer<std::int64_t>();
    case FieldKind::uint64: return writer.integer<std::uint64_t>();
    case FieldKind::float32: return writer.real<float>();
    case FieldKind::float64: return writer.real<double>();
    case FieldKind::unit_quaternion: return writer.quaternion();
    case FieldKind::entity: return context.reference(offset, value);
    case FieldKind::fixed_string: return writer.fixed_string();
    case FieldKind::string_id: return writer.string_id();
  }
}

}  // namespace mobula::resource
