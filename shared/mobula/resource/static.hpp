// Static data of a level, such as a line or a grid of obstacles.
#pragma once

#include <cstdint>
#include <mobula/core/bytes.hpp>
#include <mobula/core/string_id.hpp>

namespace mobula::resource {

/// Static data shared by all instances that refer to it by the hash of its content.
struct Static {
  std::uint64_t id = 0;
  core::StringId32 type;  // kind of the data
  core::ByteView data;    // 16-aligned
};

/// Returns XXH3-64 of the data, seeded with the type. Equal data has equal ids on every machine.
std::uint64_t static_id(core::StringId32 type, core::ByteView data);

}  // namespace mobula::resource
