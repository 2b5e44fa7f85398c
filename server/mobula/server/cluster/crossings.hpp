// Crossings of players between worlds: what a node commits for the worlds that it has.
//
//   source                     coordinator                        target
//   prepared ── depart() ────► crossings/ID ──── arriving ──────► spawned
//   removed  ◄─ departed ──────┘          │
//   saved ───── saved() ─────► left       │      arrived ◄────── saved() ── saved
//                              both: erased ──── settled ──────► both forget it
//
// The record is the decision. While it exists it owns the player, whatever a world has that was not saved since.
//
// The commits of a world are a sequence. Each changes the key of the world's ledger. It holds only if that key is as
// the last commit has left it, and the world has this owner. So a former owner decides nothing. At most one attempt of
// a commit takes effect, however late the others arrive.
#pragma once

#include <deque>
#include <map>
#include <mobula/server/cluster/directory.hpp>
#include <set>

namespace mobula::cluster {

/// A crossing that exists.
struct Crossing {
  std::string id{};
  CrossingRecord record{};
};

/// A change of a crossing, for one of its worlds.
struct CrossingEvent {
  enum class Kind : std::uint8_t {
    departed,  // the record exists: it has the player now
    refused,   // the coordinator does not accept it: the world has the player again
    arriving,  // the record of another world names this one
    settled,   // both worlds were saved, and the record is erased
  };
  Kind kind{};
  std::string world{};
  std::uint64_t epoch = 0;  // the world's owner has it
  std::string id{};
  CrossingRecord record{};  // departed, arriving
  std::string why{};        // refused
};

class Crossings {
 public:
  static constexpr core::Nanoseconds retry_interval = core::second / 4;
  static constexpr core::Nanoseconds full_for = 10 * core::second;
  /// Maximum number of crossings in a commit, of which etcd takes 128 operations. Further ones follow.
  static constexpr std::size_t crossings_max = 32;

  /// `cluster` is the prefix of all keys.
  explicit Crossings(std::string cluster) : cluster_(std::move(cluster)) {}

  /// Begins with a world. Returns its crossings that exist, in the order in which they were decided. Among them are all
  /// those that its former owners have decided, if the directory shows this owner.
  std::vector<Crossing> open(const Directory& directory, const std::string& world, std::uint64_t epoch);
  /// Ends with a world, which another owner may have.
  void close(std::string_view world);

  /// Decides a crossing that its source has prepared. Answered by an event, or never if the owner ends. The ID is a
  /// core::is_good_name() that nothing else has.
  void depart(const std::string& world, std::uint64_t epoch, const std::string& id, CrossingRecord record);
  /// Notes that the world was saved, without the players that left and with those that arrived. `ids` are their
  /// crossings, and `version` is that of the saved ledger.
  void saved(std::string_view world, std::uint64_t epoch, std::uint64_t version, const std::vector<std::string>& ids);

  void update(Coordinator& coordinator, const Directory& directory, core::Nanoseconds now);
  /// Handles the reply to one of its requests. Returns false for others.
  bool on_reply(const Reply& reply, core::Nanoseconds now);
  /// Returns whether the coordinator has refused a crossing a short time ago for lack of space: none is to begin then.
  [[nodiscard]] bool is_full() const { return now_ < full_until_; }
  /// Returns the next event. Null if there is none.
  std::optional<CrossingEvent> poll();

 private:
  using Kind = CrossingEvent::Kind;
  struct World {
    std::uint64_t epoch = 0;
    std::map<std::string, CrossingRecord> departures{};  // undecided
    // Reported as departed or arriving, and not as settled. The directory shows each from a revision on.
    std::map<std::string, Revision> reported{};
    std::set<std::string> saved{};    // to be committed
    std::uint64_t version = 0;        // the last save has it
    RequestId request = 0;            // unanswered commit; 0 for none
    std::vector<std::string> sent{};  // departures in it
    bool is_open = false;             // the outcome of an attempt before it is not known
    Revision shown = 0;               // the directory must have it before the next one
    core::Nanoseconds due = 0;        // time of the next one
  };

  [[nodiscard]] std::string key_of(std::string_view prefix, std::string_view name) const;
  World* find(std::string_view world, std::uint64_t epoch);
  void report(const Directory& directory);
  void report_settled(const Directory& directory);
  [[nodiscard]] bool is_owner(const Directory& directory, const std::string& name, const World& world) const;
  [[nodiscard]] Transaction next_commit(const Directory& directory, const std::string& name, World& world) const;
  void add_departures(World& world, Transaction& transaction) const;
  void add_saves(const Directory& directory, const std::string& name, World& world, Transaction& transaction) const;
  void on_outcome(const std::string& name, World& world, const Reply& reply, core::Nanoseconds now);
  void end_departure(Kind kind, const std::string& name, World& world, const std::string& id, std::string why);

  std::string cluster_;
  core::Nanoseconds now_ = 0;  // time of the last update()
  core::Nanoseconds full_until_ = 0;
  Revision reported_ = 0;  // revision of the directory that was reported last
  std::map<std::string, World, std::less<>> worlds_;
  std::deque<CrossingEvent> events_;
};

}  // namespace mobula::cluster
