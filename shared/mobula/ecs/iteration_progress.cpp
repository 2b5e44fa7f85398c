#include <mobula/ecs/iteration_progress.hpp>

namespace mobula::ecs {

// The current one counts as visited.
bool IterationProgress::is_visited(std::uint32_t position) const {
  if (position >= end_ || position >= least_size_) return true;
  return forwards_ ? position >= first_ && position <= current_ : position >= current_;
}

void IterationProgress::on_removed(const SparseSet& set, std::uint32_t position) {
  outdated_ = true;
  disturbed_ |= !is_visited(position);
  if (&set == lead_) least_size_ = std::min(least_size_, set.size() - 1);
}

void IterationProgress::on_moved(const SparseSet& set, std::uint32_t index, std::uint32_t from, std::uint32_t to) {
  outdated_ = true;
  const bool before = is_visited(from);
  const bool after = is_visited(to);
  if (before && after) return;
  disturbed_ = true;
  if (&set != lead_ || before == after) return;
  // An entity that moves to and fro is neither skipped nor late: its place is right again.
  IndexSet& here = before ? late_ : skipped_;
  IndexSet& there = before ? skipped_ : late_;
  if (!here.erase(index)) there.add(index);
}

void IterationProgress::IndexSet::add(std::uint32_t index) {
  if (!set_) set_ = core::Owned(new SparseSet(SparseSet::no_pages));
  if (set_->contains(index)) return;
  set_->make_room(index);
  set_->push(index);
}

bool IterationProgress::IndexSet::erase(std::uint32_t index) {
  if (!contains(index)) return false;
  set_->erase(index);
  return true;
}

void Iterations::end(Link& link) {
  Link** place = &first_;
  while (*place != &link) place = &(*place)->next;
  *place = link.next;
}

void Iterations::report_removal(const SparseSet& set, std::uint32_t index) {
  const std::uint32_t position = set.find(index);
  const std::uint32_t last = set.size() - 1;
  for (Link* link = first_; link != nullptr; link = link->next) {
    if (position != last) link->progress->on_moved(set, set.indices()[last], last, position);
    link->progress->on_removed(set, position);
  }
}

void Iterations::report_swap(const SparseSet& set, std::uint32_t a, std::uint32_t b) {
  for (Link* link = first_; link != nullptr; link = link->next) {
    link->progress->on_moved(set, set.indices()[a], a, b);
    link->progress->on_moved(set, set.indices()[b], b, a);
  }
}

void Iterations::report_growth() {
  for (Link* link = first_; link != nullptr; link = link->next) link->progress->on_grown();
}

}  // namespace mobula::ecs
