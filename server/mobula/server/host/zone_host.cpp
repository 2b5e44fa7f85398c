#include <mobula/ecs/registry_guests.hpp>
#include <mobula/server/host/zone_host.hpp>

namespace mobula::server {

ZoneHost::ZoneHost(net::EventLoop& loop, const ZonePlace& place, Server& server, const core::SecretKey& key,
                   const cluster::NodeThread& node)
    : place_(place), server_(server), node_(node), border_(server.world().registry(), place_.map, place_.zone) {
  World& world = server_.world();
  for (const std::uint32_t zone : place_.map.neighbours(place_.zone, server_.reach())) {
    ZoneLink::Config config{.zone = place_.zone,
                            .neighbour = zone,
                            .name = place_.world_of(place_.zone),
                            .schema = world.shared_schema(),
                            .key = key};
    links_[zone] = {place_.world_of(zone), std::nullopt,
                    std::make_unique<ZoneLink>(loop, world.registry(), std::move(config))};
  }
}

void ZoneHost::update(core::Nanoseconds now) {
  const bool looks = now >= look_at_;
  if (looks) look_at_ = now + look_interval;
  for (auto& [zone, linked] : links_) {
    if (looks) linked.record = node_.find_world(linked.world);
    linked.link->update(linked.record, now);
  }
  if (looks) report();
}

void ZoneHost::report() {
  ZoneStats now{.ghosts = server_.world().registry().pool<Ghost>().size(),
                .crossings_out = stats_.crossings_out,
                .crossings_in = stats_.crossings_in};
  for (const auto& [zone, linked] : links_) {
    const Ghosts::Stats& ghosts = linked.link->neighbour().stats();
    const MirrorChecks mirror = linked.link->checks();
    now.neighbours += linked.link->neighbour().is_current() ? 1 : 0;
    now.ghost_checks += ghosts.checked;
    now.ghosts_corrected += ghosts.corrected;
    now.mirror_checks += mirror.compared;
    now.mirror_mismatches += mirror.different;
  }
  stats_ = now;
  server_.set_zone_stats(stats_);
}

std::span<const Leaving> ZoneHost::leaving(core::Nanoseconds now) {
  std::erase_if(refused_, [&](const auto& each) { return each.second <= now; });
  leaving_.clear();
  for (const Leaving& each : border_.leaving())
    if (!refused_.contains(each.root)) leaving_.push_back(each);
  return leaving_;
}

void ZoneHost::keep(std::uint32_t zone, std::span<const ecs::Entity> entities) {
  World& world = server_.world();
  const auto found = links_.find(zone);
  if (found == links_.end()) return world.give_up(entities);
  found->second.link->neighbour().keep(entities, world.schema());
}

void ZoneHost::end_abroad(std::span<const ecs::Entity> entities) {
  ecs::Registry& registry = server_.world().registry();
  for (const ecs::Entity entity : entities) {
    if (registry.entities().is_ghost(entity)) registry.destroy(entity);
    static_cast<void>(ecs::Guests(registry).end_abroad(entity));
  }
}

}  // namespace mobula::server
