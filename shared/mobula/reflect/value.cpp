#include <algorithm>
#include <cmath>
#include <limits>
#include <mobula/core/did_you_mean.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/reflect/value.hpp>
#include <mobula/reflect/with_number.hpp>

namespace mobula::reflect {
namespace {

std::string_view text_at(const Field& field, const std::byte* at) {
  const std::string_view all(reinterpret_cast<const char*>(at), field.size);
  return all.substr(0, all.find('\0'));
}

std::string text_of(const Value& value) {
  return std::visit(
      [](const auto& held) -> std::string {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, std::string_view>) {
          return std::string(held);
        } else if constexpr (std::is_arithmetic_v<T>) {
          return core::format("{}", held);
        } else {
          return std::string(describe(Value(held)));
        }
      },
      value);
}

// Returns whether a number is in the field's range. Bounds of integers are whole, at most 2^53.
template <class Number>
bool in_bounds(const Field& field, Number number) {
  if (!field.ranged) return true;
  if constexpr (std::is_floating_point_v<Number>) {
    // Converts the bounds to the number's type, because they may be inexact in binary.
    return number >= static_cast<Number>(field.low) && number <= static_cast<Number>(field.high);
  } else {
    return std::cmp_greater_equal(number, static_cast<std::int64_t>(field.low)) &&
           std::cmp_less_equal(number, static_cast<std::int64_t>(field.high));
  }
}

template <class Number>
bool number_is_good(const Field& field, const std::byte* at) {
  const auto number = core::load<Number>(at);
  if constexpr (std::is_floating_point_v<Number>) {
    return std::isfinite(number) && in_bounds(field, number);
  } else {
    if (field.enum_values.empty()) return in_bounds(field, number);
    return std::ranges::find(field.enum_values, static_cast<std::int64_t>(number), &EnumValue::value) !=
           field.enum_values.end();
  }
}

template <class Number>
bool clamp_number(const Field& field, std::byte* at) {
  auto number = core::load<Number>(at);
  if constexpr (std::is_floating_point_v<Number>) {
    if (std::isnan(number)) return false;
    using Limits = std::numeric_limits<Number>;
    number = std::clamp(number, field.ranged ? static_cast<Number>(field.low) : Limits::lowest(),
                        field.ranged ? static_cast<Number>(field.high) : Limits::max());
  } else if (field.ranged) {
    if (std::cmp_less(number, static_cast<std::int64_t>(field.low))) number = static_cast<Number>(field.low);
    if (std::cmp_greater(number, static_cast<std::int64_t>(field.high))) number = static_cast<Number>(field.high);
  }
  core::store(at, number);
  return true;
}

// Tolerates more than write_value: a computed and stored rotation no longer has exactly length 1.
bool rotation_is_good(const std::byte* at) {
  float squares = 0;
  for (const float part : core::load<Quaternion>(at)) squares += part * part;
  return std::fabs(squares - 1.0f) < 0.01f;  // false for NaN
}

// Checks for text followed by zeros.
bool text_is_good(const Field& field, const std::byte* at) {
  const std::string_view text = text_at(field, at);
  const auto is_zero = [](std::byte each) { return each == std::byte{0}; };
  return core::is_utf8(text) && std::all_of(at + text.size(), at + field.size, is_zero);
}

std::string names_of(const Field& field) {
  std::vector<std::string_view> names;
  for (const EnumValue& each : field.enum_values) names.push_back(each.name);
  return core::format("{}", fmt::join(names, ", "));
}

// A field and the destination of its value.
struct Writer {
  const Field& field;
  const Value& value;
  std::byte* to;
  std::string_view written;

  [[nodiscard]] std::string as_written() const { return written.empty() ? text_of(value) : std::string(written); }
  [[nodiscard]] core::Error beyond() const { return beyond_range(field, as_written()); }
  [[nodiscard]] core::Error wrong(std::string_view expected) const {
    return wrong_type(field, std::holds_alternative<double>(value) ? as_written() : std::string(describe(value)),
                      expected);
  }

  // Writes a kind with a single alternative of Value.
  template <class Held, class Stored>
  [[nodiscard]] core::Status same(std::string_view expected) const {
    const auto* held = std::get_if<Held>(&value);
    if (held == nullptr) return wrong_type(field, describe(value), expected);
    core::store(to, static_cast<Stored>(*held));
    return core::Done{};
  }

  template <class Number>
  [[nodiscard]] core::Status numeric() const {
    if constexpr (std::is_floating_point_v<Number>) {
      return real<Number>();
    } else {
      return integer<Number>();
    }
  }

  template <class Integer>
  [[nodiscard]] core::Status integer() const {
    if (!field.enum_values.empty()) return enumerated<Integer>();
    if (const auto* number = std::get_if<std::int64_t>(&value)) return in_range<Integer>(*number);
    if (const auto* number = std::get_if<std::uint64_t>(&value)) return in_range<Integer>(*number);
    return wrong("a whole number");
  }

