#include <algorithm>
#include <array>
#include <mobula/hierarchy/members.hpp>

namespace mobula::hierarchy {

Members::Place& Members::place(std::uint32_t index) {
  if (index >= places_.size()) places_.resize(std::max(index + 1, registry_.entities().index_end()));
  return places_[index];
}

std::uint32_t Members::named(std::uint32_t index) const {
  const ecs::Entity parent = links_.parent(index);
  return parent && registry_.valid(parent) && contains(parent.index) ? parent.index : none;
}

void Members::enter(std::uint32_t index) {
  place(index).depth = 1;
  reconsider(index);
  reconsider_children(index);
}

void Members::leave(std::uint32_t index) {
  Place& left = place(index);
  left.depth = absent;
  if (left.verdict != Verdict::accepted) verdicts_changed_ = true;
  left.verdict = Verdict::accepted;
  reconsider_children(index);
}

void Members::reconsider(std::uint32_t index) {
  Place& reconsidered = place(index);
  if (!reconsidered.reconsidered) reconsidered_.push_back(index);
  reconsidered.reconsidered = true;
}

void Members::reconsider_children(std::uint32_t index) {
  links_.each_child_of_index(index, [this](std::uint32_t child) { reconsider(child); });
}

std::span<const std::uint32_t> Members::settle() {
  opened_.clear();
  for (const std::uint32_t index : reconsidered_) {
    places_[index].reconsidered = false;
    reopen(index);
  }
  reconsidered_.clear();
  for (std::size_t next = 0; next < opened_.size(); ++next)
    links_.each_child(registry_.entities().at(opened_[next]), [this](std::uint32_t child) { reopen(child); });
  for (const std::uint32_t index : opened_) find_depth(index);
  if (verdicts_changed_) list_refusals();
  return opened_;
}

void Members::reopen(std::uint32_t index) {
  if (!contains(index) || places_[index].depth == open) return;
  places_[index].depth = open;
  opened_.push_back(index);
}

// Follows parents to the first known depth, to a root or round a cycle, then assigns depths on the way back.
void Members::find_depth(std::uint32_t index) {
  path_.clear();
  std::uint32_t at = index;
  while (at != none && places_[at].depth == open) {
    places_[at].depth = on_path;
    path_.push_back(at);
    at = named(at);
  }
  if (at != none && places_[at].depth == on_path) close_circle(at);
  for (; !path_.empty(); path_.pop_back()) {
    const std::uint32_t parent = named(path_.back());
    const std::uint32_t depth = parent == none ? 1u : places_[parent].depth + 1u;
    if (depth > max_depth) {
      close(path_.back(), 1, Verdict::too_deep);
    } else {
      close(path_.back(), static_cast<std::uint8_t>(depth), Verdict::accepted);
    }
  }
}

// The path ends in a cycle that begins at `first`.
void Members::close_circle(std::uint32_t first) {
  for (std::uint32_t last = none; last != first; path_.pop_back()) {
    last = path_.back();
    close(last, 1, Verdict::circle);
  }
}

void Members::close(std::uint32_t index, std::uint8_t depth, Verdict verdict) {
  Place& closed = places_[index];
  closed.depth = depth;
  if (closed.verdict != verdict) verdicts_changed_ = true;
  closed.verdict = verdict;
}

void Members::list_refusals() {
  constexpr std::array<const char*, 3> reasons{"", "circle", "too deep"};  // by verdict
  verdicts_changed_ = false;
  path_ = opened_;
  for (const Refusal& refusal : refused_) path_.push_back(refusal.entity.index);
  std::erase_if(path_, [this](std::uint32_t index) { return places_[index].verdict == Verdict::accepted; });
  std::sort(path_.begin(), path_.end());
  path_.erase(std::unique(path_.begin(), path_.end()), path_.end());
  refused_.clear();
  for (const std::uint32_t index : path_)
    refused_.push_back({registry_.entities().at(index), reasons[static_cast<std::size_t>(places_[index].verdict)]});
}

void Members::check() const {
  std::size_t refused = 0;
  for (std::uint32_t index = 0; index < places_.size(); ++index) {
    const Place& checked = places_[index];
    if (checked.depth == absent) continue;
    MOBULA_ASSERT(checked.depth <= max_depth, "each member has a depth");
    const std::uint32_t parent = named(index);
    const std::uint32_t depth = parent == none ? 1u : places_[parent].depth + 1u;
    if (checked.verdict == Verdict::accepted) {
      MOBULA_ASSERT(checked.depth == depth, "a member's depth is one more than its parent's");
      continue;
    }
    ++refused;
    MOBULA_ASSERT(checked.depth == 1 && parent != none, "a refused member is a root although it names a parent");
    MOBULA_ASSERT((checked.verdict == Verdict::circle) == in_circle(index),
                  "exactly the members of cycles are refused as such");
    MOBULA_ASSERT(checked.verdict == Verdict::circle || depth == max_depth + 1,
                  "a member is refused only for a reason");
  }
  MOBULA_ASSERT(refused == refused_.size(), "refusals are listed");
}

bool Members::in_circle(std::uint32_t index) const {
  std::uint32_t at = named(index);
  for (std::size_t steps = 0; at != none && at != index && steps < places_.size(); ++steps) at = named(at);
  return at == index;
}

void Members::clear() {
  places_.clear();
  reconsidered_.clear();
  refused_.clear();
  verdicts_changed_ = false;
}

}  // namespace mobula::hierarchy
