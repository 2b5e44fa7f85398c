#include <mobula/server/game/hook.hpp>
#include <mobula/server/session/entity_delivery.hpp>

namespace mobula::server {

using wire::ForwardKind;

void EntityDelivery::deliver() {
  for (wire::Forward& each : world_.messages().take()) deliver(std::move(each));
}

void EntityDelivery::deliver(wire::Forward&& forward) {
  if (!world_.registry().valid(forward.entity) || world_.is_ghost(forward.entity)) {
    if (world_.zone()) abroad_.push_back(std::move(forward));
    return;
  }
  if (forward.kind == ForwardKind::message)
    return run_hook("Game::receive", [&] { game_.receive(world_, forward.entity, forward.bytes); });
  const bool reliable = forward.kind == ForwardKind::reliable_event;
  world_.events().relay(forward.bytes, forward.entity, reliable ? Reliability::reliable : Reliability::unreliable,
                        forward.origin);
}

void EntityDelivery::take_events_about_ghosts() {
  const std::optional<ZoneRegion>& zone = world_.zone();
  if (!zone) return;  // it has no ghosts
  world_.events().each_own(
      [this, origin = zone->zone](ecs::Entity about, core::ByteView bytes, Reliability reliability) {
        if (!world_.is_ghost(about)) return;
        const bool reliable = reliability == Reliability::reliable;
        abroad_.push_back({.entity = about,
                           .kind = reliable ? ForwardKind::reliable_event : ForwardKind::unreliable_event,
                           .origin = origin,
                           .bytes = core::Bytes(bytes.begin(), bytes.end())});
      });
}

}  // namespace mobula::server
