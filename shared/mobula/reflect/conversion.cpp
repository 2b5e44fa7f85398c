#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mobula/reflect/conversion.hpp>
#include <mobula/reflect/value.hpp>

namespace mobula::reflect {
namespace {

bool is_enum(const Field& field) { return !field.enum_values.empty(); }
bool is_number(FieldKind kind) { return kind <= FieldKind::float64; }

const EnumValue* find_value(const Field& field, std::string_view name) {
  const auto found = std::ranges::find(field.enum_values, name, &EnumValue::name);
  return found == field.enum_values.end() ? nullptr : &*found;
}

struct Bounds {
  double low;
  double high;
};

Bounds bounds_of(const Field& field) {
  if (field.ranged) return {field.low, field.high};
  if (is_float(field.kind)) return {-HUGE_VAL, HUGE_VAL};
  const auto bits = static_cast<int>(8 * field.size);
  if (integer_fits(-1, field.kind)) return {-std::ldexp(1.0, bits - 1), std::ldexp(1.0, bits - 1) - 1};
  return {0, std::ldexp(1.0, bits) - 1};
}

// Returns whether each value of the old enum is valid in the new field, with the same meaning in an enum.
bool holds_enum(const Field& from, const Field& to) {
  return std::ranges::all_of(from.enum_values, [&](const EnumValue& each) {
    if (!is_enum(to)) return value_is_good(to, reinterpret_cast<const std::byte*>(&each.value));
    const EnumValue* now = find_value(to, each.name);
    return now != nullptr && now->value == each.value;
  });
}

bool holds_all(const Field& from, const Field& to) {
  if (from.kind != to.kind || from.size != to.size) return false;
  if (is_enum(from)) return holds_enum(from, to);
  if (is_enum(to)) return false;
  if (!to.ranged) return true;
  const Bounds had = bounds_of(from);
  return had.low >= to.low && had.high <= to.high;
}

// Returns whether a number is representable in another type, approximately for floats.
template <class To, class From>
bool represents(From number) {
  if constexpr (std::is_same_v<From, bool>) {
    return true;
  } else if constexpr (std::is_same_v<To, bool>) {
    return number == From{0} || number == From{1};
  } else if constexpr (std::is_integral_v<From>) {
    if constexpr (std::is_integral_v<To>) return std::in_range<To>(number);
    return true;
  } else if constexpr (std::is_integral_v<To>) {
    const double beyond = std::ldexp(1.0, std::numeric_limits<To>::digits);
    return std::trunc(number) == number && number < beyond && number >= (std::is_signed_v<To> ? -beyond : 0.0);
  } else {
    return std::fabs(number) <= static_cast<double>(std::numeric_limits<To>::max());  // false for NaN
  }
}

// Returns the nearest number of another type for one that it cannot represent. Nothing for NaN, and for a bool.
template <class To, class From>
std::optional<To> nearest(From number) {
  using Limits = std::numeric_limits<To>;
  if constexpr (std::is_same_v<To, bool> || std::is_same_v<From, bool>) {
    return std::nullopt;
  } else if constexpr (std::is_integral_v<From>) {
    return std::cmp_less(number, 0) ? Limits::lowest() : Limits::max();
  } else {
    if (std::isnan(number)) return std::nullopt;
    if constexpr (std::is_integral_v<To>)
      if (represents<To>(std::round(number))) return static_cast<To>(std::round(number));
    return number < 0 ? Limits::lowest() : Limits::max();
  }
}

template <class To>
std::optional<To> nearest_at(const Field& field, const std::byte* at) {
  const auto convert = []<class From>(const From& number) -> std::optional<To> {
    if constexpr (std::is_arithmetic_v<From>) return nearest<To>(number);
    return std::nullopt;
  };
  return std::visit(convert, read_value(field, at));
}

template <class To>
std::optional<To> number_at(const Field& field, const std::byte* at) {
  const auto convert = []<class From>(const From& number) -> std::optional<To> {
    if constexpr (std::is_arithmetic_v<From>)
      if (represents<To>(number)) return static_cast<To>(number);
    return std::nullopt;
  };
  return std::visit(convert, read_value(field, at));
}

std::string_view read_text(const Field& field, const std::byte* at) {
  return std::get<std::string_view>(read_value(field, at));
}

}  // namespace

struct Conversion::Ways {
  static Converted none(const Conversion& /*field*/, const std::byte* /*from*/, std::byte* /*to*/) {
    return Converted::not_at_all;
  }

