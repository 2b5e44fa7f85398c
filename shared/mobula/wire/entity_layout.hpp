// Layout of an entity: the rows of its components, in the order of its prototype.
#pragma once

#include <cstdint>
#include <mobula/wire/row_codec.hpp>
#include <vector>

namespace mobula::wire {

/// Layout of a prototype. Its codecs must outlive it.
struct EntityLayout {
  struct Row {
    const RowCodec* codec;
    std::uint32_t first;  // word
  };
  std::vector<Row> rows;
  std::vector<std::uint32_t> defaults;
  std::uint32_t words = 0;
  std::uint32_t bits_max = 0;  // upper bound for the bits of an encoded entity (reflect/sent_size.hpp)

  /// Appends a component's row.
  void add(const RowCodec& codec);
};

}  // namespace mobula::wire