  template <class Integer, class Wide>
  [[nodiscard]] core::Status in_range(Wide number) const {
    if (!std::in_range<Integer>(number) || !in_bounds(field, number)) return beyond();
    core::store(to, static_cast<Integer>(number));
    return core::Done{};
  }

  // Writes a value of the enum, by name or number.
  template <class Integer>
  [[nodiscard]] core::Status enumerated() const {
    if (const auto* name = std::get_if<std::string_view>(&value)) return named<Integer>(*name);
    const auto find = [&](auto number) -> core::Status {
      for (const EnumValue& each : field.enum_values) {
        if (!std::in_range<Integer>(number)) break;
        if (static_cast<Integer>(each.value) != static_cast<Integer>(number)) continue;
        core::store(to, static_cast<Integer>(number));
        return core::Done{};
      }
      return out_of_range(field, as_written(), names_of(field));
    };
    if (const auto* number = std::get_if<std::int64_t>(&value)) return find(*number);
    if (const auto* number = std::get_if<std::uint64_t>(&value)) return find(*number);
    return wrong(core::format("the name of a value, such as \"{}\"", field.enum_values.front().name));
  }

  template <class Integer>
  [[nodiscard]] core::Status named(std::string_view name) const {
    std::vector<std::string_view> names;
    for (const EnumValue& each : field.enum_values) {
      if (each.name == name) {
        core::store(to, static_cast<Integer>(each.value));
        return core::Done{};
      }
    }
    for (const EnumValue& each : field.enum_values) names.push_back(each.name);
    return core::Error{"out of range", core::format("'{}' has no value '{}'{}; expected {}", field.path, name,
                                                    core::did_you_mean(name, names), fmt::join(names, ", "))};
  }

  // Writes a finite number within the field's limits in the field's own type.
  template <class Float>
  [[nodiscard]] core::Status real() const {
    double number = 0;
    if (const auto* given = std::get_if<double>(&value)) {
      number = *given;
    } else if (const auto* whole_number = std::get_if<std::int64_t>(&value)) {
      number = static_cast<double>(*whole_number);
    } else if (const auto* natural = std::get_if<std::uint64_t>(&value)) {
      number = static_cast<double>(*natural);
    } else {
      return wrong("a number");
    }
    // Checked before the conversion, which is undefined for values that do not fit. The shortest text of the greatest
    // float is slightly larger, and rounds to it.
    constexpr double end = std::is_same_v<Float, float> ? 0x1.ffffffp127 : std::numeric_limits<double>::infinity();
    if (!(std::fabs(number) < end)) return beyond();
    const auto narrow = static_cast<Float>(number);
    if (!in_bounds(field, narrow)) return beyond();
    core::store(to, narrow);
    return core::Done{};
  }

  [[nodiscard]] core::Status string_id() const {
    if (const auto* name = std::get_if<std::string_view>(&value)) {
      core::store(to, core::StringId32(*name).value);
      return core::Done{};
    }
    const auto* id = std::get_if<core::StringId32>(&value);
    if (id == nullptr) return wrong("a name");
    core::store(to, id->value);
    return core::Done{};
  }

  [[nodiscard]] core::Status fixed_string() const {
    const auto* text = std::get_if<std::string_view>(&value);
    if (text == nullptr) return wrong("text");
    if (text->size() > field.size) {
      return core::Error{"out of range", core::format("'{}' is too long: {} bytes; expected at most {}", field.path,
                                                      text->size(), field.size)};
    }
    if (text->find('\0') != std::string_view::npos)
      return core::Error{"not text", core::format("'{}' holds a zero byte; expected text", field.path)};
    if (!core::is_utf8(*text))
      return core::Error{"not text", core::format("'{}' is not UTF-8; expected text", field.path)};
    std::memset(to, 0, field.size);
    std::memcpy(to, text->data(), text->size());
    return core::Done{};
  }

  [[nodiscard]] core::Status quaternion() const {
    const auto* parts = std::get_if<Quaternion>(&value);
    if (parts == nullptr) return wrong("a rotation");
    double squares = 0;
    for (const float part : *parts) squares += static_cast<double>(part) * static_cast<double>(part);
    const double length = std::sqrt(squares);
    if (!is_rotation_length(length)) {
      return core::Error{"out of range", core::format("'{}' is not a rotation: its length is {:.4g}; expected 0.98 to "
                                                      "1.02",
                                                      field.path, length)};
    }
    Quaternion turn = *parts;
    // A rotation that is normalised within float precision stays unchanged, so that a read value can be written back.
    if (std::fabs(squares - 1) > 1e-6) {
      for (float& part : turn) part = static_cast<float>(static_cast<double>(part) / length);
    }
    core::store(to, turn);
    return core::Done{};
  }
};

}  // namespace

std::uint32_t elements_in_use(const Component& component, const Field& field, const std::byte* row) {
  if (field.count_field < 0) return field.count;
  const Field& counter = component.fields[static_cast<std::size_t>(field.count_field)];
  const std::byte* at = row + counter.offset;
  const std::uint32_t count = counter.size == 1   ? core::load<std::uint8_t>(at)
                              : counter.size == 2 ? core::load<std::uint16_t>(at)
                                                  : core::load<std::uint32_t>(at);
  return std::min(count, field.count);  // memory may hold any number
}

