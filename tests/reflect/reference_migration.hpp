// The model beside reflect::Conversion and reflect::Migration: every value read, and written by write_value.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/reflect/schema.hpp>

namespace mobula::test {

// False if the new field cannot hold it; nothing is written then.
bool reference_convert(const reflect::Field& from, const reflect::Field& to, const std::byte* value, std::byte* into);

struct ReferenceRow {
  core::Bytes bytes;
  std::uint32_t lost = 0;
};

ReferenceRow reference_migrate(const reflect::Component& from, const reflect::Component& to, const core::Bytes& row);

}  // namespace mobula::test
