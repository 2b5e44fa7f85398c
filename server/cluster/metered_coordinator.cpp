#include <algorithm>
#include <cluster/metered_coordinator.hpp>
#include <mobula/server/cluster/pop_front.hpp>
#include <mobula/server/cluster/records.hpp>

namespace mobula::cluster {
namespace {

bool places_a_world(const Transaction& transaction) {
  return std::ranges::any_of(transaction.puts, [](const Put& put) {
    const core::Result<WorldRecord> world = parse_world(put.value);
    return world && world->state == WorldState::placed;
  });
}

}  // namespace

RequestId MeteredCoordinator::commit(const Transaction& transaction) {
  const RequestId request = of_.commit(transaction);
  commits_[request] = places_a_world(transaction);
  return request;
}

RequestId MeteredCoordinator::commit_own(const Transaction& transaction) {
  const RequestId request = commit(transaction);
  own_.insert(request);
  return request;
}

std::optional<Reply> MeteredCoordinator::poll() {
  while (std::optional<Reply> reply = of_.poll()) {
    count(*reply);
    if (own_.erase(reply->request) == 0) return reply;
    own_replies_.push_back(std::move(*reply));
  }
  return std::nullopt;
}

std::optional<Reply> MeteredCoordinator::poll_own() { return pop_front(own_replies_); }

std::optional<Changes> MeteredCoordinator::poll_changes() {
  std::optional<Changes> changes = of_.poll_changes();
  if (changes && !changes->error) counters_.contact = now_;
  return changes;
}

void MeteredCoordinator::count(const Reply& reply) {
  if (!reply.error) counters_.contact = now_;
  const auto commit = commits_.find(reply.request);
  if (commit == commits_.end()) return;
  if (reply.error)
    ++counters_.failed_commits;
  else if (!reply.committed)
    ++counters_.conflicts;
  else if (commit->second)
    ++counters_.placements;
  commits_.erase(commit);
}

}  // namespace mobula::cluster
