// Positions of the entities of all zones of a map, merged from the live feeds of their nodes (docs/live.md, topic map,
// without ghosts). Indices are unique in a cluster, so an entity is one entity whatever zone has it. An entity that
// crosses a border is in the feed of its new zone before or after it leaves the other one's.
#pragma once

#include <algorithm>
#include <mobula/core/result.hpp>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace mobula::cluster {

class MergedMap {
 public:
  /// `zones` is their number. Further entities than `entities_max` are left out.
  MergedMap(std::size_t zones, std::size_t entities_max) : zones_(zones), entities_max_(entities_max) {}

  /// Applies a frame of a zone's feed. A zone whose feed begins anew replaces what it had once its frames are complete.
  /// Errors: "bad frame"; then nothing was applied.
  core::Status apply(std::uint32_t zone, const nlohmann::json& frame);
  /// Sets whether the feed of a zone can be read. The map is complete when all zones are complete or cannot be read.
  /// Entities of a zone that cannot be read stay.
  void set_readable(std::uint32_t zone, bool readable) { zones_[zone].readable = readable; }
  /// Returns what has changed since the last call, in the form of a node's frames. The prototype of an entity is the
  /// number of its zone. The first frame has `reset`.
  nlohmann::json take();

 private:
  struct Place {
    std::int64_t generation = 0;
    std::int64_t owner = 0;
    std::int64_t x = 0;  // cm
    std::int64_t y = 0;
    std::int64_t z = 0;
  };
  // By index. Between two frames an entity may cross a border and return, so that two zones have it for a while.
  using Places = std::unordered_map<std::int64_t, Place>;
  struct Zone {
    bool readable = false;
    bool complete = false;
    bool truncated = false;  // since its feed began: the feed or this map leaves entities out
    Places places{};
    Places old{};  // places of the former feed that the new one has not sent
  };
  enum class Change : std::uint8_t { none, moved, gained };
  struct Entity {
    std::uint32_t zone = 0;        // the last one that has gained it
    Change change = Change::none;  // since the last frame
    bool cut = false;              // it jumped since then
    bool sent = false;             // the receiver of the frames has it
  };

  void gain(std::uint32_t zone, const std::int64_t* values);
  void move(std::uint32_t zone, const std::int64_t* values);
  void cut(std::uint32_t zone, std::int64_t index);
  void lose(std::uint32_t zone, std::int64_t index);
  void set_zone(std::int64_t index, Entity& entity, std::uint32_t zone);
  [[nodiscard]] const Place& place(std::int64_t index, const Entity& entity) const;
  [[nodiscard]] bool complete() const;
  [[nodiscard]] bool truncated() const { return std::ranges::any_of(zones_, &Zone::truncated); }

  std::vector<Zone> zones_;
  std::size_t entities_max_;
  std::unordered_map<std::int64_t, Entity> entities_;  // by index
  std::unordered_set<std::int64_t> changed_;           // indices with a change; some may be lost since
  std::unordered_set<std::int64_t> lost_;              // entities that the receiver still has
  bool first_ = true;
};

}  // namespace mobula::cluster
