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
using reflect::Field;
using reflect::FieldKind;
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

std::int32_t index_of(const Component& component, const Field& field) {
  return static_cast<std::int32_t>(&field - component.fields.data());
}

// Returns the number of elements for the new counter. Nothing if no field determines it.
std::optional<std::uint64_t> reference_count(const Component& from, const Component& to, const Field& counter,
                                             const std::byte* row, std::uint32_t& lost) {
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
  if (!reference_convert(*was, wide, row + was->offset, reinterpret_cast<std::byte*>(&number)))
    return ++lost, std::nullopt;
  if (number > counter.high) ++lost;
  return number;
}

}  // namespace

bool reference_convert(const Field& from, const Field& to, const std::byte* value, std::byte* into) {
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

ReferenceRow reference_migrate(const Component& from, const Component& to, const core::Bytes& row) {
  ReferenceRow result{to.default_value, 0};
  std::byte* bytes = result.bytes.data();
  std::set<const Field*> counters;
  for (const Field& field : to.fields)
    if (field.count_field >= 0) counters.insert(&to.fields[static_cast<std::size_t>(field.count_field)]);
  for (const Field* counter : counters) {
    const auto count = reference_count(from, to, *counter, row.data(), result.lost);
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
      if (!reference_convert(*was, field, value, bytes + field.offset + i * field.stride)) ++result.lost;
    }
  }
  result.lost += static_cast<std::uint32_t>(cut.size());
  return result;
}

}  // namespace mobula::test
