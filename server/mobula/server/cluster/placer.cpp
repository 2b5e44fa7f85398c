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
  const auto run_of = [&nodes](const std::string& name, Revision run) {
    const auto node = nodes.find(name);
    return node == nodes.end() || node->second.offer.created != run ? nullptr : &node->second;
  };
  for (const auto& [name, world] : directory_.worlds())
    if (Candidate* const node = run_of(world.record.node, world.record.run)) ++node->worlds;
  for (const auto& [world, placement] : placements_) {
    const auto shown = directory_.worlds().find(world);
    const bool counted = shown != directory_.worlds().end() && shown->second.record.node == placement.node &&
                         shown->second.record.run == placement.run;
    if (Candidate* const node = run_of(placement.node, placement.run); node != nullptr && !counted) ++node->worlds;
  }
  for (const auto& [world, failed] : passed_over_)
    for (const auto& [name, until] : failed)
      if (const auto node = nodes.find(name); node != nodes.end()) ++node->second.failed;
  return nodes;
}

std::optional<core::Error> Placer::ended() const {
  if (!directory_.went_back()) return std::nullopt;
  return core::Error{"coordinator went back", directory_.trouble()};
}

void Placer::update(Coordinator& coordinator, core::Nanoseconds now) {
  while (const std::optional<Changes> changes = coordinator.poll_changes()) directory_.on_changes(*changes, now);
  while (const std::optional<Reply> reply = coordinator.poll()) {
    on_placement(*reply);
    if (!directory_.on_reply(*reply, now) && !attempts_.on_reply(*reply, now)) on_creation(coordinator, *reply);
  }
  if (directory_.went_back()) return;
  forget_old(now);
  const bool waits = !attempts_.empty() || !failures_.empty();
  attempts_.forget_old(now);
  directory_.update(coordinator, now);
  if (!directory_.complete() || (!waits && directory_.revision() == placed_)) return;
  placed_ = directory_.revision();
  Candidates nodes = candidates();
  for (const auto& [name, world] : directory_.worlds()) {
    if (!is_due(name, world, now) || !attempts_.allow(name, world.modified, now)) continue;
    std::optional<Choice> choice = choose(name, world.modified, world.record, nodes);
    if (!choice) continue;
    ++nodes[choice->placement.node].worlds;
    attempts_.add(name, world.modified, place(coordinator, name, std::move(*choice)));
  }
}

void Placer::forget_old(core::Nanoseconds now) {
  const auto is_gone = [this](const auto& each) { return !directory_.worlds().contains(each.first); };
  std::erase_if(failures_, is_gone);
  std::erase_if(passed_over_, is_gone);
  for (auto& [world, failed] : passed_over_)
    std::erase_if(failed, [now](const auto& each) { return now >= each.second; });
  std::erase_if(placements_, [this](const auto& each) {
    return each.second.revision != 0 && directory_.revision() >= each.second.revision;
  });
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
  if (failure.modified != world.modified) {
    failure = {world.modified, now};
    if (!record.failed_on.empty()) passed_over_[name][record.failed_on] = now + passed_over_time;
  }
  return now >= failure.seen + failed_interval;
}

std::string Placer::world_key(const std::string& name) const { return cluster_ + std::string(worlds_prefix) + name; }

// Returns null if no node has room.
std::optional<Placer::Choice> Placer::choose(const std::string& world, Revision modified, const WorldRecord& record,
                                             const Candidates& nodes) const {
  const auto has_room = [&](const Candidate& node) {
    const NodeRecord& offer = node.offer.record;
    return !offer.draining && offer.game == record.game && node.worlds < offer.worlds_max;
  };
  const auto failed = passed_over_.find(world);
  const auto is_passed_over = [&](const auto& node) {
    return node.second.failed >= failed_max || (failed != passed_over_.end() && failed->second.contains(node.first));
  };
  // Compares shares of worlds in use without division, then time.
  const auto is_better = [&](const auto& a, const auto& b) {
    const std::uint64_t left = std::uint64_t{a.second.worlds} * b.second.offer.record.worlds_max;
    const std::uint64_t right = std::uint64_t{b.second.worlds} * a.second.offer.record.worlds_max;
    return std::tuple(is_passed_over(a), left, a.second.load.tick_percent) <
           std::tuple(is_passed_over(b), right, b.second.load.tick_percent);
  };
  auto best = nodes.end();
  for (auto each = nodes.begin(); each != nodes.end(); ++each)
    if (has_room(each->second) && (best == nodes.end() || is_better(*each, *best))) best = each;
  if (best == nodes.end() || record.epoch >= epoch_max) return std::nullopt;
  const auto& [name, node] = *best;
  const std::string key = world_key(world);
  const WorldRecord placed{.game = record.game,
                           .state = WorldState::placed,
                           .epoch = std::max(record.epoch + 1, static_cast<std::uint64_t>(directory_.revision())),
                           .node = name,
                           .run = node.offer.created};
  Transaction transaction{
      .conditions = {{key, modified}, {cluster_ + std::string(nodes_prefix) + name, node.offer.modified}},
      .puts = {{key, to_json(placed)}}};
  return Choice{std::move(transaction), {.node = name, .run = node.offer.created}};
}

// Counts the world for its node until the directory shows it there.
RequestId Placer::place(Coordinator& coordinator, const std::string& world, Choice choice) {
  choice.placement.request = coordinator.commit(choice.transaction);
  return (placements_[world] = std::move(choice.placement)).request;
}

void Placer::on_placement(const Reply& reply) {
  const auto found =
      std::ranges::find(placements_, reply.request, [](const auto& each) { return each.second.request; });
  if (found == placements_.end()) return;
  if (reply.committed)
    found->second.revision = reply.revision;
  else
    placements_.erase(found);
}

RequestId Placer::create(Coordinator& coordinator, const std::string& world, const std::string& game) {
  Creation creation{.world = world, .game = game};
  if (std::optional<core::Error> error = ended()) {
    creation.request = ~refused_++;  // a coordinator counts from 1
    created_.push_back({.request = creation.request, .error = std::move(error)});
    return creation.request;
  }
  std::optional<Choice> choice = choose(world, 0, WorldRecord{.game = game}, candidates());
  if (!choice) return create_waiting(coordinator, creation);
  creation.request = place(coordinator, world, std::move(*choice));
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
