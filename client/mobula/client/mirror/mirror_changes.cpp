#include <algorithm>
#include <mobula/client/mirror/mirror_changes.hpp>
#include <utility>

namespace mobula::client {

Change* MirrorChanges::List::make_room(std::size_t more) {
  if (count + more > all.size()) all.resize(std::max(count + more, all.size() + all.size() / 4));
  return all.data() + count;
}

// Returns the component's place, or the free one where it belongs. Linear probing; one place is always free.
std::size_t MirrorChanges::place(std::uint32_t id, ecs::PoolId pool) const {
  constexpr std::uint64_t golden = 0x9e37'79b9'7f4a'7c15;
  const std::size_t mask = marks_.size() - 1;
  std::size_t at = ((std::uint64_t{pool} << 32 | id) * golden >> 32) & mask;
  for (; marks_[at].number == number_; at = (at + 1) & mask)
    if (marks_[at].id == id && marks_[at].pool == pool) break;
  return at;
}

void MirrorChanges::grow() {
  constexpr std::size_t marks_min = 64;
  const std::vector<Mark> before = std::exchange(marks_, std::vector<Mark>(std::max(2 * marks_.size(), marks_min)));
  for (const Mark& mark : before)
    if (mark.number == number_) marks_[place(mark.id, mark.pool)] = mark;
}

// Marks a component. Returns whether it was not marked.
bool MirrorChanges::insert(std::uint32_t id, ecs::PoolId pool) {
  if (is_whole_marked(id)) return false;
  if (4 * (marks_used_ + 1) > 3 * marks_.size()) grow();
  Mark& mark = marks_[place(id, pool)];
  if (mark.number == number_) return false;
  mark = {id, pool, number_};
  ++marks_used_;
  return true;
}

void MirrorChanges::add(std::span<const ecs::Entity> entities, std::span<const std::uint32_t> ids, ecs::PoolId pool) {
  Change* const first = collected_.make_room(entities.size());
  Change* next = first;
  for (std::size_t i = 0; i < entities.size(); ++i) {
    *next = {entities[i], ChangeKind::changed, pool};
    next += insert(ids[i], pool) ? 1 : 0;
  }
  collected_.count += static_cast<std::size_t>(next - first);
}

void MirrorChanges::mark(std::uint32_t id) {
  if (id >= whole_marks_.size()) whole_marks_.resize(id + 1);
  whole_marks_[id] = number_;
}

void MirrorChanges::mark_as(std::uint32_t before, std::uint32_t id, std::span<const ecs::PoolId> pools) {
  if (is_whole_marked(before)) return mark(id);
  for (const ecs::PoolId pool : pools)
    if (is_marked(before, pool)) insert(id, pool);
}

bool MirrorChanges::is_marked(std::uint32_t id, ecs::PoolId pool) const {
  return is_whole_marked(id) || (!marks_.empty() && marks_[place(id, pool)].number == number_);
}

void MirrorChanges::hand_out() {
  handed_out_.count = 0;
  std::swap(handed_out_, collected_);
  marks_used_ = 0;
  if (++number_ != 0) return;
  number_ = 1;
  std::ranges::fill(whole_marks_, 0);
  for (Mark& mark : marks_) mark.number = 0;
}

}  // namespace mobula::client
