#include <mobula/client/mirror/mirror_changes.hpp>

namespace mobula::client {

void MirrorChanges::add(std::span<const ecs::Entity> entities, ecs::PoolId pool) {
  if (pool >= listed_.size()) listed_.resize(pool + 1);
  core::BitSet& listed = listed_[pool];
  const std::size_t before = collected_.size();
  collected_.resize(before + entities.size());
  Change* next = collected_.data() + before;
  for (const ecs::Entity entity : entities) {
    listed.make_room(std::size_t{entity.index} + 1);
    *next = {entity, ChangeKind::changed, pool};
    next += listed.contains(entity.index) ? 0 : 1;
    listed.insert(entity.index);
  }
  collected_.resize(static_cast<std::size_t>(next - collected_.data()));
}

void MirrorChanges::hand_out() {
  for (const Change& change : collected_)
    if (change.kind == ChangeKind::changed) listed_[change.pool].erase(change.entity.index);
  handed_out_.clear();
  std::swap(handed_out_, collected_);
}

}  // namespace mobula::client