  static Converted copy(const Conversion& field, const std::byte* from, std::byte* to) {
    std::memcpy(to, from, field.to_->size);
    return Converted::exactly;
  }

  // No value of an enum is near another.
  template <class To>
  static Converted number(const Conversion& field, const std::byte* from, std::byte* to) {
    std::optional<To> number = number_at<To>(*field.from_, from);
    const bool exact = number.has_value();
    if (!exact && !is_enum(*field.to_)) number = nearest_at<To>(*field.from_, from);
    if (!number) return Converted::not_at_all;
    core::store(to, *number);
    return exact ? Converted::exactly : Converted::to_nearest;
  }

  static Converted enumerated(const Conversion& field, const std::byte* from, std::byte* to) {
    const Value value = read_value(*field.from_, from);
    const auto* natural = std::get_if<std::uint64_t>(&value);
    const std::int64_t bits = natural != nullptr ? static_cast<std::int64_t>(*natural) : std::get<std::int64_t>(value);
    const auto found = std::ranges::find(field.enumerated_, bits, &std::pair<std::int64_t, std::int64_t>::first);
    if (found == field.enumerated_.end()) return Converted::not_at_all;
    std::memcpy(to, &found->second, field.to_->size);
    return Converted::exactly;
  }

  static Converted text(const Conversion& field, const std::byte* from, std::byte* to) {
    const std::string_view text = read_text(*field.from_, from);
    if (text.size() > field.to_->size) return Converted::not_at_all;
    std::memset(to, 0, field.to_->size);
    std::memcpy(to, text.data(), text.size());
    return Converted::exactly;
  }

  static Converted name(const Conversion& field, const std::byte* from, std::byte* to) {
    core::store(to, core::StringId32(read_text(*field.from_, from)));
    return Converted::exactly;
  }

  static Converted name_of_value(const Conversion& field, const std::byte* from, std::byte* to) {
    const EnumValue* value = find_value(*field.to_, read_text(*field.from_, from));
    if (value == nullptr) return Converted::not_at_all;
    std::memcpy(to, &value->value, field.to_->size);
    return Converted::exactly;
  }

  static Way from_text(const Field& to) {
    if (to.kind == FieldKind::fixed_string) return &text;
    if (to.kind == FieldKind::string_id) return &name;
    return is_enum(to) ? &name_of_value : &none;
  }

  static Way choose(const Field& from, const Field& to) {
    // In the order of FieldKind.
    static constexpr Way to_number[] = {
        &number<bool>,          &number<std::int8_t>,  &number<std::uint8_t>,  &number<std::int16_t>,
        &number<std::uint16_t>, &number<std::int32_t>, &number<std::uint32_t>, &number<std::int64_t>,
        &number<std::uint64_t>, &number<float>,        &number<double>,
    };
    static_assert(std::size(to_number) == static_cast<std::size_t>(FieldKind::float64) + 1);
    if (is_enum(from) && is_enum(to)) return &enumerated;
    if (from.kind == FieldKind::fixed_string) return from_text(to);
    if (from.kind == to.kind) return &copy;
    if (is_number(from.kind) && is_number(to.kind)) return to_number[static_cast<std::size_t>(to.kind)];
    return &none;
  }
};

Conversion::Conversion(const Field& from, const Field& to)
    : from_(&from), to_(&to), way_(Ways::choose(from, to)), certain_(holds_all(from, to)) {
  if (!is_enum(from) || !is_enum(to)) return;
  for (const EnumValue& each : from.enum_values)
    if (const EnumValue* now = find_value(to, each.name)) enumerated_.emplace_back(each.value, now->value);
}

bool Conversion::possible() const { return way_ != &Ways::none; }

Converted Conversion::apply(const std::byte* from, std::byte* to) const {
  const Converted converted = way_(*this, from, to);
  if (converted == Converted::not_at_all || certain_ || value_is_good(*to_, to)) return converted;
  return clamp_value(*to_, to) ? Converted::to_nearest : Converted::not_at_all;
}

std::optional<std::uint32_t> whole_number(const Field& field, const std::byte* at) {
  return number_at<std::uint32_t>(field, at);
}

}  // namespace mobula::reflect
