// The keys of a cluster and their values, JSON:
//
//   nodes/NAME    a server process and what it offers; erased with its lease
//   loads/NAME    its load; erased with its lease
//   worlds/NAME   a world and its owner
//   ledgers/NAME  how new the world's save must be; see crossing_ledger.hpp
//   crossings/ID  a player on the way from one world to another; see crossings.hpp
//   schemas/HASH  the schema of a game, base64; kept for crossings (crossing_schema.hpp)
//   maps/NAME     a world that is cut into zones (zones/zone_map.hpp). The world NAME.Z has its zone Z
//
// A node's key is created once per run: the revision of its creation names the run. The owner of a world is a run of a
// node. While the key of that run exists, no other node may have the world.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/server/cluster/coordinator.hpp>

namespace mobula::cluster {

inline constexpr std::string_view nodes_prefix = "nodes/";
inline constexpr std::string_view loads_prefix = "loads/";
inline constexpr std::string_view worlds_prefix = "worlds/";
inline constexpr std::string_view ledgers_prefix = "ledgers/";
inline constexpr std::string_view crossings_prefix = "crossings/";
inline constexpr std::string_view schemas_prefix = "schemas/";
inline constexpr std::string_view maps_prefix = "maps/";

struct NodeRecord {
  std::string game{};     // hash of the schema; worlds are placed on nodes of their game
  std::string version{};  // the program's, for people
  std::string admin{};    // URL of the admin port; empty if others cannot reach it
  std::uint32_t worlds_max = 0;
  bool draining = false;  // takes no more worlds
  bool operator==(const NodeRecord&) const = default;
};

struct LoadRecord {
  std::uint32_t worlds = 0;
  std::uint32_t players = 0;
  std::uint32_t tick_percent = 0;  // time in ticks, as a share of the time; over 100 for several cores
  bool operator==(const LoadRecord&) const = default;
};

/// States of a world:
///
///   waiting ─► placed ─► open ─► waiting      its node drains
///      ▲          └────────┴──────► waiting   its node has ended, or cannot open it
///      └── created
enum class WorldState : std::uint8_t { waiting, placed, open };

/// The greatest epoch. Readers of JSON know whole numbers up to it.
inline constexpr std::uint64_t epoch_max = std::uint64_t{1} << 53;

struct WorldRecord {
  std::string game{};
  WorldState state = WorldState::waiting;
  std::uint64_t epoch = 0;               // grows with each placement, also of a world that was erased and made again
  std::string node{};                    // owner; empty while the world waits
  Revision run = 0;                      // creation of the owner's key
  std::vector<std::string> addresses{};  // clients connect to them while the world is open
  std::string trouble{};                 // why the last placement failed
  std::string failed_on{};               // node that could not open it; empty unless the world waits
  bool operator==(const WorldRecord&) const = default;
};

/// Maximum size of a crossing's account, name, entities, pack and data together. etcd takes requests of 1.5 MiB.
inline constexpr std::size_t crossing_bytes_max = 512 * 1024;

/// A player on the way, or entities that go from one zone to another. While the key exists, the record owns the
/// entities: a world that has them too has not been saved since.
struct CrossingRecord {
  std::string source{};  // world
  std::string target{};  // world
  std::string account{};
  std::string name{};                   // the player's
  std::vector<std::string> entities{};  // handles, if it is between zones; they stay the same
  core::Bytes pack{};                   // World::pack of the player's entity, or game/zone_pack.hpp
  std::string schema{};                 // hash of the schema that was cut out of the pack; empty for a whole pack
  std::uint32_t schema_at = 0;          // offset of the cut
  core::Bytes data{};                   // the game's own
  std::uint32_t commands = 0;           // number of the player's last command that the source has done
  bool left = false;                    // the source was saved without them
  bool arrived = false;                 // the target was saved with them
  bool operator==(const CrossingRecord&) const = default;
};

/// Returns what counts towards crossing_bytes_max.
std::size_t bytes_of(const CrossingRecord& crossing);

struct LedgerRecord {
  std::uint64_t version = 0;  // a save with an older ledger is older than a crossing that is settled
  bool operator==(const LedgerRecord&) const = default;
};

/// Returns the map to which a world belongs by its name, and its zone. Both are empty if the name has no dot.
struct ZoneName {
  std::string_view map{};
  std::string_view zone{};
};
ZoneName zone_name(std::string_view world);

std::string_view to_string(WorldState state);
std::string to_json(const NodeRecord& node);
std::string to_json(const LoadRecord& load);
std::string to_json(const WorldRecord& world);
std::string to_json(const CrossingRecord& crossing);
std::string to_json(const LedgerRecord& ledger);
/// Returns what a value that others wrote holds. Ignores unknown fields. Error "bad record" for other forms, and for
/// values out of range.
core::Result<NodeRecord> parse_node(std::string_view json);
core::Result<LoadRecord> parse_load(std::string_view json);
core::Result<WorldRecord> parse_world(std::string_view json);
core::Result<CrossingRecord> parse_crossing(std::string_view json);
core::Result<LedgerRecord> parse_ledger(std::string_view json);

}  // namespace mobula::cluster
