#include <algorithm>
#include <limits>
#include <mobula/core/assert.hpp>
#include <mobula/server/interest/interest_lines.hpp>

namespace mobula::server {
namespace {

constexpr float nowhere = std::numeric_limits<float>::quiet_NaN();

}  // namespace

std::uint32_t InterestLines::push(List& list, std::uint32_t index, const engine::Vec3& position) {
  if (list.size % lanes == 0) {
    const std::uint32_t line = take_line();
    next_[line] = list.first;
    list.first = line;
  }
  const std::uint32_t slot = list.first * lanes + list.size % lanes;
  ++list.size;
  lines_[list.first].index[slot % lanes] = index;
  set_position(slot, position);
  return slot;
}

InterestLines::Moved InterestLines::erase(List& list, std::uint32_t slot) {
  MOBULA_ASSERT(list.size > 0, "the list is not empty");
  const std::uint32_t last = list.first * lanes + in_first(list) - 1;
  Moved moved;
  if (slot != last) {
    moved = {index(last), slot};
    lines_[slot / lanes].index[slot % lanes] = moved.index;
    set_position(slot, position(last));
  }
  set_position(last, {nowhere, nowhere, nowhere});
  --list.size;
  if (list.size % lanes == 0) drop_first(list);
  return moved;
}

void InterestLines::clear(List& list) {
  while (list.first != none) drop_first(list);
  list.size = 0;
}

void InterestLines::drop_first(List& list) {
  const std::uint32_t line = list.first;
  list.first = next_[line];
  next_[line] = free_;
  free_ = line;
  ++free_count_;
}

std::uint32_t InterestLines::take_line() {
  std::uint32_t line = free_;
  if (line == none) {
    line = static_cast<std::uint32_t>(lines_.size());
    lines_.emplace_back();
    next_.push_back(none);
  } else {
    free_ = next_[line];
    --free_count_;
  }
  for (float* const axis : {lines_[line].x, lines_[line].y, lines_[line].z}) std::fill_n(axis, lanes, nowhere);
  return line;
}

}  // namespace mobula::server
