#include <algorithm>
#include <mobula/core/log.hpp>
#include <mobula/ecs/registry_guests.hpp>
#include <mobula/server/host/zone_host.hpp>
#include <utility>

namespace mobula::server {

ZoneHost::ZoneHost(net::EventLoop& loop, const ZonePlace& place, Server& server, const core::SecretKey& key,
                   const cluster::NodeThread& node)
    : place_(place),
      server_(server),
      key_(key),
      node_(node),
      border_(server.world().registry(), place_.map, place_.zone) {
  World& world = server_.world();
  for (const std::uint32_t zone : place_.map.neighbours(place_.zone, server_.reach())) {
    ZoneLink::Config config{.zone = place_.zone,
                            .neighbour = zone,
                            .name = place_.world_of(place_.zone),
                            .schema = world.shared_schema(),
                            .key = key};
    links_[zone] = {.world = place_.world_of(zone),
                    .record = std::nullopt,
                    .servers = {},
                    .link = std::make_unique<ZoneLink>(loop, world.registry(), std::move(config))};
  }
}

void ZoneHost::update(core::Nanoseconds now) {
  const bool looks = now >= look_at_;
  if (looks) look_at_ = now + look_interval;
  for (auto& [zone, linked] : links_) {
    if (looks) look(linked, node_.find_world(linked.world));
    linked.link->update(linked.record, now);
  }
  if (!looks) return;
  invite_visitors();
  report();
}

void ZoneHost::look(Linked& linked, std::optional<cluster::WorldRecord>&& record) {
  if (linked.record == record) return;
  linked.record = std::move(record);
  linked.servers = {};
  if (!linked.record || linked.record->state != cluster::WorldState::open) return;
  core::Result<cluster::WorldServers> servers = cluster::servers_of(linked.record->addresses);
  if (!servers)
    return core::log_error("cluster", "no client can follow to {}: {}", linked.world, servers.error().message);
  linked.servers = std::move(*servers);
}

std::optional<wire::Follow> ZoneHost::way_to(const std::string& world, const transport::Identity& identity) const {
  for (const auto& [zone, linked] : links_) {
    if (linked.world != world || !linked.record || linked.servers.addresses.empty()) continue;
    core::Result<core::Bytes> token = cluster::make_world_token(key_, linked.servers, identity);
    if (!token) return std::nullopt;
    wire::Follow way{.world = world, .token = std::move(*token), .addresses = linked.record->addresses};
    way.addresses.resize(std::min(way.addresses.size(), wire::max_addresses));
    return way;
  }
  return std::nullopt;
}

// Clients of players near a border see the zone beyond it before their players cross.
void ZoneHost::invite_visitors() {
  const float near = std::min(server_.reach() / 2, visits_within * place_.map.hysteresis());
  std::map<std::string, std::uint32_t> visits;
  for (const FollowingPlayer& player : server_.crossing().followers()) {
    const auto before = visits_.find(player.account);
    const std::uint32_t zone = border_.nearest_zone(player.entity, near);
    if (before != visits_.end() &&
        (zone == before->second || border_.nearest_zone(player.entity, 2 * near) == before->second)) {
      visits.insert(*before);
    } else if (zone != ZoneMap::no_zone && invite(player, links_.at(zone))) {
      visits[player.account] = zone;
    }
  }
  visits_ = std::move(visits);
}

bool ZoneHost::invite(const FollowingPlayer& player, const Linked& linked) {
  const transport::Identity visitor = cluster::new_identity(player.identity.user_data);
  std::optional<wire::Follow> way = way_to(linked.world, visitor);
  if (!way || !linked.link->send_visit({visitor.client_id, player.entity})) return false;
  way->visit = true;
  server_.crossing().send_follow(player.account, *way);
  return true;
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
