// Reference model of reflect::Conversion and reflect::Migration: reads every value, and writes it by write_value.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/reflect/schema.hpp>

namespace mobula::test {

// Returns false, and writes nothing, if the new field cannot hold the value.
bool reference_convert(const reflect::Field& from, const reflect::Field& to, const std::byte* value, std::byte* into);

struct ReferenceRow {
  core::Bytes bytes;
  std::uint32_t lost = 0;
};

ReferenceRow reference_migrate(const reflect::Component& from, const reflect::Component& to, const core::Bytes& row);

}  // namespace mobula::test
