// The model beside reflect::Conversion and reflect::Migration: every value read, and written by write_value.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/reflect/schema.hpp>

namespace mobula::test {

// False if the new field cannot hold it; nothing is written then.
bool naive_convert(const reflect::Field& from, const reflect::Field& to, const std::byte* value, std::byte* into);

struct NaiveRow {
  core::Bytes bytes;
  std::uint32_t lost = 0;
};

NaiveRow naive_migrate(const reflect::Component& from, const reflect::Component& to, const core::Bytes& row);

}  // namespace mobula::test
