#include <algorithm>
#include <mobula/server/cluster/placer.hpp>
#include <mobula/server/cluster/pop_front.hpp>
#include <tuple>
#include <utility>

namespace mobula::cluster {

Placer::Candidates Placer::candidates() const {
  Candidates nodes;
  for (const auto& [name, node] : directory_.nodes()) {
    const auto load = directory_.loads().find(name);
    nodes[name] = {node, load == directory_.loads().end() ? LoadRecord{} : load->second.record, 0};
  }
  for (const auto& [name, world] : directory_.worlds()) {
    const auto node = nodes.find(world.record.node);
    if (node != nodes.end() && node->second.offer.created == world.record.run) ++node->second.worlds;
  }
  return nodes;
}

void Placer::update(Coordinator& coordinator, core::Nanoseconds now) {
  while (const std::optional<Changes> changes = coordinator.poll_changes()) directory_.on_changes(*changes, now);
  while (const std::optional<Reply> reply = coordinator.poll())
    if (!directory_.on_reply(*reply, now) && !attempts_.on_reply(*reply, now)) on_creation(coordinator, *reply);
  const bool waits = !attempts_.empty() || !failures_.empty();
  attempts_.forget_old(now);
  directory_.update(coordinator, now);
  if (!directory_.complete() || (!waits && directory_.revision() == placed_)) return;
  placed_ = directory_.revision();
  std::erase_if(failures_, [this](const auto& each) { return !directory_.worlds().contains(each.first); });
  Candidates nodes = candidates();
  for (const auto& [name, world] : directory_.worlds()) {
    if (!is_due(name, world, now) || !attempts_.allow(name, world.modified, now)) continue;
    const std::optional<Transaction> transaction = placement(name, world.modified, world.record, nodes);
    if (transaction) attempts_.add(name, world.modified, coordinator.commit(*transaction));
  }
}

// Returns true for a world without an owner that lives.
bool Placer::is_due(const std::string& name, const Listed<WorldRecord>& world, core::Nanoseconds now) {
  const WorldRecord& record = world.record;
  if (record.state != WorldState::waiting) {
    failures_.erase(name);
    // Its key counts, whatever its value is: that of a newer version may not be read here.
    const KeyValue* const owner = directory_.find(std::string(nodes_prefix) + record.node);
    return owner == nullptr || owner->created != record.run;
  }
  if (record.trouble.empty()) return true;
  Failure& failure = failures_[name];
  if (failure.modified != world.modified) failure = {world.modified, now};
  return now >= failure.seen + failed_interval;
}

std::string Placer::world_key(const std::string& name) const { return cluster_ + std::string(worlds_prefix) + name; }

// Returns null if no node has room. Counts the world for its node.
std::optional<Transaction> Placer::placement(const std::string& world, Revision modified, const WorldRecord& record,
                                             Candidates& nodes) const {
  const auto has_room = [&](const Candidate& node) {
    const NodeRecord& offer = node.offer.record;
    return !offer.draining && offer.game == record.game && node.worlds < offer.worlds_max;
  };
  // Compares shares of worlds in use without division, then time.
  const auto less_loaded = [](const Candidate& a, const Candidate& b) {
    const std::uint64_t left = std::uint64_t{a.worlds} * b.offer.record.worlds_max;
    const std::uint64_t right = std::uint64_t{b.worlds} * a.offer.record.worlds_max;
    return std::tuple(left, a.load.tick_percent) < std::tuple(right, b.load.tick_percent);
  };
  auto best = nodes.end();
  for (auto each = nodes.begin(); each != nodes.end(); ++each)
    if (has_room(each->second) && (best == nodes.end() || less_loaded(each->second, best->second))) best = each;
  if (best == nodes.end()) return std::nullopt;
  auto& [name, node] = *best;
  ++node.worlds;
  const std::string key = world_key(world);
  const WorldRecord placed{.game = record.game,
                           .state = WorldState::placed,
                           .epoch = std::max(record.epoch + 1, static_cast<std::uint64_t>(directory_.revision())),
                           .node = name,
                           .run = node.offer.created};
  return Transaction{
      .conditions = {{key, modified}, {cluster_ + std::string(nodes_prefix) + name, node.offer.modified}},
      .puts = {{key, to_json(placed)}}};
}

RequestId Placer::create(Coordinator& coordinator, const std::string& world, const std::string& game) {
  Candidates nodes = candidates();
  Creation creation{.world = world, .game = game};
  const std::optional<Transaction> transaction = placement(world, 0, WorldRecord{.game = game}, nodes);
  if (!transaction) return create_waiting(coordinator, creation);
  creation.request = coordinator.commit(*transaction);
  creations_[creation.request] = creation;
  return creation.request;
}

RequestId Placer::create_waiting(Coordinator& coordinator, const Creation& creation) {
  const std::string key = world_key(creation.world);
  const RequestId sent = coordinator.commit({{{key, 0}}, {{key, to_json(WorldRecord{.game = creation.game})}}, {}});
  Creation& waiting = creations_[sent] = creation;
  if (waiting.request == 0) waiting.request = sent;
  return waiting.request;
}

void Placer::on_creation(Coordinator& coordinator, const Reply& reply) {
  const auto found = creations_.find(reply.request);
  if (found == creations_.end()) return;
  const Creation creation = std::move(found->second);
  creations_.erase(found);
  Created created{.request = creation.request, .error = reply.error};
  if (!reply.error && !reply.committed) {
    const std::string key = world_key(creation.world);
    const bool exists = std::ranges::any_of(reply.values, [&](const KeyValue& each) { return each.key == key; });
    if (!exists) {  // its node has changed meanwhile
      create_waiting(coordinator, creation);
      return;
    }
    created.error = core::Error{"name taken", "there already is a world \"" + creation.world + "\""};
  }
  created_.push_back(std::move(created));
}

std::optional<Created> Placer::poll_created() { return pop_front(created_); }

}  // namespace mobula::cluster
