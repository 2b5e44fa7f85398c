#include <algorithm>
#include <cluster/control.hpp>
#include <cluster/shallow_json.hpp>
#include <mobula/core/assert.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/name.hpp>
#include <mobula/core/text.hpp>
#include <utility>

namespace mobula::cluster {
namespace {

// Time in which the directory usually has a change that was committed.
constexpr core::Nanoseconds shown_within = core::second / 4;
constexpr std::size_t name_bytes_shown = 100;

// The fields of newer versions stay. Null if the value is no object.
std::optional<std::string> with_draining(std::string_view value) {
  nlohmann::json record = parse_shallow(value);
  if (!record.is_object()) return std::nullopt;
  record["draining"] = true;
  return record.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

core::Error no_such_node(std::string_view name) {
  return {"no such node", core::format("there is no node '{}'", name)};
}

// Checks the names of the worlds of all zones.
core::Status check_worlds(const std::string& map, const server::ZoneMap& zones) {
  for (const server::Zone& zone : zones.zones()) {
    const std::string world = server::zone_world(map, zone);
    if (core::Status good = core::check_name(world); !good)
      return core::Error{"bad name", core::format("world '{}': {}", world, good.error().message)};
  }
  return core::Done{};
}

// Adds what an error of a commit leaves open.
core::Error of_commit(const core::Error& error) {
  return {error.reason, error.message + (may_hold(error) ? "; the change may still take effect" : "")};
}

}  // namespace

core::Result<server::ZoneMap> find_map(const Directory& directory, std::string_view name) {
  const KeyValue* const found = directory.find(std::string(maps_prefix).append(name));
  if (found == nullptr)
    return core::Error{"no such map", core::format("there is no map '{}'", core::shown(name, name_bytes_shown))};
  core::Result<server::ZoneMap> map = server::ZoneMap::parse(found->value);
  if (map) return map;
  return core::Error{"bad record",
                     core::format("map '{}': {}", core::shown(name, name_bytes_shown), map.error().message)};
}

Control::Control(Coordinator& coordinator, ControlConfig config, Pump pump)
    : config_(std::move(config)), pump_(std::move(pump)), metered_(coordinator), directory_(config_.cluster) {
  if (config_.places) placer_ = std::make_unique<Placer>(config_.cluster);
}

void Control::update(core::Nanoseconds now) {
  now_ = now;
  metered_.set_now(now);
  if (placer_) return placer_->update(metered_, now);
  while (const std::optional<Changes> changes = metered_.poll_changes()) directory_.on_changes(*changes, now);
  while (const std::optional<Reply> reply = metered_.poll()) directory_.on_reply(*reply, now);
  directory_.update(metered_, now);
}

std::optional<core::Error> Control::trouble() const {
  const std::string& why = directory().trouble();
  if (directory().complete() && why.empty()) return std::nullopt;
  return core::Error{"unreachable",
                     core::format("no contact with etcd at {}{}{}", config_.etcd, why.empty() ? "" : ": ", why)};
}

core::Status Control::known() const {
  const std::optional<core::Error> why = trouble();
  const std::optional<core::Nanoseconds>& contact = counters().contact;
  if (!why || (directory().complete() && contact && now_ < *contact + stale_after)) return core::Done{};
  return *why;
}

WorldState Control::state_of(const WorldRecord& world) const {
  if (world.state == WorldState::waiting) return world.state;
  const KeyValue* const owner = directory().find(std::string(nodes_prefix) + world.node);
  return owner != nullptr && owner->created == world.run ? world.state : WorldState::waiting;
}

std::optional<WorldRecord> Control::world(std::string_view name) const {
  const auto found = directory().worlds().find(name);
  if (found == directory().worlds().end()) return std::nullopt;
  const WorldRecord& record = found->second.record;
  if (state_of(record) == record.state) return record;
  return WorldRecord{
      .game = record.game, .epoch = record.epoch, .trouble = core::format("node '{}' has ended", record.node)};
}

core::Status Control::admits(std::string_view name, const WorldRecord& world) const {
  constexpr const char* reason = "not open";
  if (world.state != WorldState::open)
    return core::Error{reason, core::format("world '{}' is {}, not open{}{}; try again later", name,
                                            to_string(world.state), world.trouble.empty() ? "" : ": ", world.trouble)};
  const auto node = directory().nodes().find(world.node);
  if (node == directory().nodes().end() || !node->second.record.draining) return core::Done{};
  return core::Error{reason, core::format("node '{}' drains, and world '{}' moves to another node; try again later",
                                          world.node, name)};
}

bool Control::wait(core::Nanoseconds time, const std::function<bool()>& done) {
  update(pump_());
  for (const core::Nanoseconds end = now_ + time; !done(); update(pump_()))
    if (now_ >= end) return false;
  return true;
}

core::Status Control::wait_until_ready() {
  if (!directory().complete()) wait(config_.patience, [this] { return directory().complete(); });
  if (const std::optional<core::Error> why = trouble()) return *why;
  return core::Done{};
}

core::Error Control::unfinished(const std::string& what) const {
  return {"unfinished", core::format("{}: etcd at {} has not answered within {:.1f} s; it may still take effect", what,
                                     config_.etcd, core::in_seconds(config_.patience))};
}

core::Status Control::create(const std::string& world, const std::string& game) {
  if (core::Status ready = wait_until_ready(); !ready) return ready;
  MOBULA_ASSERT(placer_ != nullptr, "the control is a placer");
  const RequestId request = placer_->create(metered_, world, game);
  Created created;
  const bool answered = wait(config_.patience, [&] {
    while (std::optional<Created> next = placer_->poll_created()) {
      if (next->request != request) continue;  // it was given up
      created = std::move(*next);
      return true;
    }
    return false;
  });
  if (!answered) return unfinished(core::format("creation of world '{}'", world));
  if (created.error) return of_commit(*created.error);
  wait(shown_within, [&] { return directory().worlds().contains(world); });
  return core::Done{};
}

core::Status Control::create_map(const std::string& map, const server::ZoneMap& zones, const std::string& game) {
  if (core::Status good = check_worlds(map, zones); !good) return good;
  if (core::Status ready = wait_until_ready(); !ready) return ready;
  if (core::Status made = commit_map(map, zones.to_json()); !made) return made;
  return create_worlds(map, zones, game);
}

core::Status Control::create_worlds(const std::string& map, const server::ZoneMap& zones, const std::string& game) {
  for (const server::Zone& zone : zones.zones()) {
    const std::string world = server::zone_world(map, zone);
    const auto known = directory().worlds().find(world);
    if (known != directory().worlds().end() && known->second.record.game == game) continue;
    if (core::Status created = create(world, game); !created) return created;
  }
  return core::Done{};
}

// All zones of a map have one game.
core::Result<std::string> Control::game_of(const std::string& map, const server::ZoneMap& zones) const {
  const auto& worlds = directory().worlds();
  for (const server::Zone& zone : zones.zones())
    if (const auto found = worlds.find(server::zone_world(map, zone)); found != worlds.end())
      return found->second.record.game;
  return core::Error{"no such map", core::format("no zone of map '{}' has a world", map)};
}

// Worlds of zones that an earlier change has not created come first. The map may change meanwhile.
core::Result<server::ZoneMap> Control::change_map(const std::string& map, const MapChange& change) {
  if (core::Status ready = wait_until_ready(); !ready) return ready.error();
  core::Result<server::ZoneMap> former = find_map(directory(), map);
  if (!former) return former.error();
  const core::Result<std::string> game = game_of(map, *former);
  if (!game) return game.error();
  if (core::Status created = create_worlds(map, *former, *game); !created) return created.error();
  former = find_map(directory(), map);
  if (!former) return former.error();
  const Revision modified = directory().find(std::string(maps_prefix) + map)->modified;
  core::Result<server::ZoneMap> changed = change(*former);
  if (!changed) return changed.error();
  if (core::Status good = check_worlds(map, *changed); !good) return good.error();
  if (core::Status free = check_games(map, *changed, *game); !free) return free.error();
  const std::string full = config_.cluster + std::string(maps_prefix) + map;
  const core::Result<Reply> reply =
      own_reply(metered_.commit_own({{{full, modified}}, {{full, changed->to_json(), 0}}, {}}), "change of the map");
  if (!reply) return reply.error();
  if (!reply->committed)
    return core::Error{"other change", core::format("map '{}' was changed meanwhile; nothing was done", map)};
  wait(shown_within, [&] { return directory().revision() >= reply->revision; });
  if (core::Status created = create_worlds(map, *changed, *game); !created) return created.error();
  return changed;
}

core::Status Control::check_games(const std::string& map, const server::ZoneMap& zones, const std::string& game) const {
  for (const server::Zone& zone : zones.zones()) {
    const auto known = directory().worlds().find(server::zone_world(map, zone));
    if (known != directory().worlds().end() && known->second.record.game != game)
      return core::Error{"name taken", core::format("there is a world '{}' of another game", known->first)};
  }
  return core::Done{};
}

core::Status Control::commit_map(const std::string& map, std::string json) {
  const std::string key = std::string(maps_prefix) + map;
  const core::Error taken{"name taken", core::format("there is another map '{}'", map)};
  if (const KeyValue* const known = directory().find(key); known != nullptr) {
    if (known->value == json) return core::Done{};
    return taken;
  }
  const std::string full = config_.cluster + key;
  const core::Result<Reply> reply =
      own_reply(metered_.commit_own({{{full, 0}}, {{full, std::move(json), 0}}, {}}), "creation of the map");
  if (!reply) return reply.error();
  if (!reply->committed) return taken;
  wait(shown_within, [&] { return directory().revision() >= reply->revision; });
  return core::Done{};
}

core::Result<Reply> Control::own_reply(RequestId request, const char* what) {
  Reply reply;
  const bool answered = wait(config_.patience, [&] {
    while (std::optional<Reply> next = metered_.poll_own()) {
      if (next->request != request) continue;  // it was given up
      reply = std::move(*next);
      return true;
    }
    return false;
  });
  if (!answered) return unfinished(what);
  if (reply.error) return of_commit(*reply.error);
  return reply;
}

core::Status Control::drain(const std::string& node) {
  if (core::Status ready = wait_until_ready(); !ready) return ready;
  const std::string key = std::string(nodes_prefix) + node;
  const std::string full = config_.cluster + key;
  const KeyValue* const known = directory().find(key);
  if (known == nullptr) return no_such_node(node);
  KeyValue current = *known;
  for (const core::Nanoseconds end = now_ + config_.patience; now_ < end;) {
    const core::Result<NodeRecord> record = parse_node(current.value);
    if (record && record->draining) return core::Done{};
    std::optional<std::string> value = with_draining(current.value);
    if (!value) return core::Error{"bad record", core::format("the record of node '{}' is no JSON object", node)};
    const core::Result<Reply> reply = own_reply(
        metered_.commit_own({{{full, current.modified}}, {{full, std::move(*value), current.lease}}, {}}), "drain");
    if (!reply) return reply.error();
    if (reply->committed) {
      wait(shown_within, [&] { return directory().revision() >= reply->revision; });
      return core::Done{};
    }
    const auto now_has = std::ranges::find(reply->values, full, &KeyValue::key);
    if (now_has == reply->values.end()) return no_such_node(node);
    current = *now_has;  // the record has changed meanwhile
  }
  return unfinished(core::format("drain of node '{}'", node));
}

}  // namespace mobula::cluster
