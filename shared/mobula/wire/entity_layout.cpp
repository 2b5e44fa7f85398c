#include <algorithm>
#include <mobula/wire/entity_layout.hpp>

namespace mobula::wire {
namespace {

bool differ(std::span<const WordRange> cuts, const std::uint32_t* a, const std::uint32_t* b) {
  return std::ranges::any_of(
      cuts, [&](const WordRange& cut) { return !std::equal(a + cut.first, a + cut.first + cut.count, b + cut.first); });
}

// Returns whether `other` lacks a component of `state` that has cuts, or has other values in them.
bool has_cut_beside(const LaidOutState& state, const LaidOutState& other) {
  return std::ranges::any_of(state.layout->rows, [&](const EntityLayout::Row& row) {
    if (row.codec->cuts().empty()) return false;
    const EntityLayout::Row* const match = other.layout->find(row.codec);
    return match == nullptr || differ(row.codec->cuts(), state.words + row.first, other.words + match->first);
  });
}

}  // namespace

void EntityLayout::add(const RowCodec& codec) {
  rows.push_back({&codec, words});
  for (const WordRange& cut : codec.cuts()) cuts.push_back({words + cut.first, cut.count});
  words += codec.words();
  courses += static_cast<std::uint32_t>(codec.courses().size());
  extrapolates = extrapolates || std::ranges::any_of(codec.units(), &Unit::can_extrapolate);
  defaults.insert(defaults.end(), codec.default_words().begin(), codec.default_words().end());
  bits_max += codec.bits_max();
}

bool is_cut(const LaidOutState& earlier, const LaidOutState& later) {
  if (earlier.layout == later.layout) return differ(earlier.layout->cuts, earlier.words, later.words);
  return has_cut_beside(earlier, later) || has_cut_beside(later, earlier);
}

}  // namespace mobula::wire
