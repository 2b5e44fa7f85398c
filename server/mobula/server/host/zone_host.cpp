#include <algorithm>
#include <mobula/core/log.hpp>
#include <mobula/ecs/registry_guests.hpp>
#include <mobula/server/host/zone_host.hpp>
#include <mobula/server/zones/zone_pass.hpp>
#include <utility>

namespace mobula::server {

ZoneHost::ZoneHost(LinkNetwork network, std::shared_ptr<ZonePlace> place, Server& server, const core::SecretKey& key,
                   const cluster::WorldNode& node)
    : network_(std::move(network)),
      place_(std::move(place)),
      server_(server),
      key_(key),
      node_(node),
      border_(server.world().registry(), place_->map, place_->zone) {
  link_neighbours();
}

void ZoneHost::configure(ServerConfig& server, const std::shared_ptr<ZonePlace>& place, const core::SecretKey& key) {
  const auto neighbour = [place, key](const Identity& identity) -> std::optional<ZoneRegion> {
    const std::optional<std::uint32_t> zone = read_zone_pass(identity, key);
    if (!zone) return std::nullopt;
    return ZoneRegion{*zone, place->map.region(*zone)};
  };
  server.entities_max = place->map.entities_max();
  server.transport.sessions_max += place->map.places();
  server.zone = {
      .own = place->indices(), .zone = {place->zone, place->region()}, .level = place->level(), .neighbour = neighbour};
}

// A zone stays linked while the map has it as a neighbour, and then until it has sent its entities on to other zones.
void ZoneHost::link_neighbours() {
  World& world = server_.world();
  const std::vector<std::uint32_t> neighbours = place_->map.neighbours(place_->zone, server_.reach());
  for (auto& [zone, linked] : links_) linked.is_neighbour = std::ranges::count(neighbours, zone) > 0;
  for (const std::uint32_t zone : neighbours) {
    if (links_.contains(zone)) continue;
    ZoneLink::Config config{.zone = place_->zone,
                            .neighbour = zone,
                            .name = place_->world_of(place_->zone),
                            .schema = world.shared_schema(),
                            .key = key_};
    links_[zone] = {.world = place_->world_of(zone),
                    .record = std::nullopt,
                    .servers = {},
                    .link = std::make_unique<ZoneLink>(network_, world.registry(), std::move(config))};
  }
}

void ZoneHost::unlink_former() {
  std::erase_if(links_, [this](const auto& each) {
    const Linked& linked = each.second;
    if (linked.is_neighbour || linked.link->neighbour().has_ghosts()) return false;
    add(former_, *linked.link);
    return true;
  });
}

void ZoneHost::look_at_map() {
  const std::optional<std::string> json = node_.changed_map(place_->world, map_seen_);
  if (!json) return;
  core::Result<ZoneMap> map = ZoneMap::parse(*json);
  if (!map || !map->continues(place_->map))
    return core::log_error("cluster", "the new map of {} is not used: {}", place_->world,
                           map ? "its zones have other names, or other numbers of entities" : map.error().message);
  if (map->to_json() == place_->map.to_json()) return;
  place_->map = std::move(*map);
  border_.on_new_map();
  link_neighbours();
  server_.world().set_region(place_->region());
  server_.set_regions([this](std::uint32_t zone) { return place_->map.region(zone); });
  core::log_info("cluster", "the map of {} has changed: it has {} zones", place_->world, place_->map.zones().size());
}

void ZoneHost::update(core::Nanoseconds now) {
  const bool looks = now >= look_at_;
  if (looks) {
    look_at_ = now + look_interval;
    look_at_map();
    unlink_former();
  }
  for (auto& [zone, linked] : links_) {
    if (looks) look(linked, node_.find_world(linked.world));
    linked.link->update(linked.record, now);
    if (linked.link->neighbour().was_heard()) server_.world().note_heard(zone);
    relay_events(*linked.link);
  }
  for (const auto& [ended_of, former] : links_)
    for (const auto& [zone, linked] : links_) linked.link->show(former.link->neighbour().ended());
  pass_on(now);
  if (!looks) return;
  invite_visitors();
  report();
}

// Clients of this zone are sent the events about ghosts that they see.
void ZoneHost::relay_events(const ZoneLink& link) {
  for (const client::ReceivedEvent& event : link.events())
    server_.world().events().relay(event.bytes, event.about,
                                   event.reliable ? Reliability::reliable : Reliability::unreliable, std::nullopt);
}

void ZoneHost::pass_on(core::Nanoseconds now) {
  forwards_.add(server_.take_abroad(), now);
  forwards_.update(server_.world(), now, [this](std::uint32_t zone, const wire::Forward& content) {
    const auto found = links_.find(zone);
    return found != links_.end() && found->second.link->send(content);
  });
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
    core::Result<core::Bytes> token = cluster::make_world_token(key_, linked.servers, identity, network_.unix_now());
    if (!token) return std::nullopt;
    wire::Follow way{.world = world, .token = std::move(*token), .addresses = linked.record->addresses};
    way.addresses.resize(std::min(way.addresses.size(), wire::max_addresses));
    return way;
  }
  return std::nullopt;
}

// Clients of players near a border see the zone beyond it before their players cross.
void ZoneHost::invite_visitors() {
  const float near = std::min(server_.reach() / 2, visits_within * place_->map.hysteresis());
  std::map<std::string, std::uint32_t> visits;
  for (const FollowingPlayer& player : server_.crossing().followers()) {
    const auto before = visits_.find(player.account);
    const std::uint32_t zone = border_.nearest_zone(player.entity, near);
    if (before != visits_.end() &&
        (zone == before->second || border_.nearest_zone(player.entity, 2 * near) == before->second)) {
      visits.insert(*before);
    } else if (const auto linked = links_.find(zone); linked != links_.end() && invite(player, linked->second)) {
      visits[player.account] = zone;
    }
  }
  visits_ = std::move(visits);
}

bool ZoneHost::invite(const FollowingPlayer& player, const Linked& linked) {
  const transport::Identity visitor = cluster::new_identity(player.identity.user_data);
  std::optional<wire::Follow> way = way_to(linked.world, visitor);
  if (!way || !linked.link->send(wire::Visit{visitor.client_id, player.entity})) return false;
  way->visit = true;
  server_.crossing().send_follow(player.account, *way);
  return true;
}

void ZoneHost::add(ZoneStats& stats, const ZoneLink& link) {
  const Ghosts::Stats& ghosts = link.neighbour().stats();
  const MirrorChecks mirror = link.checks();
  stats.ghost_checks += ghosts.checked;
  stats.ghosts_corrected += ghosts.corrected;
  stats.mirror_checks += mirror.compared;
  stats.mirror_mismatches += mirror.different;
}

void ZoneHost::report() {
  ZoneStats now = former_;
  now.ghosts = server_.world().registry().pool<Ghost>().size();
  now.crossings_out = stats_.crossings_out;
  now.crossings_in = stats_.crossings_in;
  now.forwards = forwards_.passed_on();
  now.forwards_dropped = forwards_.dropped();
  for (const auto& [zone, linked] : links_) {
    now.neighbours += linked.link->neighbour().is_current() ? 1 : 0;
    add(now, *linked.link);
  }
  stats_ = now;
  server_.set_zone_stats(stats_);
}

bool ZoneHost::is_open(std::uint32_t zone) const {
  const std::optional<cluster::WorldRecord> record = node_.find_world(world_of(zone));
  return record && record->state == cluster::WorldState::open;
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
