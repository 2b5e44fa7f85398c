// The saved part of a world's ledger of crossings (crossing_ledger.hpp).
#pragma once

#include <map>
#include <mobula/server/cluster/records.hpp>
#include <set>

namespace mobula::cluster {

struct LedgerState {
  std::uint64_t version = 0;  // grows with each change
  std::map<std::string, CrossingRecord> prepared{};
  std::set<std::string> left{};
  std::set<std::string> arrived{};
  std::map<std::string, std::string> departed{};  // worlds of players who have left, by account: their clients follow
  bool operator==(const LedgerState&) const = default;

  /// Returns the crossings for which a save with this state counts.
  [[nodiscard]] std::vector<std::string> saved_ids() const;
};

/// Returns the state as JSON.
core::Bytes to_bytes(const LedgerState& state);
/// Parses what to_bytes() has returned. No bytes are an empty state. Error: "bad record".
core::Result<LedgerState> parse_ledger_state(core::ByteView bytes);

}  // namespace mobula::cluster
