#include <algorithm>
#include <mobula/client/mirror/mirror_changes.hpp>
#include <utility>

namespace mobula::client {

Change* MirrorChanges::List::make_room(std::size_t more) {
  if (count + more > all.size()) all.resize(std::max(count + more, all.size() + all.size() / 4));
  return all.data() + count;
}

std::vector<std::uint32_t>& MirrorChanges::marks_of(ecs::PoolId pool) {
  if (pool >= marks_.size()) marks_.resize(pool + 1);
  return marks_[pool];
}

void MirrorChanges::add(std::span<const ecs::Entity> entities, std::span<const std::uint32_t> ids, ecs::PoolId pool) {
  std::vector<std::uint32_t>& marks = marks_of(pool);
  Change* const first = collected_.make_room(entities.size());
  Change* next = first;
  for (std::size_t i = 0; i < entities.size(); ++i) {
    const std::uint32_t id = ids[i];
    if (id >= marks.size()) marks.resize(id + 1);
    *next = {entities[i], ChangeKind::changed, pool};
    next += marks[id] == number_ ? 0 : 1;
    marks[id] = number_;
  }
  collected_.count += static_cast<std::size_t>(next - first);
}

void MirrorChanges::mark(std::uint32_t id, std::span<const ecs::PoolId> pools) {
  for (const ecs::PoolId pool : pools) {
    std::vector<std::uint32_t>& marks = marks_of(pool);
    if (id >= marks.size()) marks.resize(id + 1);
    marks[id] = number_;
  }
}

void MirrorChanges::mark_as(std::uint32_t before, std::uint32_t id, std::span<const ecs::PoolId> pools) {
  for (const ecs::PoolId pool : pools)
    if (marked(before, pool) == number_) mark(id, {&pool, 1});
}

std::uint32_t MirrorChanges::marked(std::uint32_t id, ecs::PoolId pool) const {
  return pool < marks_.size() && id < marks_[pool].size() ? marks_[pool][id] : 0;
}

void MirrorChanges::hand_out() {
  handed_out_.count = 0;
  std::swap(handed_out_, collected_);
  if (++number_ != 0) return;
  number_ = 1;
  for (std::vector<std::uint32_t>& marks : marks_) std::ranges::fill(marks, 0);
}

}  // namespace mobula::client