Value read_value(const Field& field, const std::byte* at) {
  const auto other = [&]() -> Value {
    switch (field.kind) {
      case FieldKind::unit_quaternion: return core::load<Quaternion>(at);
      case FieldKind::entity: return core::load<ecs::Entity>(at);
      case FieldKind::fixed_string: return text_at(field, at);
      case FieldKind::string_id: return core::StringId32(core::load<std::uint32_t>(at));
      default: return at[0] != std::byte{0};  // a bool, whose memory may hold any byte
    }
  };
  return with_number(field.kind, [&]<class T>(T) { return to_value(core::load<T>(at)); }, other);
}

bool value_is_good(const Field& field, const std::byte* at) {
  const auto other = [&] {
    switch (field.kind) {
      case FieldKind::boolean: return core::load<std::uint8_t>(at) <= 1;
      case FieldKind::unit_quaternion: return rotation_is_good(at);
      case FieldKind::fixed_string: return text_is_good(field, at);
      default: return true;
    }
  };
  return with_number(field.kind, [&]<class T>(T) { return number_is_good<T>(field, at); }, other);
}

bool clamp_value(const Field& field, std::byte* at) {
  if (!field.enum_values.empty()) return false;
  return with_number(field.kind, [&]<class T>(T) { return clamp_number<T>(field, at); }, [] { return false; });
}

std::uint32_t repair_values(const Component& component, std::byte* row) {
  std::uint32_t changed = 0;
  for (const Field& field : component.fields) {
    for (std::uint32_t i = 0; i < field.count; ++i) {
      const std::uint32_t offset = field.offset + i * field.stride;
      if (value_is_good(field, row + offset)) continue;
      if (!clamp_value(field, row + offset))
        std::copy_n(component.default_value.data() + offset, field.size, row + offset);
      ++changed;
    }
  }
  return changed;
}

void reset_unsaved(const Component& component, std::byte* row) {
  for (const Field& field : component.fields) {
    for (std::uint32_t i = 0; field.not_saved && i < field.count; ++i) {
      const std::uint32_t offset = field.offset + i * field.stride;
      std::copy_n(component.default_value.data() + offset, field.size, row + offset);
    }
  }
}

core::Status write_value(const Field& field, const Value& value, std::byte* to, std::string_view written) {
  const Writer writer{field, value, to, written};
  const auto other = [&]() -> core::Status {
    switch (field.kind) {
      case FieldKind::boolean: return writer.same<bool, std::uint8_t>("true or false");
      case FieldKind::unit_quaternion: return writer.quaternion();
      case FieldKind::entity: return writer.same<ecs::Entity, ecs::Entity>("an entity");
      case FieldKind::fixed_string: return writer.fixed_string();
      default: return writer.string_id();
    }
  };
  return with_number(field.kind, [&]<class T>(T) { return writer.numeric<T>(); }, other);
}

core::Error wrong_type(const Field& field, std::string_view is, std::string_view expected) {
  return {"wrong type", core::format("'{}' is {}; expected {}", field.path, is, expected)};
}

core::Error out_of_range(const Field& field, std::string_view written, std::string_view expected) {
  return {"out of range", core::format("'{}' is out of range: {}; expected {}", field.path, written, expected)};
}

core::Error beyond_range(const Field& field, std::string_view written) {
  const auto of_kind = [&]<class T>(T) {
    if (field.ranged) return core::format("{} to {}", field.low, field.high);
    return core::format("{} to {}", +std::numeric_limits<T>::lowest(), +std::numeric_limits<T>::max());
  };
  return out_of_range(field, written, with_number(field.kind, of_kind, [] { return std::string("a number"); }));
}

std::string_view describe(const Value& value) {
  static constexpr std::string_view words[] = {"true or false", "a number",  "a number", "a number",
                                               "a rotation",    "an entity", "a name",   "text"};
  static_assert(std::size(words) == std::variant_size_v<Value>);
  return words[value.index()];
}

core::Result<std::string_view> enum_name(const Field& field, const Value& value) {
  if (field.enum_values.empty()) return wrong_type(field, describe(value), "an enum");
  const std::int64_t bits = std::holds_alternative<std::int64_t>(value)
                                ? std::get<std::int64_t>(value)
                                : static_cast<std::int64_t>(std::get<std::uint64_t>(value));
  for (const EnumValue& each : field.enum_values)
    if (each.value == bits) return std::string_view(each.name);
  return out_of_range(field, text_of(value), names_of(field));
}

namespace detail {

core::Error not_asked_for(const Field& field, const Value& value, std::string_view as) {
  return {"wrong type", core::format("'{}' is {}, not {}", field.path, describe(value), as)};
}

core::Error does_not_fit(const Field& field, const Value& value) {
  return {"out of range",
          core::format("'{}' is {}, which does not fit what was asked for", field.path, text_of(value))};
}

}  // namespace detail
}  // namespace mobula::reflect
