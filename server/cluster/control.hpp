// The program's copy of a cluster's keys, and its changes of them. It follows the cluster's keys, and places worlds if
// it is to. Calls that change something wait for their outcome: they let time pass by the pump.
#pragma once

#include <cluster/metered_coordinator.hpp>
#include <functional>
#include <memory>
#include <mobula/server/cluster/placer.hpp>
#include <mobula/server/zones/zone_map.hpp>

namespace mobula::cluster {

/// Returns a map of the cluster. Errors: "no such map", "bad record".
core::Result<server::ZoneMap> find_map(const Directory& directory, std::string_view name);

struct ControlConfig {
  std::string cluster{};                          // prefix of all keys, "NAME/"
  std::string etcd{};                             // its addresses, for errors
  bool places = false;                            // whether it is a placer too
  core::Nanoseconds patience = 4 * core::second;  // for each outcome
};

/// Error reasons besides those of the coordinator:
///   "unreachable"     the cluster's keys could not be read, or not any more
///   "unfinished"      there is no outcome in time; it may still take effect
///   "name taken"      there is a world of this name
///   "no such node"    no node has this name
///   "bad record"      the record is not one that can be changed
///   "no such map"     no map has this name
class Control {
 public:
  /// Time without contact after which the keys are not trusted any more. Nodes have lost their leases then.
  static constexpr core::Nanoseconds stale_after = 5 * core::second;

  /// Lets a little time pass, and returns the time.
  using Pump = std::function<core::Nanoseconds()>;

  /// `coordinator` must outlive it.
  Control(Coordinator& coordinator, ControlConfig config, Pump pump);

  /// Handles what has arrived and sends what is due.
  void update(core::Nanoseconds now);

  [[nodiscard]] const Directory& directory() const { return placer_ ? placer_->directory() : directory_; }
  [[nodiscard]] const CoordinatorCounters& counters() const { return metered_.counters(); }
  [[nodiscard]] core::Nanoseconds now() const { return now_; }
  /// Returns why the keys are not known or not current. Null if they are.
  [[nodiscard]] std::optional<core::Error> trouble() const;
  /// Returns the error above once the keys may be wrong for clients: none were listed, or there is trouble for a time.
  [[nodiscard]] core::Status known() const;
  /// Returns the state of a world for clients: one whose owner has ended waits.
  [[nodiscard]] WorldState state_of(const WorldRecord& world) const;
  /// Returns a world with this state, and without the addresses of an owner that has ended. Null if there is none.
  [[nodiscard]] std::optional<WorldRecord> world(std::string_view name) const;
  /// Returns whether players may be sent to a world. Error "not open": it is not, or its node drains.
  [[nodiscard]] core::Status admits(std::string_view name, const WorldRecord& world) const;

  /// Updates until `done` returns true. Returns false if the time ends before.
  bool wait(core::Nanoseconds time, const std::function<bool()>& done);
  /// Waits until all keys were listed.
  core::Status wait_until_ready();
  /// Creates a world, on a node if one has room. Requires `places` and core::is_good_name() of both.
  core::Status create(const std::string& world, const std::string& game);
  /// Creates a map and the world of each of its zones. Continues an earlier call that was not finished. Requires
  /// `places` and core::is_good_name() of both. Errors also: "bad name" of a zone's world; "name taken" for another map
  /// of the name, or a zone's world of another game.
  core::Status create_map(const std::string& map, const server::ZoneMap& zones, const std::string& game);
  /// Makes another map of one that the cluster has. The zones go on.
  using MapChange = std::function<core::Result<server::ZoneMap>(const server::ZoneMap& map)>;
  /// Replaces a map, and creates the worlds of zones that have none, as after a call that was not finished. Returns the
  /// new map. Requires `places`. Errors also: those of the change; "bad name" of a zone's world; "other change"
  /// meanwhile.
  core::Result<server::ZoneMap> change_map(const std::string& map, const MapChange& change);
  /// Sets `draining` in the record of a node, which keeps its lease and all other fields. No change if it is set.
  core::Status drain(const std::string& node);

 private:
  core::Result<Reply> own_reply(RequestId request, const char* what);
  core::Status commit_map(const std::string& map, std::string json);
  core::Status create_worlds(const std::string& map, const server::ZoneMap& zones, const std::string& game);
  [[nodiscard]] core::Result<std::string> game_of(const std::string& map, const server::ZoneMap& zones) const;
  [[nodiscard]] core::Status check_games(const std::string& map, const server::ZoneMap& zones,
                                         const std::string& game) const;
  [[nodiscard]] core::Error unfinished(const std::string& what) const;

  ControlConfig config_;
  Pump pump_;
  MeteredCoordinator metered_;
  core::Nanoseconds now_ = 0;       // time of the last update()
  Directory directory_;             // unused by a placer, which has its own
  std::unique_ptr<Placer> placer_;  // null unless it places
};

}  // namespace mobula::cluster
