// Schemas and rows nobody thought of, for tests of what must hold for all of them.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/random.hpp>
#include <mobula/reflect/schema.hpp>
#include <string>

namespace mobula::test {

// For load_schema: a component C with some of the fields a to h, counters n and m, enums E and F and a struct S, each
// anew. Two of them have much in common.
std::string random_schema(core::Random& random);

// A value that is good in the field; often one at the edge.
void write_random_value(const reflect::Field& field, core::Random& random, std::byte* to);

// A component of good values, with anything in its padding.
core::Bytes random_row(const reflect::Component& component, core::Random& random);

}  // namespace mobula::test
