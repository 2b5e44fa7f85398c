// Finds the fields that attributes `velocity` name, once all components are described.
//
// A velocity has the shape of the value: a float for a float, for a struct one with the same floats. That of a rotation
// is a struct of three floats x, y, z: about these axes of the space that the rotation leads to.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/reflect/schema.hpp>
#include <span>

namespace mobula::reflect {

/// Sets where the velocity is of each field that has one. Errors: "bad schema".
core::Status find_velocities(std::span<Component> components);

}  // namespace mobula::reflect
