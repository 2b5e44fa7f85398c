// Values of a component between two others. Floats are interpolated linearly, rotations along the shortest way. All
// other fields, arrays, and values that are not finite stay as they are.
#pragma once

#include <mobula/reflect/value.hpp>
#include <mobula/wire/row_codec.hpp>

namespace mobula::wire {

/// Interpolates a float, or a rotation, of which `from` and `to` are the bytes, and writes it. `part` is 0 at `from`.
using BlendField = void (*)(const std::byte* from, const std::byte* to, double part, std::byte* at);
/// Returns how a field of this kind is interpolated; null if it is not.
BlendField blend_of(reflect::FieldKind kind);

/// Returns whether a field has one value of its own and is sent, so that it can be interpolated.
bool is_single_field(const reflect::Field& field);
/// Interpolates the fields of a component from those that `component` holds to those of `to`.
void blend_fields(const reflect::Component& type, const std::byte* to, double part, std::byte* component);
/// Returns whether a unit is a rotation in smallest-three form, which is interpolated as words.
bool is_turning(const reflect::Component& type, const Unit& unit);
/// Interpolates the words of such a unit onto those of the earlier state. `to` are words of the unit.
void turn_words(const Unit& unit, const std::uint32_t* to, double part, std::uint32_t* onto);

}  // namespace mobula::wire
