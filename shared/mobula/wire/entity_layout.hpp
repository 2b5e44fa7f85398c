// The rows of an entity's components, one after the other in the order of its prototype.
#pragma once

#include <cstdint>
#include <mobula/wire/row_codec.hpp>
#include <vector>

namespace mobula::wire {

// Of a prototype. The codecs stay where they are for as long as it is used.
struct EntityLayout {
  struct Row {
    const RowCodec* codec;
    std::uint32_t first;  // word
  };
  std::vector<Row> rows;
  std::vector<std::uint32_t> defaults;
  std::uint32_t words = 0;
  std::uint32_t bits_max = 0;  // no string takes more

  void add(const RowCodec& codec);
};

}  // namespace mobula::wire
