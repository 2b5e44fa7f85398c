// Places worlds on nodes: new ones, those whose node drains or has ended, and those that a node could not open. Any
// number of placers may run. A placement holds if world and node are as its placer has seen them, so one of them
// decides.
#pragma once

#include <deque>
#include <map>
#include <mobula/server/cluster/attempts.hpp>
#include <mobula/server/cluster/records.hpp>

namespace mobula::cluster {

/// Outcome of Placer::create.
struct Created {
  RequestId request = 0;
  std::optional<core::Error> error{};  // "name taken", or one of the coordinator's
};

class Placer {
 public:
  /// Time until a world that could not be opened is placed again.
  static constexpr core::Nanoseconds failed_interval = 5 * core::second;

  /// `cluster` is the prefix of all keys.
  explicit Placer(std::string cluster) : cluster_(std::move(cluster)), directory_(cluster_) {}

  /// Handles what has arrived and commits placements.
  void update(Coordinator& coordinator, core::Nanoseconds now);
  /// Creates a world, on a node if one has room, else waiting. The name is a core::is_good_name(). Requires
  /// directory().complete().
  RequestId create(Coordinator& coordinator, const std::string& world, const std::string& game);
  /// Returns the next outcome of create(). Null if there is none.
  std::optional<Created> poll_created();

  [[nodiscard]] const Directory& directory() const { return directory_; }

 private:
  // A node with what it has and has been given.
  struct Candidate {
    Listed<NodeRecord> offer;
    LoadRecord load;
    std::uint32_t worlds = 0;
  };
  using Candidates = std::map<std::string, Candidate, std::less<>>;

  // A world that a node could not open, as of a revision of its key.
  struct Failure {
    Revision modified = 0;
    core::Nanoseconds seen = 0;
  };
  struct Creation {
    RequestId request = 0;  // as its caller knows it
    std::string world{};
    std::string game{};
  };

  [[nodiscard]] std::string world_key(const std::string& name) const;
  [[nodiscard]] Candidates candidates() const;
  [[nodiscard]] bool is_due(const std::string& name, const Listed<WorldRecord>& world, core::Nanoseconds now);
  [[nodiscard]] std::optional<Transaction> placement(const std::string& world, Revision modified,
                                                     const WorldRecord& record, Candidates& nodes) const;
  RequestId create_waiting(Coordinator& coordinator, const Creation& creation);
  void on_creation(Coordinator& coordinator, const Reply& reply);

  std::string cluster_;
  Directory directory_;
  Revision placed_ = 0;                                   // the directory had it when worlds were last placed
  Attempts attempts_;                                     // by world
  std::map<RequestId, Creation> creations_;               // unanswered
  std::map<std::string, Failure, std::less<>> failures_;  // by world
  std::deque<Created> created_;
};

}  // namespace mobula::cluster
