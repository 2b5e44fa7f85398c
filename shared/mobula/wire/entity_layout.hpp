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
  std::vector<WordRange> cuts;  // places of the fields that are `cut`
  std::vector<std::uint32_t> defaults;
  std::uint32_t words = 0;
  std::uint32_t courses = 0;   // number of units that follow courses
  bool extrapolates = false;   // a unit may be extrapolated
  std::uint32_t bits_max = 0;  // upper bound for the bits of an encoded entity (reflect/sent_size.hpp)

  /// Appends a component's row.
  void add(const RowCodec& codec);
  /// Returns the row of a component. Null if there is none.
  [[nodiscard]] const Row* find(const RowCodec* codec) const {
    for (const Row& row : rows)
      if (row.codec == codec) return &row;
    return nullptr;
  }
};

/// State of an entity, in a layout.
struct LaidOutState {
  const EntityLayout* layout;
  const std::uint32_t* words;
};

/// Returns whether a cut lies between two states of an entity, so that no value is blended between them. It does if a
/// field marked `cut` differs, or if only one of the states has its component. Both layouts have the codecs of one
/// SchemaCodecs.
[[nodiscard]] bool is_cut(const LaidOutState& earlier, const LaidOutState& later);

}  // namespace mobula::wire
