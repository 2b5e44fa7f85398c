#include <algorithm>
#include <bit>
#include <mobula/ecs/given_entities.hpp>

namespace mobula::ecs {

std::uint32_t GivenEntities::next(std::uint32_t index) const {
  if (index >= end_) return end_;
  std::size_t word = index / 64;
  std::uint64_t bits = living_[word] & ~std::uint64_t{0} << index % 64;
  while (bits == 0 && ++word < living_.size()) bits = living_[word];
  return bits == 0 ? end_ : static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(bits));
}

void GivenEntities::extend(std::uint32_t end) {
  if (end <= end_) return;
  const std::size_t words = (std::size_t{end} + 63) / 64;
  if (words > living_.capacity())
    living_.reserve(words + words / 8);  // the size follows the highest index: little to spare
  living_.resize(words, 0);
  end_ = end;
}

void GivenEntities::add(std::uint32_t index, EntitySlot slot) {
  set_.make_room(index);
  if (slots_.size() == slots_.capacity()) slots_.reserve(slots_.size() + slots_.size() / 2 + 16);
  extend(index + 1);
  set_.push(index);
  slots_.push_back(slot);
  living_[index / 64] |= std::uint64_t{1} << index % 64;
}

void GivenEntities::remove(std::uint32_t index) noexcept {
  slots_[set_.find(index)] = slots_.back();
  slots_.pop_back();
  set_.erase(index);
  living_[index / 64] &= ~(std::uint64_t{1} << index % 64);
}

void GivenEntities::check() const {
  set_.check("the given entities");
  MOBULA_ASSERT(slots_.size() == set_.size(), "each given entity has a slot");
  std::uint32_t met = 0;
  for (std::uint32_t index = next(0); index < end_; index = next(index + 1), ++met)
    MOBULA_ASSERT(set_.contains(index), "a bit is of a living entity");
  MOBULA_ASSERT(met == size(), "each given entity has its bit");
}

}  // namespace mobula::ecs
