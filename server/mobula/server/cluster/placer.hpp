// Places worlds on nodes: new ones, those whose node drains or has ended, and those that a node could not open. Any
// number of placers may run. A placement holds if world and node are as its placer has seen them, so one of them
// decides.
//
// A node's worlds are those that the directory shows, and those that this placer has given it meanwhile. A node that
// could not open some worlds lately comes after the others: it would stay the least loaded one.
#pragma once

#include <deque>
#include <map>
#include <mobula/server/cluster/attempts.hpp>
#include <mobula/server/cluster/records.hpp>

namespace mobula::cluster {

/// Outcome of Placer::create.
struct Created {
  RequestId request = 0;
  std::optional<core::Error> error{};  // "name taken", "coordinator went back", or one of the coordinator's
};

class Placer {
 public:
  /// Time until a world that could not be opened is placed again.
  static constexpr core::Nanoseconds failed_interval = 5 * core::second;
  /// Time for which a node that could not open a world is passed over for it, if another one has room.
  static constexpr core::Nanoseconds passed_over_time = 60 * core::second;
  /// Number of worlds that a node could not open in that time, from which on it is passed over for all.
  static constexpr std::uint32_t failed_max = 2;

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
  /// Returns why nothing is placed any more. Null while the placer works. Error: "coordinator went back".
  [[nodiscard]] std::optional<core::Error> ended() const;

 private:
  // A node with what it has and has been given.
  struct Candidate {
    Listed<NodeRecord> offer;
    LoadRecord load;
    std::uint32_t worlds = 0;
    std::uint32_t failed = 0;  // worlds that it could not open lately
  };
  using Candidates = std::map<std::string, Candidate, std::less<>>;

  // A world that a node could not open, as of a revision of its key.
  struct Failure {
    Revision modified = 0;
    core::Nanoseconds seen = 0;
  };
  // A placement that the directory does not show yet.
  struct Placement {
    std::string node{};
    Revision run = 0;
    RequestId request = 0;
    Revision revision = 0;  // that its commit made; 0 while unanswered
  };
  struct Choice {
    Transaction transaction{};
    Placement placement{};
  };
  // Nodes that could not open a world, and the end of the time for which they are passed over.
  using Failed = std::map<std::string, core::Nanoseconds, std::less<>>;
  struct Creation {
    RequestId request = 0;  // as its caller knows it
    std::string world{};
    std::string game{};
  };

  [[nodiscard]] std::string world_key(const std::string& name) const;
  [[nodiscard]] Candidates candidates() const;
  [[nodiscard]] bool is_due(const std::string& name, const Listed<WorldRecord>& world, core::Nanoseconds now);
  [[nodiscard]] std::optional<Choice> choose(const std::string& world, Revision modified, const WorldRecord& record,
                                             const Candidates& nodes) const;
  RequestId place(Coordinator& coordinator, const std::string& world, Choice choice);
  void on_placement(const Reply& reply);
  void forget_old(core::Nanoseconds now);
  RequestId create_waiting(Coordinator& coordinator, const Creation& creation);
  void on_creation(Coordinator& coordinator, const Reply& reply);

  std::string cluster_;
  Directory directory_;
  Revision placed_ = 0;                                       // the directory had it when worlds were last placed
  Attempts attempts_;                                         // by world
  std::map<RequestId, Creation> creations_;                   // unanswered
  std::map<std::string, Failure, std::less<>> failures_;      // by world
  std::map<std::string, Failed, std::less<>> passed_over_;    // by world
  std::map<std::string, Placement, std::less<>> placements_;  // by world
  std::deque<Created> created_;
  RequestId refused_ = 0;  // number of create() that were refused without a request
};

}  // namespace mobula::cluster
