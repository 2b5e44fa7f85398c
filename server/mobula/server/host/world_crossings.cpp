#include <algorithm>
#include <mobula/core/bytes.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/hash.hpp>
#include <mobula/core/log.hpp>
#include <mobula/core/text.hpp>
#include <mobula/server/cluster/crossing_schema.hpp>
#include <mobula/server/host/world_crossings.hpp>
#include <mobula/server/store/store.hpp>
#include <utility>

namespace mobula::server {
namespace {

using cluster::CrossingEvent;
using cluster::CrossingRecord;
using transport::ReasonCode;

constexpr core::Nanoseconds retry_interval = core::second;
// Crossings to other zones that are not decided yet. Further entities wait here, where they are seen.
constexpr std::size_t undecided_max = cluster::Crossings::crossings_max;
// Entities without a player that cross together, with all below them. Many do after a split.
constexpr std::size_t batch_max = 64;
constexpr std::size_t name_bytes_shown = 64;

std::vector<ecs::Entity> entities_of(const CrossingRecord& record) {
  std::vector<ecs::Entity> entities;
  for (const std::string& text : record.entities)
    if (const std::optional<ecs::Entity> entity = ecs::parse_entity(text)) entities.push_back(*entity);
  return entities;
}

std::vector<std::string> texts_of(std::span<const ecs::Entity> entities) {
  std::vector<std::string> texts;
  for (const ecs::Entity entity : entities) texts.push_back(ecs::to_string(entity));
  return texts;
}

// Entities that have ended far from home are reported by a record without a pack.
bool is_of_ended(const CrossingRecord& record) { return !record.entities.empty() && record.pack.empty(); }

core::Result<CrossingPlayer> player_of(const CrossingRecord& record, core::Bytes&& pack) {
  CrossingPlayer player{
      .account = record.account, .name = record.name, .data = record.data, .commands = record.commands};
  if (record.entities.empty()) {
    player.pack = std::move(pack);
    return player;
  }
  core::Result<ZonePack> zone = parse_zone_pack(pack);
  if (!zone) return zone.error();
  player.zone = std::move(*zone);
  return player;
}

// Names what crosses in a log line.
std::string shown(const CrossingRecord& record) {
  if (!record.account.empty()) return "account " + record.account;
  return "entity " + (record.entities.empty() ? "?" : record.entities.front());
}

// Returns how the IDs of a world's departures begin.
std::string ids_of(const std::string& world) {
  return core::format("{:016x}-", core::hash64(core::as_bytes(world.data(), world.size())));
}

// No two owners of a world have the same epoch, so no other departure has this ID.
std::string id_of(const std::string& world, std::uint64_t epoch, std::uint64_t number) {
  return core::format("{}{}-{}", ids_of(world), epoch, number);
}

// Returns whether a key of the ledger or of a crossing may have what the world needs to know where its players are.
bool concerns(const std::string& key, const std::string& world, const cluster::LedgerState& saved) {
  if (!key.starts_with(cluster::crossings_prefix)) return true;
  const std::string id = key.substr(cluster::crossings_prefix.size());
  return id.starts_with(ids_of(world)) || saved.prepared.contains(id) || saved.left.contains(id) ||
         saved.arrived.contains(id);
}

}  // namespace

WorldCrossings::WorldCrossings(std::string world, std::uint64_t epoch, Server& server, const store::Store* store,
                               cluster::WorldNode& node, ZoneHost* zone)
    : world_(std::move(world)),
      schema_(to_string(server.world().schema().fingerprint())),
      epoch_(epoch),
      server_(server),
      store_(store),
      node_(node),
      zone_(zone),
      ledger_(world_, *this) {}

core::Status WorldCrossings::begin(const cluster::NodeTask& task, core::Nanoseconds now) {
  now_ = now;
  const core::LogScope about({.world = world_});
  core::Result<cluster::LedgerState> saved = cluster::parse_ledger_state(server_.saved_crossings());
  if (!saved) return saved.error();
  for (const std::string& key : task.unreadable)
    if (concerns(key, world_, *saved))
      return core::Error{"bad record", core::format("the value of key '{}' in etcd cannot be read, so some of the "
                                                    "world's players may be elsewhere: mend it, or erase it",
                                                    key)};
  if (store_ == nullptr) saved->version = task.ledger.version;  // a world without saves begins anew
  node_.saved(world_, epoch_, saved->version, saved->saved_ids());
  // The later decisions follow.
  for (const auto& [account, target] : std::exchange(saved->departed, {}))
    server_.crossing().leave(account, target, now_);
  if (core::Status good = ledger_.restore(std::move(*saved), task.crossings, task.ledger.version); !good) return good;
  server_.on_save_crossings([this] { return save(); });
  return core::Done{};
}

void WorldCrossings::update(core::Nanoseconds now) {
  now_ = now;
  const core::LogScope about({.world = world_});
  for (const World::Departure& each : server_.world().take_departures()) depart(each);
  if (zone_ != nullptr) update_zone(now);
  note_saves();
  if (now < retry_at_ || ledger_.waiting() == 0) return;
  retry_at_ = now + retry_interval;
  ledger_.retry();
}

void WorldCrossings::depart(const World::Departure& departure) {
  const auto refuse = [&](const core::Error& error) {
    core::log_warn("cluster", "player {} does not leave for world {}: {}: {}", departure.player,
                   core::shown(departure.world, name_bytes_shown), error.reason, error.message);
  };
  if (const core::Status may = node_.may_cross(world_, departure.world); !may) return refuse(may.error());
  core::Result<CrossingPlayer> player =
      server_.crossing().release(departure.player, departure.world, cluster::crossing_bytes_max);
  if (!player) return refuse(player.error());
  prepare(std::move(*player), departure.world);
}

// Once for each tick of this world.
void WorldCrossings::update_zone(core::Nanoseconds now) {
  if (std::exchange(zone_tick_, server_.world().tick()) == server_.world().tick()) return;
  zone_->update(now);
  if (const std::span<const Leaving> leaving = zone_->leaving(now); !leaving.empty()) cross_all(leaving, now);
  send_followers();
  report_ended(false);
}

void WorldCrossings::cross_all(std::span<const Leaving> leaving, core::Nanoseconds now) {
  const std::vector<ecs::Entity> of_players = server_.crossing().roots_of_players();
  std::map<std::uint32_t, std::vector<ecs::Entity>> batches;  // by zone that is open
  for (const auto& [root, zone] : leaving) {
    if (!batches.contains(zone) && !zone_->is_open(zone)) continue;
    std::vector<ecs::Entity>& batch = batches[zone];
    if (std::ranges::binary_search(of_players, root))
      cross(zone, {&root, 1}, now);
    else if (batch.size() < batch_max)
      batch.push_back(root);
  }
  for (const auto& [zone, roots] : batches) cross(zone, roots, now);
}

// A hook of the game may have destroyed some since they were found, or sent them along with another root.
void WorldCrossings::cross(std::uint32_t zone, std::span<const ecs::Entity> found, core::Nanoseconds now) {
  std::vector<ecs::Entity> roots(found.begin(), found.end());
  std::erase_if(roots, [&](ecs::Entity root) { return !server_.world().is_own_root(root); });
  if (roots.empty() || ledger_.state().prepared.size() >= undecided_max) return;
  const std::string target = zone_->world_of(zone);
  const auto keep = [&](std::span<const ecs::Entity> entities) { zone_->keep(zone, entities); };
  core::Status may = node_.may_cross(world_, target);
  if (may) {
    core::Result<CrossingPlayer> left =
        server_.crossing().release_to_zone(roots, target, cluster::crossing_bytes_max, keep);
    if (left) return prepare(std::move(*left), target);
    may = left.error();
  }
  if (roots.size() > 1 && may.error().reason == std::string_view("too large")) {
    const std::span<const ecs::Entity> all(roots);
    cross(zone, all.first(all.size() / 2), now);
    return cross(zone, all.subspan(all.size() / 2), now);
  }
  for (const ecs::Entity root : roots) zone_->refuse(root, now);
  core::log_warn("cluster", "{} entities, {} the first of them, do not cross to zone {}: {}: {}", roots.size(),
                 ecs::to_string(roots.front()), target, may.error().reason, may.error().message);
}

// Clients of players that other zones have, as soon as these are open.
void WorldCrossings::send_followers() {
  std::erase_if(followers_, [&](const auto& follower) {
    const auto& [account, target] = follower;
    const std::optional<transport::Identity> client = server_.crossing().follower(account);
    if (!client) return true;
    const std::optional<wire::Follow> way = zone_->way_to(target, cluster::new_identity(client->user_data));
    if (way) server_.crossing().send_follow(account, *way);
    return way.has_value();
  });
}

// A save has them all, as of the same tick: else their homes would reserve their indices for ever. Without a save they
// wait until the cluster accepts crossings.
void WorldCrossings::report_ended(bool saves) {
  for (const EndedGuests& ended : zone_->take_ended()) {
    const std::string home = zone_->world_of(ended.home);
    if (saves || node_.may_cross(world_, home))
      decide({.source = world_, .target = home, .entities = texts_of(ended.entities)});
    else
      zone_->end_again(ended.entities);
  }
}

void WorldCrossings::prepare(CrossingPlayer&& player, const std::string& target) {
  const bool is_zone = !player.zone.entities.empty();
  decide({.source = world_,
          .target = target,
          .account = std::move(player.account),
          .name = std::move(player.name),
          .entities = texts_of(player.zone.entities),
          .pack = is_zone ? to_bytes(player.zone) : std::move(player.pack),
          .data = std::move(player.data),
          .commands = player.commands});
}

void WorldCrossings::decide(CrossingRecord&& record) {
  const std::string id = id_of(world_, epoch_, ++number_);
  if (!record.account.empty()) accounts_[id] = record.account;
  ledger_.prepare(id, record);
  if (node_.has_schema(schema_)) cluster::cut_schema(record, schema_, server_.world().schema().bytes());
  node_.depart(world_, epoch_, id, std::move(record));
}

core::Result<core::Bytes> WorldCrossings::whole_pack(const CrossingRecord& record) const {
  if (record.schema.empty() || record.schema == schema_)
    return cluster::whole_pack(record, server_.world().schema().bytes());
  const std::optional<core::Bytes> schema = node_.find_schema(record.schema);
  if (schema) return cluster::whole_pack(record, *schema);
  return core::Error{"no schema", core::format("the cluster has no schema {:.16}", record.schema)};
}

void WorldCrossings::on_event(const CrossingEvent& event) {
  const core::LogScope about({.world = world_});
  ledger_.on_event(event);
  const bool has_crossed = event.kind == CrossingEvent::Kind::departed && !event.record.entities.empty();
  if (zone_ != nullptr && has_crossed && !is_of_ended(event.record)) zone_->count_out();
  const auto account = accounts_.extract(event.id);
  if (account.empty()) return;
  if (event.kind == CrossingEvent::Kind::departed) {
    server_.crossing().end(account.mapped(), {ReasonCode::moved, event.record.target});
    followers_[account.mapped()] = event.record.target;
  } else {
    core::log_warn("cluster", "account {} stays: the crossing was refused: {}", account.mapped(), event.why);
    server_.crossing().end(account.mapped(), {ReasonCode::pipe_lost, "the crossing was refused"});
  }
}

bool WorldCrossings::take(const CrossingRecord& crossing) {
  if (is_of_ended(crossing)) return take_ended(crossing);
  core::Result<core::Bytes> pack = whole_pack(crossing);
  const core::Result<CrossingPlayer> player =
      pack ? player_of(crossing, std::move(*pack)) : core::Result<CrossingPlayer>(pack.error());
  const core::Status taken = player ? server_.crossing().take_in(*player, world_) : core::Status(player.error());
  if (taken && zone_ != nullptr && crossing.source != world_) zone_->count_in();
  if (taken) return true;
  if (zone_ != nullptr) zone_->forget_ended(entities_of(crossing));  // the record has them
  if (!crossing.account.empty()) server_.crossing().expect(crossing.account);
  core::log_warn("cluster", "{} is not taken in yet: {}: {}", shown(crossing), taken.error().reason,
                 taken.error().message);
  return false;
}

// At home the indices become free. The zone in which they ended reports them anew if the cluster has refused it.
bool WorldCrossings::take_ended(const CrossingRecord& record) {
  if (zone_ == nullptr) return true;
  record.source == world_ ? zone_->end_again(entities_of(record)) : zone_->end_abroad(entities_of(record));
  return true;
}

void WorldCrossings::remove(const CrossingRecord& crossing) {
  server_.crossing().remove(crossing.account, entities_of(crossing));
  if (!crossing.account.empty()) server_.crossing().end(crossing.account, {ReasonCode::moved, crossing.target});
}

void WorldCrossings::leave(const CrossingRecord& crossing) {
  if (!crossing.account.empty()) server_.crossing().leave(crossing.account, crossing.target, now_);
}

bool WorldCrossings::has(const std::string& account) const {
  return std::ranges::any_of(server_.known_players(), [&](const KnownPlayer& each) { return each.account == account; });
}

// A save begins when the one before is on the disk, but for the last one, which no update() follows.
core::Bytes WorldCrossings::save() {
  if (zone_ != nullptr) report_ended(true);
  const std::uint64_t number = store_ != nullptr ? store_->status().checkpoints + 1 : 0;
  saves_.push_back({number, ledger_.state().version, ledger_.state().saved_ids()});
  cluster::LedgerState state = ledger_.state();
  state.departed = server_.crossing().departed(now_);
  return cluster::to_bytes(state);
}

void WorldCrossings::note_saves() {
  if (store_ == nullptr) {
    if (std::exchange(noted_, ledger_.state().version) != ledger_.state().version)
      node_.saved(world_, epoch_, noted_, ledger_.state().saved_ids());
    return;
  }
  if (saves_.empty()) return;
  const std::uint64_t on_disk = store_->status().checkpoints;
  for (; !saves_.empty() && saves_.front().number <= on_disk; saves_.pop_front())
    node_.saved(world_, epoch_, saves_.front().version, saves_.front().ids);
}

}  // namespace mobula::server
