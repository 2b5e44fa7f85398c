// Random schemas and rows, for property tests.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/random.hpp>
#include <mobula/reflect/schema.hpp>
#include <string>

namespace mobula::test {

// Returns a text for load_schema: a component C with some of the fields a to h, counters n and m, enums E and F and a
// struct S, each random. Two of them have much in common.
std::string random_schema(core::Random& random);

// Writes a valid value of the field; often one at the limits.
void write_random_value(const reflect::Field& field, core::Random& random, std::byte* to);

// Returns a component of valid values with random padding.
core::Bytes random_row(const reflect::Component& component, core::Random& random);

}  // namespace mobula::test
