#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mobula/reflect/value.hpp>
#include <optional>
#include <reflect/reference_migration.hpp>
#include <set>
#include <utility>

namespace mobula::test {
namespace {

using reflect::Component;
using reflect::Converted;
using reflect::Field;
using reflect::FieldKind;
using reflect::Repairs;
using reflect::Value;

// Converts a value to what write_value accepts, where that is stricter than a migration.
Value adapted(const Field& to, const Value& value) {
  if (const bool* truth = std::get_if<bool>(&value); truth != nullptr && to.kind <= FieldKind::float64) {
    if (to.kind != FieldKind::boolean) return std::uint64_t{*truth ? 1u : 0u};
  }
  if (to.kind == FieldKind::boolean) {
    if (value == Value(std::int64_t{0}) || value == Value(std::uint64_t{0}) || value == Value(0.0)) return false;
    if (value == Value(std::int64_t{1}) || value == Value(std::uint64_t{1}) || value == Value(1.0)) return true;
  }
  if (const double* real = std::get_if<double>(&value); real != nullptr && is_integer(to.kind)) {
    if (*real != std::floor(*real)) return value;
    if (*real >= 0 && *real < 18446744073709551616.0) return static_cast<std::uint64_t>(*real);
    if (*real < 0 && *real >= -9223372036854775808.0) return static_cast<std::int64_t>(*real);
  }
  return value;
}

bool convert_exactly(const Field& from, const Field& to, const std::byte* value, std::byte* into) {
  if (from.kind == FieldKind::unit_quaternion && to.kind == FieldKind::unit_quaternion) {
    std::memcpy(into, value, 16);  // write_value would normalise it
    return true;
  }
  Value read = reflect::read_value(from, value);
  if (!from.enum_values.empty() && !to.enum_values.empty()) {
    const auto name = reflect::enum_name(from, read);
    return name && reflect::write_value(to, *name, into).ok();
  }
  return reflect::write_value(to, adapted(to, read), into).ok();
}

// Has 64 bits of precision, so it holds all numbers of fields.
using Wide = long double;

std::optional<Wide> wide_number(const Value& value) {
  return std::visit(
      []<class T>(const T& held) -> std::optional<Wide> {
        if constexpr (std::is_arithmetic_v<T>) return static_cast<Wide>(held);
        return std::nullopt;
      },
      value);
}

std::pair<Wide, Wide> bounds_of(const Field& field) {
  const bool single = field.kind == FieldKind::float32;
  if (field.ranged && single) return {static_cast<float>(field.low), static_cast<float>(field.high)};
  if (field.ranged) return {field.low, field.high};
  if (single) return {std::numeric_limits<float>::lowest(), std::numeric_limits<float>::max()};
  if (field.kind == FieldKind::float64)
    return {std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max()};
  const auto bits = static_cast<int>(8 * field.size);
  const Wide half = std::ldexp(Wide{1}, bits - 1);
  const bool is_signed = field.kind == FieldKind::int8 || field.kind == FieldKind::int16 ||
                         field.kind == FieldKind::int32 || field.kind == FieldKind::int64;
  if (is_signed) return {-half, half - 1};
  return {0, half * 2 - 1};
}

bool convert_to_nearest(const Field& from, const Field& to, const std::byte* value, std::byte* into) {
  if (!to.enum_values.empty() || to.kind == FieldKind::boolean || to.kind > FieldKind::float64) return false;
  std::optional<Wide> number = wide_number(reflect::read_value(from, value));
  if (!number || std::isnan(*number)) return false;
  if (is_integer(to.kind)) number = std::round(*number);
  const auto [low, high] = bounds_of(to);
  const Wide nearest = std::clamp(*number, low, high);
  const Value written = !is_integer(to.kind) ? Value(static_cast<double>(nearest))
                        : nearest < 0        ? Value(static_cast<std::int64_t>(nearest))
                                             : Value(static_cast<std::uint64_t>(nearest));
  return reflect::write_value(to, written, into).ok();
}

std::int32_t index_of(const Component& component, const Field& field) {
  return static_cast<std::int32_t>(&field - component.fields.data());
}

// Returns the number of elements for the new counter. Nothing if no field determines it.
std::optional<std::uint64_t> reference_count(const Component& from, const Component& to, const Field& counter,
                                             const std::byte* row, Repairs& repairs) {
  std::optional<std::uint64_t> bounded;
  std::optional<std::uint64_t> unbounded;
  for (const Field& array : to.fields) {
    if (array.count_field != index_of(to, counter)) continue;
    const Field* was = from.find_field(array.path);
    if (was == nullptr) continue;
    std::optional<std::uint64_t>& most = was->count_field >= 0 ? bounded : unbounded;
    most = std::max<std::uint64_t>(most.value_or(0), reflect::elements_in_use(from, *was, row));
  }
  if (bounded) return bounded;
  const Field* was = from.find_field(counter.path);
  if (was == nullptr) return unbounded;
  Field wide = counter;
  wide.kind = FieldKind::uint32;
  wide.size = 4;
  wide.ranged = false;
  std::uint32_t number = 0;
  if (!convert_exactly(*was, wide, row + was->offset, reinterpret_cast<std::byte*>(&number)))
    return ++repairs.lost, std::nullopt;
  if (number > counter.high) ++repairs.nearest;
  return number;
}

}  // namespace

Converted reference_convert(const Field& from, const Field& to, const std::byte* value, std::byte* into) {
  if (convert_exactly(from, to, value, into)) return Converted::exactly;
  return convert_to_nearest(from, to, value, into) ? Converted::to_nearest : Converted::not_at_all;
}

ReferenceRow reference_migrate(const Component& from, const Component& to, const core::Bytes& row) {
  ReferenceRow result{to.default_value, {}};
  std::byte* bytes = result.bytes.data();
  std::set<const Field*> counters;
  for (const Field& field : to.fields)
    if (field.count_field >= 0) counters.insert(&to.fields[static_cast<std::size_t>(field.count_field)]);
  for (const Field* counter : counters) {
    const auto count = reference_count(from, to, *counter, row.data(), result.repairs);
    if (!count) continue;
    const std::uint64_t held = std::min(*count, static_cast<std::uint64_t>(counter->high));
    EXPECT_TRUE(reflect::write_value(*counter, held, bytes + counter->offset).ok());
  }
  std::set<std::pair<std::int32_t, std::uint32_t>> cut;  // list, room
  for (const Field& field : to.fields) {
    const Field* was = from.find_field(field.path);
    if (was == nullptr || counters.contains(&field)) continue;
    const std::uint32_t in_use = reflect::elements_in_use(from, *was, row.data());
    if (was->count_field >= 0 && in_use > field.count) cut.emplace(was->count_field, field.count);
    for (std::uint32_t i = 0; i < std::min(in_use, reflect::elements_in_use(to, field, bytes)); ++i) {
      const std::byte* value = row.data() + was->offset + i * was->stride;
      result.repairs.add(reference_convert(*was, field, value, bytes + field.offset + i * field.stride));
    }
  }
  result.repairs.lost += static_cast<std::uint32_t>(cut.size());
  return result;
}

}  // namespace mobula::test
