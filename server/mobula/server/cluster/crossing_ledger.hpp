// The crossings of a world, which it saves with each checkpoint. A world that is opened has the players of its last
// save. The crossings that the coordinator has correct them. So a world may have ended at any moment.
//
//   prepared   the world has removed the player, and nothing is decided
//   left       the record exists, and the world does not have the player
//   arrived    the record exists, and the world has the player
//
// Crossings between zones keep their order: one waits while an earlier one of the same entity or player cannot be
// handled.
//
// The ledger forgets a crossing once its record is erased. The coordinator keeps the version of the ledger that had the
// last one. A save with an older version is refused: some of its players have left for good.
#pragma once

#include <map>
#include <mobula/server/cluster/crossings.hpp>
#include <mobula/server/cluster/ledger_state.hpp>
#include <set>

namespace mobula::cluster {

/// The world of a ledger.
class CrossingHome {
 public:
  virtual ~CrossingHome() = default;
  /// Takes a player or entities in, or back. Returns false if it cannot yet, and stays as it was.
  virtual bool take(const CrossingRecord& crossing) = 0;
  /// Removes them, as far as the world has them.
  virtual void remove(const CrossingRecord& crossing) = 0;
  /// Notes that the coordinator has decided that they are elsewhere.
  virtual void leave(const CrossingRecord& crossing) = 0;
  /// Returns whether the world has the player of an account.
  [[nodiscard]] virtual bool has(const std::string& account) const = 0;
};

class CrossingLedger {
 public:
  /// The home outlives it.
  CrossingLedger(std::string world, CrossingHome& home) : world_(std::move(world)), home_(home) {}

  /// Continues a saved world: brings its players up to date. `existing` are the crossings of Crossings::open().
  /// `settled` is the version that the coordinator keeps. Error "old save", which changes nothing.
  core::Status restore(LedgerState saved, const std::vector<Crossing>& existing, std::uint64_t settled);
  /// Notes that the world has removed a player who is to leave.
  void prepare(const std::string& id, CrossingRecord record);
  /// Handles an event of Crossings for this world.
  void on_event(const CrossingEvent& event);
  /// Tries again to take players in. Called now and then.
  void retry();

  [[nodiscard]] const LedgerState& state() const { return state_; }
  /// Returns the number of crossings that the world cannot handle yet.
  [[nodiscard]] std::size_t waiting() const { return waiting_.size() + returning_.size(); }

 private:
  [[nodiscard]] bool has_returned(const Crossing& departure) const;
  void handle(const std::string& id, const CrossingRecord& record);
  void depart(const std::string& id, const CrossingRecord& record);
  void arrive(const std::string& id, const CrossingRecord& record);
  [[nodiscard]] bool is_blocked(const CrossingRecord& record) const;
  void take_back(const std::string& id);
  void forget(const std::string& id);

  std::string world_;
  CrossingHome& home_;
  LedgerState state_;
  std::vector<Crossing> waiting_{};    // in order; all but those behind another one arrive
  std::set<std::string> returning_{};  // among those prepared: refused
};

}  // namespace mobula::cluster
