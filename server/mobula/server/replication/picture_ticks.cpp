#include <algorithm>
#include <bit>
#include <mobula/server/replication/picture_ticks.hpp>
#include <utility>

namespace mobula::server {

PictureTicks::State PictureTicks::state(std::uint32_t place) const {
  return {ticks_[place], has(owners_, place), of_level_ && place == 0};
}

std::uint32_t PictureTicks::begin_of_phase(std::uint32_t place) const {
  while (place > 0 && !has(begins_, place)) --place;
  return place;
}

void PictureTicks::begin_of_level(ecs::Tick tick) {
  clear();
  begin_phase(false);
  add(tick);
  of_level_ = true;
}

void PictureTicks::erase_oldest(std::uint32_t count) {
  if (count == 0) return;
  std::copy(ticks_.begin() + count, ticks_.begin() + count_, ticks_.begin());
  owners_ >>= count;
  begins_ >>= count;
  count_ = static_cast<std::uint8_t>(count_ - count);
  phase_ = static_cast<std::uint8_t>(phase_ - std::min<std::uint32_t>(count, phase_));
  of_level_ = bare_before_ = false;
  forgot_ = true;
}

void PictureTicks::add(ecs::Tick tick) {
  std::uint32_t place = count_;
  while (place > phase_ && ticks_[place - 1] > tick) --place;
  if (place > phase_ && ticks_[place - 1] == tick) return;
  if (count_ == ticks_max) {
    if (place == 0) return void(forgot_ = true);
    erase_oldest(1);
    --place;
  }
  const std::uint32_t below = (1u << place) - 1;
  const auto insert = [&](std::uint32_t bits, bool bit) {
    return (bits & below) | (bits & ~below) << 1 | (bit ? 1u << place : 0u);
  };
  std::copy_backward(ticks_.begin() + place, ticks_.begin() + count_, ticks_.begin() + count_ + 1);
  ticks_[place] = tick;
  owners_ = insert(owners_, phase_owner_);
  const bool begins = place == phase_;
  begins_ = insert(begins_, begins);
  ++count_;
  if (begins && place + 1u < count_) begins_ &= ~(1u << (place + 1));
}

PictureTicks::Around PictureTicks::around(double tick) const {
  std::uint32_t earlier = none;
  std::uint32_t later = none;
  std::uint32_t end = count_;
  std::uint32_t begin = phase_;
  while (end > 0 && earlier == none) {
    std::uint32_t place = begin;
    while (place < end && ticks_[place] <= tick) ++place;
    if (place < end) later = place;
    if (place > begin) earlier = place - 1;
    end = begin;
    if (end > 0) begin = begin_of_phase(end - 1);
  }
  const ecs::Tick newest = count_ > 0 ? ticks_[count_ - 1u] : 0;
  bool certain = true;
  if (earlier == none) {
    if (bare_before_)
      return {.earlier = {}, .later = {}, .newest = {}, .certain = newest - ticks_[0] <= age_max, .bare = true};
    certain = !forgot_;
    earlier = std::exchange(later, none);
  }
  Around found;
  if (earlier == none) return found;
  found.earlier = state(earlier);
  found.newest = state(count_ - 1u);
  if (later != none) {
    found.later = state(later);
    certain = certain && newest - std::min(newest, ticks_[earlier + 1]) <= age_max;
  }
  const std::uint32_t phases = static_cast<std::uint32_t>(std::popcount(begins_));
  found.certain = certain && (earlier >= phase_ || phases <= phases_max);
  return found;
}

void PictureTicks::forget_before(double tick) {
  std::uint32_t unused = 0;
  while (unused + 1 < count_ && ticks_[unused + 1] <= tick) ++unused;
  erase_oldest(unused);
}

}  // namespace mobula::server
