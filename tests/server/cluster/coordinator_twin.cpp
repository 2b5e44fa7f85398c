#include <algorithm>
#include <mobula/server/cluster/pop_front.hpp>
#include <server/cluster/coordinator_twin.hpp>
#include <utility>

namespace mobula::test {

using namespace cluster;

void StoreTwin::advance(core::Nanoseconds now) {
  now_ = now;
  if (!majority_) return;
  std::vector<LeaseId> ended;
  for (const auto& [id, lease] : leases_)
    if (lease.end <= now) ended.push_back(id);
  for (const LeaseId each : ended) end_lease(each);
}

void StoreTwin::set_majority(bool majority, core::Nanoseconds now) {
  if (majority && !majority_)  // the new leader gives each lease its whole time
    for (auto& [id, lease] : leases_) lease.end = now + lease.ttl;
  majority_ = majority;
}

void StoreTwin::restore(const StoreTwin& backup, core::Nanoseconds now) {
  *this = StoreTwin(backup);
  set_majority(false, now);
  set_majority(true, now);
}

Reply StoreTwin::list(std::string_view prefix) const {
  Reply answer = reply();
  for (const auto& [key, value] : keys_)
    if (key.starts_with(prefix)) answer.values.push_back(value);
  return answer;
}

Revision StoreTwin::modified(const std::string& key) const {
  const auto found = keys_.find(key);
  return found == keys_.end() ? 0 : found->second.modified;
}

Reply StoreTwin::commit(const Transaction& transaction) {
  Reply answer = reply();
  if (full_ && !transaction.puts.empty()) {
    answer.error = core::Error{"no space", "database space exceeded"};
    return answer;
  }
  std::size_t bytes = 0;
  for (const Put& each : transaction.puts) bytes += each.value.size();
  if (bytes > request_bytes_max) {
    answer.error = core::Error{"unreachable", "received message larger than max"};
    return answer;
  }
  const bool holds = std::ranges::all_of(transaction.conditions,
                                         [&](const Condition& each) { return modified(each.key) == each.modified; });
  if (!holds) {
    for (const Condition& each : transaction.conditions)
      if (const auto found = keys_.find(each.key); found != keys_.end()) answer.values.push_back(found->second);
    return answer;
  }
  for (const Put& put : transaction.puts)
    if (put.lease != 0 && !leases_.contains(put.lease)) {
      answer.error = core::Error{"no lease", "requested lease not found"};
      return answer;
    }
  bool changed = !transaction.puts.empty();
  for (const Put& each : transaction.puts) put(each, revision_ + 1);
  for (const std::string& each : transaction.erased) changed = erase(each, revision_ + 1) || changed;
  if (changed) ++revision_;
  answer.revision = revision_;
  answer.committed = true;
  return answer;
}

void StoreTwin::put(const Put& put, Revision at) {
  KeyValue& value = keys_[put.key];
  if (value.lease != 0) leases_.at(value.lease).keys.erase(put.key);
  value = {put.key, put.value, value.created == 0 ? at : value.created, at, put.lease};
  if (put.lease != 0) leases_.at(put.lease).keys.insert(put.key);
  history_[at].push_back({value, false});
  times_[at] = now_;
}

bool StoreTwin::erase(const std::string& key, Revision at) {
  const auto found = keys_.find(key);
  if (found == keys_.end()) return false;
  if (found->second.lease != 0) leases_.at(found->second.lease).keys.erase(key);
  keys_.erase(found);
  history_[at].push_back({{.key = key, .modified = at}, true});
  times_[at] = now_;
  return true;
}

Reply StoreTwin::grant(core::Nanoseconds ttl, core::Nanoseconds now) {
  Reply answer = reply();
  answer.lease = ++last_lease_;
  answer.ttl = ttl;
  leases_[answer.lease] = {ttl, now + ttl, {}};
  return answer;
}

Reply StoreTwin::keep_alive(LeaseId lease, core::Nanoseconds now) {
  Reply answer = reply();
  answer.lease = lease;
  const auto found = leases_.find(lease);
  if (found == leases_.end()) return answer;
  found->second.end = now + found->second.ttl;
  answer.ttl = found->second.ttl;
  return answer;
}

Reply StoreTwin::revoke(LeaseId lease) {
  Reply answer = reply();
  if (leases_.contains(lease))
    end_lease(lease);
  else
    answer.error = core::Error{"no lease", "requested lease not found"};
  answer.revision = revision_;
  return answer;
}

void StoreTwin::end_lease(LeaseId lease) {
  const std::set<std::string> keys = leases_.at(lease).keys;
  for (const std::string& key : keys) erase(key, revision_ + 1);
  if (!keys.empty()) ++revision_;
  leases_.erase(lease);
}

std::optional<Changes> StoreTwin::changes(std::string_view prefix, Revision from, core::Nanoseconds until) const {
  if (from <= compacted_) return Changes{.error = core::Error{"compacted", "the revision has been compacted"}};
  for (auto at = history_.lower_bound(from); at != history_.end(); ++at) {
    Changes some{.revision = at->first};
    for (const Change& change : at->second)
      if (change.value.key.starts_with(prefix)) some.changes.push_back(change);
    if (times_.at(at->first) > until) return std::nullopt;
    if (!some.changes.empty()) return some;
  }
  return std::nullopt;
}

bool TwinClient::loses() { return network.cut || random_.chance(network.lost_in_1000, 1000); }

RequestId TwinClient::send(Request request) {
  request.id = ++last_;
  request.sent = now_;
  request.due = now_ + network.delay;
  if (random_.chance(network.late_in_1000, 1000)) request.due += 2 * network.timeout;
  requests_.push_back(std::move(request));
  return last_;
}

RequestId TwinClient::list(std::string_view prefix) {
  return send({.kind = Kind::list, .prefix = std::string(prefix)});
}
RequestId TwinClient::commit(const Transaction& transaction) {
  return send({.kind = Kind::commit, .transaction = transaction});
}
RequestId TwinClient::grant(core::Nanoseconds ttl) { return send({.kind = Kind::grant, .ttl = ttl}); }
RequestId TwinClient::keep_alive(LeaseId lease) { return send({.kind = Kind::keep_alive, .lease = lease}); }
RequestId TwinClient::revoke(LeaseId lease) { return send({.kind = Kind::revoke, .lease = lease}); }
RequestId TwinClient::survey() { return send({.kind = Kind::survey}); }

void TwinClient::watch(std::string_view prefix, Revision from) {
  watched_ = prefix;
  watch_from_ = from;
}

Reply TwinClient::carry_out(const Request& request) {
  switch (request.kind) {
    case Kind::list: return store_.list(request.prefix);
    case Kind::commit: return store_.commit(request.transaction);
    case Kind::grant: return store_.grant(request.ttl, now_);
    case Kind::keep_alive: return store_.keep_alive(request.lease, now_);
    case Kind::revoke: return store_.revoke(request.lease);
    case Kind::survey: return {.without_majority = !store_.has_majority()};
  }
  return {};
}

// Returns true if the request is over.
bool TwinClient::step(Request& request) {
  if (!request.lost && !request.carried_out && now_ >= request.due) {
    request.lost = loses() || (!store_.has_majority() && request.kind != Kind::survey);
    if (!request.lost) {
      request.reply = carry_out(request);
      request.reply.request = request.id;
      request.carried_out = true;
      request.lost = loses();
      request.due = now_ + network.delay;
    }
  }
  if (request.given_up) return request.lost || request.carried_out;
  if (!request.lost && request.carried_out && now_ >= request.due) {
    replies_.push_back(std::move(request.reply));
    return true;
  }
  if (now_ < request.sent + network.timeout) return false;
  replies_.push_back({.request = request.id, .error = core::Error{"unreachable", "no answer in time"}});
  request.given_up = true;
  return request.lost || request.carried_out;
}

void TwinClient::advance(core::Nanoseconds now) {
  now_ = now;
  std::erase_if(requests_, [this](Request& each) { return step(each); });
}

void TwinClient::forget() {
  requests_.clear();
  replies_.clear();
  watch_from_ = 0;
}

std::optional<Reply> TwinClient::poll() { return pop_front(replies_); }

std::optional<Changes> TwinClient::poll_changes() {
  if (watch_from_ == 0) return std::nullopt;
  if (network.cut) {
    watch_from_ = 0;
    return Changes{.error = core::Error{"unreachable", "the watch has ended"}};
  }
  std::optional<Changes> changes = store_.changes(watched_, watch_from_, now_ - network.watch_delay);
  if (changes) watch_from_ = changes->error ? 0 : changes->revision + 1;
  return changes;
}

}  // namespace mobula::test
