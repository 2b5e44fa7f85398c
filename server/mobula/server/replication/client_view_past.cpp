// Records for the shadow of the client's mirror: the entries of each delta.
#include <algorithm>
#include <mobula/server/replication/client_view.hpp>

namespace mobula::server {

void ClientView::begin_delta(ecs::Tick tick) {
  sent_.begin(tick);
  if (shadow_ == nullptr) return;
  shadow_->begin_delta(sent_.last(), tick);
  const ecs::Tick now = published_.registry().tick();
  shadow_->settle(now - std::min(now, published_.past_ticks()), sent_.settled());
}

void ClientView::carry(std::uint32_t id, SentDeltas::Kind kind) {
  if (shadow_ == nullptr) return;
  const Slot& slot = slots_[id];
  const bool kept = slot.state == State::visible && published_.is_kept(slot.index);
  if (kind == SentDeltas::Kind::delta && !kept) return;
  const bool full = kind == SentDeltas::Kind::full;
  shadow_->add({.entity = {slot.index, lives_[id].generation},
                .id = id,
                .prototype = full ? published_.entity(slot.index).prototype : ecs::empty_prototype,
                .kind = full                              ? Carried::Kind::full
                        : kind == SentDeltas::Kind::delta ? Carried::Kind::delta
                                                          : Carried::Kind::lost,
                .owner = slot.owner,
                .kept = kept,
                .destroyed = slot.state == State::destroyed,
                .of_level = slot.of_level});
}

}  // namespace mobula::server
