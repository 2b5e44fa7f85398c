#include <algorithm>
#include <mobula/core/assert.hpp>
#include <mobula/core/base64.hpp>
#include <mobula/core/name.hpp>
#include <mobula/server/cluster/node.hpp>
#include <mobula/server/cluster/pop_front.hpp>
#include <utility>

namespace mobula::cluster {
namespace {

std::string key_of_schema(std::string_view hash) { return std::string(schemas_prefix).append(hash); }

}  // namespace

Node::Node(NodeConfig config)
    : config_(std::move(config)), lease_(config_.ttl), directory_(config_.cluster), crossings_(config_.cluster) {
  MOBULA_CHECK(core::is_good_name(config_.name), "a node has a name of letters and digits: '" + config_.name + "'");
}

void Node::update(Coordinator& coordinator, core::Nanoseconds now) {
  now_ = now;
  receive(coordinator);
  if (ended_) return;
  changed_ = changed_ || !attempts_.empty();
  attempts_.forget_old(now);
  if (std::optional<core::Error> reason = reason_to_end()) return end(std::move(*reason));
  lease_.update(coordinator, now);
  directory_.update(coordinator, now);
  if (lease_.lease() == 0 || !directory_.complete()) return;
  if (changed_ || directory_.revision() != reconciled_) {
    changed_ = false;
    reconciled_ = directory_.revision();
    reconcile_node(coordinator);
    if (serving()) reconcile_worlds(coordinator);
  }
  if (!serving()) return;
  crossings_.update(coordinator, directory_, now);
  publish_load(coordinator);
}

void Node::receive(Coordinator& coordinator) {
  while (const std::optional<Changes> changes = coordinator.poll_changes()) {
    if (changes->error) last_error_ = changes->error->message;
    directory_.on_changes(*changes, now_);
  }
  while (const std::optional<Reply> reply = coordinator.poll()) {
    if (reply->error)
      last_error_ = reply->error->message;
    else
      last_contact_ = now_;
    if (lease_.on_reply(*reply, now_) || directory_.on_reply(*reply, now_)) continue;
    if (!crossings_.on_reply(*reply, now_)) attempts_.on_reply(*reply, now_);
  }
}

std::optional<core::Error> Node::reason_to_end() const {
  if (lease_.lost(now_)) {
    const std::string& why = lease_.trouble();
    return core::Error{"lease lost", "the coordinator has not renewed the lease" + (why.empty() ? why : ": " + why)};
  }
  if (directory_.went_back()) return core::Error{"coordinator went back", directory_.trouble()};
  const core::Nanoseconds limit = config_.tick_timeout;
  if (limit > 0 && last_tick_ && now_ > *last_tick_ + limit)
    return core::Error{"ticks stopped", "no tick has run for " + std::to_string((now_ - *last_tick_) / core::second) +
                                            " s, more than the limit of " + std::to_string(limit / core::second) +
                                            " s; the lease is not renewed"};
  return std::nullopt;
}

// The process has no world any more, whatever the directory has.
void Node::end(core::Error error) {
  last_error_ = error.message;
  ended_ = std::move(error);
  for (const auto& [world, held] : held_) {
    tasks_.push_back({.kind = NodeTask::Kind::drop, .world = world, .epoch = held.epoch});
    crossings_.close(world);
  }
  held_.clear();
}

// Commits the value of a key, unless the directory has it.
void Node::commit(Coordinator& coordinator, std::string_view key, const std::string& value, LeaseId lease) {
  const KeyValue* const known = directory_.find(key);
  const Revision modified = known == nullptr ? 0 : known->modified;
  if (known != nullptr && known->value == value) return;
  if (!attempts_.allow(key, modified, now_)) return;
  const std::string full = config_.cluster + std::string(key);
  attempts_.add(key, modified, coordinator.commit({{{full, modified}}, {{full, value, lease}}, {}}));
}

void Node::reconcile_node(Coordinator& coordinator) {
  const std::string key = std::string(nodes_prefix) + config_.name;
  const KeyValue* const known = directory_.find(key);
  const bool is_own = known != nullptr && known->lease == lease_.lease();
  if (run_ != 0 && (!is_own || known->created != run_))
    return end({"lease lost", "the node's key was erased from the coordinator, or has another lease"});
  if (known != nullptr && !is_own) {  // a former run has it until its lease ends
    if (std::exchange(name_holder_, known->created) != known->created) name_taken_since_ = now_;
    changed_ = true;  // by time
    if (now_ >= name_taken_since_ + 3 * config_.ttl)
      end({"name taken", "another process is node \"" + config_.name + "\" of this cluster"});
    return;
  }
  if (is_own) {
    run_ = known->created;
    adopt_draining(*known);
  }
  commit(coordinator, key, to_json(config_.offer), lease_.lease());
  publish_schema(coordinator);
}

// Once for all nodes. Whole packs cross without it.
void Node::publish_schema(Coordinator& coordinator) {
  if (config_.schema.empty() || config_.schema.size() / 4 * 3 > crossing_bytes_max) return;
  commit(coordinator, key_of_schema(config_.offer.game), config_.schema, 0);
}

// An operator has set `draining` in the key of this run.
void Node::adopt_draining(const KeyValue& key) {
  const core::Result<NodeRecord> record = parse_node(key.value);
  if (record && record->draining) config_.offer.draining = true;
}

void Node::reconcile_worlds(Coordinator& coordinator) {
  drop_lost_worlds();
  for (const auto& [world, listed] : directory_.worlds())
    if (is_own(listed.record)) reconcile_world(coordinator, world, listed.record);
}

bool Node::is_own(const WorldRecord& record) const { return record.node == config_.name && record.run == run_; }

// Drops worlds that the directory has given to others.
void Node::drop_lost_worlds() {
  std::erase_if(held_, [this](const auto& each) {
    const auto& [world, held] = each;
    const auto listed = directory_.worlds().find(world);
    const bool own = listed != directory_.worlds().end() && is_own(listed->second.record) &&
                     listed->second.record.epoch == held.epoch;
    const bool closed = held.closing && held.wanted;
    if (!own && !closed) tasks_.push_back({.kind = NodeTask::Kind::drop, .world = world, .epoch = held.epoch});
    if (!own) crossings_.close(world);
    return !own;
  });
}

void Node::reconcile_world(Coordinator& coordinator, const std::string& world, const WorldRecord& record) {
  const auto [at, is_new] = held_.try_emplace(world, Held{.epoch = record.epoch});
  Held& held = at->second;
  if (is_new && held_.size() > config_.offer.worlds_max) {  // placers did not know of each other's worlds
    held.closing = true;
    held.wanted = WorldRecord{.trouble = "the node is full"};
  } else if (is_new) {
    tasks_.push_back(task_to_open(world, record.epoch));
  }
  if (config_.offer.draining && !held.closing && held.wanted) {
    held.closing = true;
    held.wanted.reset();
    tasks_.push_back({.kind = NodeTask::Kind::close, .world = world, .epoch = held.epoch});
  }
  if (!held.wanted) return;
  WorldRecord wanted = *held.wanted;
  wanted.game = record.game;
  wanted.epoch = std::max(record.epoch, wanted.epoch);
  if (wanted.state == WorldState::open) {
    wanted.node = config_.name;
    wanted.run = run_;
  }
  commit(coordinator, std::string(worlds_prefix) + world, to_json(wanted), 0);
}

NodeTask Node::task_to_open(const std::string& world, std::uint64_t epoch) {
  std::vector<std::string> unreadable = directory_.unreadable_keys(crossings_prefix);
  const std::string ledger = std::string(ledgers_prefix) + world;
  for (const std::string& key : directory_.unreadable_keys(ledger))
    if (key == ledger) unreadable.push_back(key);
  return {.kind = NodeTask::Kind::open,
          .world = world,
          .epoch = epoch,
          .crossings = crossings_.open(directory_, world, epoch),
          .ledger = directory_.ledger(world).record,
          .unreadable = std::move(unreadable),
          .map = map_of(world)};
}

std::string Node::map_of(std::string_view world) const {
  const ZoneName name = zone_name(world);
  const KeyValue* const map =
      name.map.empty() ? nullptr : directory_.find(std::string(maps_prefix) + std::string(name.map));
  return map == nullptr ? std::string() : map->value;
}

void Node::publish_load(Coordinator& coordinator) {
  if (now_ < load_due_) return;
  load_due_ = now_ + load_interval;
  commit(coordinator, std::string(loads_prefix) + config_.name, to_json(load_), lease_.lease());
}

std::optional<NodeTask> Node::poll_task() { return pop_front(tasks_); }

Node::Held* Node::find(std::string_view world, std::uint64_t epoch) {
  const auto found = held_.find(world);
  return found == held_.end() || found->second.epoch != epoch ? nullptr : &found->second;
}

void Node::opened(std::string_view world, std::uint64_t epoch, std::vector<std::string> addresses) {
  changed_ = true;
  if (Held* const held = find(world, epoch))
    held->wanted = WorldRecord{.state = WorldState::open, .addresses = std::move(addresses)};
}

void Node::failed(std::string_view world, std::uint64_t epoch, std::string why) {
  if (why.empty()) why = "it cannot be opened";
  release(world, epoch, {.trouble = std::move(why), .failed_on = config_.name});
}

void Node::closed(std::string_view world, std::uint64_t epoch) { release(world, epoch, {}); }

void Node::superseded(std::string_view world, std::uint64_t epoch, std::uint64_t last_epoch) {
  release(world, epoch, {.epoch = last_epoch});
}

// Gives a world back with the record that it is to have.
void Node::release(std::string_view world, std::uint64_t epoch, WorldRecord record) {
  changed_ = true;
  if (Held* const held = find(world, epoch)) {
    held->closing = true;
    held->wanted = std::move(record);
  }
}

void Node::drain() {
  changed_ = true;
  config_.offer.draining = true;
}

std::optional<WorldRecord> Node::find_world(std::string_view world) const {
  const auto found = directory_.worlds().find(world);
  if (found == directory_.worlds().end()) return std::nullopt;
  return found->second.record;
}

std::optional<std::string> Node::changed_map(std::string_view map, Revision& seen) const {
  const KeyValue* const found = directory_.find(std::string(maps_prefix).append(map));
  if (found == nullptr || std::exchange(seen, found->modified) == found->modified) return std::nullopt;
  return found->value;
}

bool Node::has_schema(std::string_view hash) const { return directory_.find(key_of_schema(hash)) != nullptr; }

std::optional<core::Bytes> Node::find_schema(std::string_view hash) const {
  const KeyValue* const found = directory_.find(key_of_schema(hash));
  return found == nullptr ? std::nullopt : core::from_base64(found->value);
}

core::Status Node::may_cross(std::string_view source, std::string_view target) const {
  const auto from = directory_.worlds().find(source);
  const auto to = directory_.worlds().find(target);
  if (to == directory_.worlds().end() || source == target)
    return core::Error{"no such world", "the cluster has no other world of this name"};
  if (from == directory_.worlds().end() || from->second.record.game != to->second.record.game)
    return core::Error{"other game", "the worlds have different games"};
  if (!lease_.trouble().empty()) return core::Error{"no decision", "etcd decides nothing now: " + lease_.trouble()};
  if (crossings_.is_full()) return core::Error{"no decision", "etcd has no space for crossings"};
  return core::Done{};
}

RequestId Node::leave(Coordinator& coordinator) const {
  return lease_.lease() == 0 ? 0 : coordinator.revoke(lease_.lease());
}

NodeStatus Node::status(core::Nanoseconds now) const {
  NodeStatus status{.unreadable = directory_.unreadable(),
                    .last_error = last_error_,
                    .lease_left = std::max<core::Nanoseconds>(valid_until() - now, 0),
                    .corrections = directory_.corrections(),
                    .commits_failed = attempts_.failed(),
                    .draining = config_.offer.draining};
  if (last_contact_) status.since_contact = now - *last_contact_;
  for (const std::string* each : {&lease_.trouble(), &directory_.trouble(), &attempts_.trouble()})
    if (status.trouble.empty()) status.trouble = *each;
  if (ended_) status.trouble = ended_->message;
  return status;
}

}  // namespace mobula::cluster
