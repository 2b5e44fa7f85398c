// Counters of a Server. Each of its parts adds to those of its own.
#pragma once

#include <cstdint>
#include <map>
#include <mobula/server/game/late_commands.hpp>
#include <mobula/server/replication/replication_stats.hpp>
#include <mobula/server/rewind/rewind_stats.hpp>
#include <mobula/server/session/prediction_totals.hpp>
#include <string>

namespace mobula::server {

struct ServerStats : ReplicationStats {
  std::uint64_t commands = 0;                     ///< executed
  LateCommands late_commands;                     ///< sums over all clients
  std::uint64_t rejoins = 0;                      ///< players whose client reconnected
  std::uint64_t replaced = 0;                     ///< players taken over from another client by a log-in
  std::map<std::string, std::uint64_t> refusals;  ///< commands, messages, inputs and connections, by reason
  RewindStats rewind;
  PredictionTotals predictions;  ///< reported by clients
};

}  // namespace mobula::server
