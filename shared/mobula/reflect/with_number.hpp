// The C++ type of each kind of number.
#pragma once

#include <cstdint>
#include <mobula/reflect/schema.hpp>

namespace mobula::reflect {

/// Returns number(T{}) with the C++ type T of a kind of number, and other() for every other kind.
template <class Number, class Other>
auto with_number(FieldKind kind, Number&& number, Other&& other) {
  switch (kind) {
    case FieldKind::int8: return number(std::int8_t{});
    case FieldKind::uint8: return number(std::uint8_t{});
    case FieldKind::int16: return number(std::int16_t{});
    case FieldKind::uint16: return number(std::uint16_t{});
    case FieldKind::int32: return number(std::int32_t{});
    case FieldKind::uint32: return number(std::uint32_t{});
    case FieldKind::int64: return number(std::int64_t{});
    case FieldKind::uint64: return number(std::uint64_t{});
    case FieldKind::float32: return number(float{});
    case FieldKind::float64: return number(double{});
    default: return other();
  }
}

}  // namespace mobula::reflect
