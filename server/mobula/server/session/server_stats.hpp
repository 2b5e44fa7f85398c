// Counters of a Server. Each of its parts adds to those of its own.
#pragma once

#include <cstdint>
#include <map>
#include <mobula/server/game/late_commands.hpp>
#include <mobula/server/replication/replication_stats.hpp>
#include <mobula/server/rewind/rewind_stats.hpp>
#include <mobula/server/session/prediction_totals.hpp>
#include <optional>
#include <string>

namespace mobula::server {

/// Counters of a zone, as its host sets them.
struct ZoneStats {
  std::uint32_t neighbours = 0;         ///< to which it is connected
  std::uint32_t ghosts = 0;             ///< present
  std::uint64_t ghost_checks = 0;       ///< ghosts that were compared with the mirror
  std::uint64_t ghosts_corrected = 0;   ///< among them, that the game had changed
  std::uint64_t mirror_checks = 0;      ///< ticks of neighbours whose hash was compared with the mirror
  std::uint64_t mirror_mismatches = 0;  ///< among them, that differed
  std::uint64_t crossings_out = 0;      ///< trees of entities that have left for other zones
  std::uint64_t crossings_in = 0;       ///< and that have arrived
  std::uint64_t forwards = 0;           ///< messages to entities, and events about them, passed on to other zones
  std::uint64_t forwards_dropped = 0;   ///< that could not be passed on
};

struct ServerStats : ReplicationStats {
  std::uint64_t commands = 0;                     ///< executed
  LateCommands late_commands;                     ///< sums over all clients
  std::uint64_t rejoins = 0;                      ///< players whose client reconnected
  std::uint64_t replaced = 0;                     ///< players taken over from another client by a log-in
  std::map<std::string, std::uint64_t> refusals;  ///< commands, messages, inputs and connections, by reason
  RewindStats rewind;
  PredictionTotals predictions;   ///< reported by clients
  std::optional<ZoneStats> zone;  ///< nothing for a world of its own
};

}  // namespace mobula::server
