// The coordinator of a cluster: a linearizable key-value store with revisions, leases and watches, as etcd has them.
// Requests are numbered and their outcomes polled, so that the same code runs over sockets and in a simulation.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <mobula/core/clock.hpp>
#include <mobula/core/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::cluster {

using RequestId = std::uint64_t;
using Revision = std::int64_t;  // the store has a new one after each transaction that changes it
using LeaseId = std::int64_t;   // 0 is none

struct KeyValue {
  std::string key{};
  std::string value{};
  Revision created = 0;
  Revision modified = 0;
  LeaseId lease = 0;  // the key is erased when the lease ends
  bool operator==(const KeyValue&) const = default;
};

/// Holds if the key was last modified in a revision; 0 means that there is no such key.
struct Condition {
  std::string key{};
  Revision modified = 0;
};

struct Put {
  std::string key{};
  std::string value{};
  LeaseId lease = 0;
};

/// Changes of different keys that are made together, if all conditions hold.
struct Transaction {
  std::vector<Condition> conditions{};
  std::vector<Put> puts{};
  std::vector<std::string> erased{};
};

/// Outcome of a request.
struct Reply {
  RequestId request = 0;
  std::optional<core::Error> error{};
  Revision revision = 0;           // the store had it when it answered
  bool committed = false;          // commit(): all conditions held
  std::vector<KeyValue> values{};  // list(): by key; commit() that was not made: those of its conditions that exist
  LeaseId lease = 0;               // grant()
  core::Nanoseconds ttl = 0;       // grant(), keep_alive(): remaining time; 0 if the lease has ended
  bool without_majority = false;   // survey(): the store can change nothing, and end no lease
};

struct Change {
  KeyValue value{};  // without value, creation and lease if it was erased
  bool erased = false;
};

/// Changes under the prefix of a watch, in order. A revision's changes are never divided.
struct Changes {
  std::optional<core::Error> error{};  // the watch has ended
  Revision revision = 0;               // the last change has it; 0 without changes
  std::vector<Change> changes{};
};

/// A client of the coordinator. Errors:
///   "unreachable"   no member answers
///   "no majority"   members answer, but cannot agree
///   "no space"      the store accepts no more data until an operator has made room
///   "no lease"      put() or revoke() of a lease that has ended
///   "compacted"     watch() from a revision that the store no longer has: list() again
///   "foreign"       the answer is of another store than the first one
///   "refused"       the request is not accepted, for instance as too large
///   "bad answer"    not what the coordinator's protocol allows
/// A commit may have taken effect after some of them, and may still do so: see may_hold().
class Coordinator {
 public:
  virtual ~Coordinator() = default;

  /// Lists all keys with a prefix.
  virtual RequestId list(std::string_view prefix) = 0;
  virtual RequestId commit(const Transaction& transaction) = 0;
  /// Grants a lease, of whole seconds.
  virtual RequestId grant(core::Nanoseconds ttl) = 0;
  /// Renews a lease for another `ttl` of its grant.
  virtual RequestId keep_alive(LeaseId lease) = 0;
  /// Ends a lease at once.
  virtual RequestId revoke(LeaseId lease) = 0;
  /// Looks whether the members of the store have no majority. A lease then has its whole time again once they have one.
  /// False if that is not certain, as without an answer.
  virtual RequestId survey() = 0;
  /// Watches keys with a prefix, with all changes since a revision. Ends an earlier watch; its changes are not polled
  /// any more.
  virtual void watch(std::string_view prefix, Revision from) = 0;

  /// Returns an outcome, in any order. Null if none has arrived.
  virtual std::optional<Reply> poll() = 0;
  /// Returns changes of the watch. Null if none have arrived.
  virtual std::optional<Changes> poll_changes() = 0;
};

/// Returns whether a commit that ended with the error may have taken effect, or may still do so.
inline bool may_hold(const core::Error& error) {
  constexpr std::array<std::string_view, 3> open{"unreachable", "no majority", "bad answer"};
  return std::ranges::find(open, std::string_view(error.reason)) != open.end();
}

}  // namespace mobula::cluster
