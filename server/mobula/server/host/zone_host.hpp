// A world of a node that is a zone: its connections to neighbouring zones, and what crosses its border.
#pragma once

#include <map>
#include <mobula/server/cluster/world_node.hpp>
#include <mobula/server/cluster/world_servers.hpp>
#include <mobula/server/host/forward_queue.hpp>
#include <mobula/server/host/zone_link.hpp>
#include <mobula/server/session/server.hpp>
#include <mobula/server/zones/border.hpp>
#include <mobula/server/zones/zone_place.hpp>

namespace mobula::server {

class ZoneHost {
 public:
  /// All outlive it. The map of the place is replaced when the cluster's is.
  ZoneHost(LinkNetwork network, std::shared_ptr<ZonePlace> place, Server& server, const core::SecretKey& key,
           const cluster::WorldNode& node);

  /// Makes a server that of a zone, whose neighbours have passes of the key.
  static void configure(ServerConfig& server, const std::shared_ptr<ZonePlace>& place, const core::SecretKey& key);

  /// Ends the connections, before the network does.
  void close() { links_.clear(); }
  /// Brings the ghosts up to date. Between ticks.
  void update(core::Nanoseconds now);
  /// Returns what goes to other zones now, but for what was refused a short time ago. Valid until the next call.
  [[nodiscard]] std::span<const Leaving> leaving(core::Nanoseconds now);
  /// Returns whether a zone's world is open, so that entities may cross to it.
  [[nodiscard]] bool is_open(std::uint32_t zone) const;
  /// Notes that an entity stays for now.
  void refuse(ecs::Entity root, core::Nanoseconds now) { refused_[root] = now + refused_for; }
  /// Turns entities that another zone takes over into its ghosts, or removes them if it is no neighbour.
  void keep(std::uint32_t zone, std::span<const ecs::Entity> entities);
  [[nodiscard]] std::vector<EndedGuests> take_ended() { return border_.take_ended(); }
  /// Notes once more that guests have ended here.
  void end_again(std::span<const ecs::Entity> entities) { border_.end_again(entities); }
  /// Forgets that guests have ended, since a record has them.
  void forget_ended(std::span<const ecs::Entity> entities) { border_.forget_ended(entities); }
  /// Frees the indices of own entities that have ended in other zones.
  void end_abroad(std::span<const ecs::Entity> entities);
  /// Returns where a client with this identity follows its player to a neighbouring zone. Nothing while that zone is
  /// not open.
  [[nodiscard]] std::optional<wire::Follow> way_to(const std::string& world, const transport::Identity& identity) const;
  void count_out() { ++stats_.crossings_out; }
  void count_in() { ++stats_.crossings_in; }
  [[nodiscard]] std::string world_of(std::uint32_t zone) const { return place_->world_of(zone); }

 private:
  struct Linked {
    std::string world;
    std::optional<cluster::WorldRecord> record;  // as of the last look at the directory
    cluster::WorldServers servers;               // those of the record; empty unless it is open
    std::unique_ptr<ZoneLink> link;
    bool is_neighbour = true;  // by the map
  };

  static constexpr core::Nanoseconds refused_for = core::second;
  static constexpr float visits_within = 8;  // times the hysteresis
  static constexpr core::Nanoseconds look_interval = core::second / 4;

  void look_at_map();
  void link_neighbours();
  void unlink_former();
  static void add(ZoneStats& stats, const ZoneLink& link);
  static void look(Linked& linked, std::optional<cluster::WorldRecord>&& record);
  void relay_events(const ZoneLink& link);
  void pass_on(core::Nanoseconds now);
  void report();
  void invite_visitors();
  bool invite(const FollowingPlayer& player, const Linked& linked);

  LinkNetwork network_;
  std::shared_ptr<ZonePlace> place_;
  Server& server_;
  core::SecretKey key_;
  const cluster::WorldNode& node_;
  Border border_;
  std::map<std::uint32_t, Linked> links_;
  std::map<ecs::Entity, core::Nanoseconds> refused_;
  std::vector<Leaving> leaving_;
  std::map<std::string, std::uint32_t> visits_;  // zone that the client of an account was sent to, while it is near
  core::Nanoseconds look_at_ = 0;
  cluster::Revision map_seen_ = 0;
  ForwardQueue forwards_;
  ZoneStats stats_{};
  ZoneStats former_{};  // sums of links that have ended
};

}  // namespace mobula::server
