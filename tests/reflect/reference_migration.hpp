// Reference model of reflect::Conversion and reflect::Migration: reads every value, and writes it by write_value.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/reflect/migration.hpp>

namespace mobula::test {

// Writes nothing if the result is not_at_all.
reflect::Converted reference_convert(const reflect::Field& from, const reflect::Field& to, const std::byte* value,
                                     std::byte* into);

struct ReferenceRow {
  core::Bytes bytes;
  reflect::Repairs repairs;
};

ReferenceRow reference_migrate(const reflect::Component& from, const reflect::Component& to, const core::Bytes& row);

}  // namespace mobula::test
