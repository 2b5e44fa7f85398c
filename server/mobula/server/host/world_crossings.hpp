// Crossings of one world of a node: between its server, which has the players, and the node, which decides with the
// cluster. Its ledger is saved with the world. A zone's entities cross too, and so do notes to their homes that they
// have ended: records with handles, but without a pack.
//
//   World::send_player ─► released, prepared ─► depart() ─► departed: the client is told
//                                               arriving ─► taken in
//   checkpoint on the disk ────────────────────► saved()
#pragma once

#include <deque>
#include <map>
#include <mobula/server/cluster/crossing_ledger.hpp>
#include <mobula/server/cluster/node.hpp>
#include <mobula/server/host/zone_host.hpp>
#include <mobula/server/session/server.hpp>
#include <string>

namespace mobula::server {

class WorldCrossings final : public cluster::CrossingHome {
 public:
  /// `store` is null if the world is not saved; then each change counts as saved. `zone` is null for a world of its
  /// own. All outlive this.
  WorldCrossings(std::string world, std::uint64_t epoch, Server& server, const store::Store* store,
                 cluster::WorldNode& node, ZoneHost* zone = nullptr);

  /// Brings the players of a world that was opened for a task up to date, before its first tick. Errors, after which
  /// the world must not be saved: "old save", "bad record".
  core::Status begin(const cluster::NodeTask& task, core::Nanoseconds now);
  /// Handles what the game has requested, and saves that are on the disk. Between ticks.
  void update(core::Nanoseconds now);
  void on_event(const cluster::CrossingEvent& event);

  bool take(const cluster::CrossingRecord& crossing) override;
  void remove(const cluster::CrossingRecord& crossing) override;
  void leave(const cluster::CrossingRecord& crossing) override;
  [[nodiscard]] bool has(const std::string& account) const override;

 private:
  // A checkpoint with a state of the ledger.
  struct Save {
    std::uint64_t number = 0;  // the store counts checkpoints of this run
    std::uint64_t version = 0;
    std::vector<std::string> ids{};
  };

  void update_zone(core::Nanoseconds now);
  void cross_all(std::span<const Leaving> leaving, core::Nanoseconds now);
  void cross(std::uint32_t zone, std::span<const ecs::Entity> roots, core::Nanoseconds now);
  void report_ended(bool saves);
  void send_followers();
  void depart(const World::Departure& departure);
  void prepare(CrossingPlayer&& player, const std::string& target);
  void decide(cluster::CrossingRecord&& record);
  [[nodiscard]] core::Result<core::Bytes> whole_pack(const cluster::CrossingRecord& record) const;
  bool take_ended(const cluster::CrossingRecord& record);
  core::Bytes save();
  void note_saves();

  std::string world_;
  std::string schema_;  // hash
  std::uint64_t epoch_;
  Server& server_;
  const store::Store* store_;
  cluster::WorldNode& node_;
  ZoneHost* zone_;
  cluster::CrossingLedger ledger_;
  std::deque<Save> saves_{};                        // not on the disk yet
  std::map<std::string, std::string> accounts_{};   // by ID, while the departure is undecided
  std::map<std::string, std::string> followers_{};  // zone to which the client is to follow, by account
  std::uint64_t number_ = 0;                        // the last departure has it
  std::uint64_t noted_ = 0;                         // version that was noted without a store
  core::Nanoseconds now_ = 0;                       // time of the last update()
  core::Nanoseconds retry_at_ = 0;
  ecs::Tick zone_tick_ = 0;  // tick of the last update_zone()
};

}  // namespace mobula::server
