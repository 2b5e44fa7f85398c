#include <algorithm>
#include <mobula/client/mirror/mirror_changes.hpp>
#include <utility>

namespace mobula::client {

Change* MirrorChanges::List::make_room(std::size_t more) {
  if (count + more > all.size()) all.resize(std::max(count + more, all.size() + all.size() / 4));
  return all.data() + count;
}

MirrorChanges::Page& MirrorChanges::page_of(std::uint32_t id, ecs::PoolId pool) {
  if (pool >= pages_.size()) pages_.resize(pool + 1);
  Pages& pages = pages_[pool];
  const std::uint32_t at = id / page_size;
  if (at >= pages.size()) {
    page_bytes_ += (at + 1 - pages.size()) * sizeof(Pages::value_type);
    pages.resize(at + 1);
  }
  if (pages[at] == nullptr) {
    page_bytes_ += sizeof(Page);
    pages[at] = std::make_unique<Page>();
  }
  return *pages[at];
}

void MirrorChanges::add(std::span<const ecs::Entity> entities, std::span<const std::uint32_t> ids, ecs::PoolId pool) {
  Change* const first = collected_.make_room(entities.size());
  Change* next = first;
  Page* page = nullptr;  // page of the last id
  std::uint32_t page_at = 0;
  for (std::size_t i = 0; i < entities.size(); ++i) {
    if (page == nullptr || ids[i] / page_size != page_at) {
      page = &page_of(ids[i], pool);
      page_at = ids[i] / page_size;
    }
    std::uint32_t& mark = (*page)[ids[i] % page_size];
    const bool listed = mark == number_ || is_whole_marked(ids[i]);
    mark = number_;
    *next = {entities[i], ChangeKind::changed, pool};
    next += listed ? 0 : 1;
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
    if (is_marked(before, pool)) page_of(id, pool)[id % page_size] = number_;
}

bool MirrorChanges::is_marked(std::uint32_t id, ecs::PoolId pool) const {
  if (is_whole_marked(id)) return true;
  if (pool >= pages_.size() || id / page_size >= pages_[pool].size()) return false;
  const Page* const page = pages_[pool][id / page_size].get();
  return page != nullptr && (*page)[id % page_size] == number_;
}

void MirrorChanges::drop() {
  hand_out();  // begins new marks
  handed_out_.count = 0;
}

void MirrorChanges::add_collected(const MirrorChanges& other) {
  for (std::size_t i = 0; i < other.collected_.count; ++i) push(other.collected_.all[i]);
}

void MirrorChanges::hand_out() {
  handed_out_.count = 0;
  std::swap(handed_out_, collected_);
  const bool number_is_used_up = ++number_ == 0;
  if (number_is_used_up) {
    number_ = 1;
    std::ranges::fill(whole_marks_, 0);
  }
  if (!number_is_used_up && page_bytes_ <= pages_kept_max) return;
  pages_.clear();
  page_bytes_ = 0;
}

}  // namespace mobula::client
