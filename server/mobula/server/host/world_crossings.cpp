#include <mobula/core/bytes.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/hash.hpp>
#include <mobula/core/log.hpp>
#include <mobula/core/text.hpp>
#include <mobula/server/host/world_crossings.hpp>
#include <mobula/server/store/store.hpp>
#include <utility>

namespace mobula::server {
namespace {

using cluster::CrossingEvent;
using cluster::CrossingRecord;
using transport::ReasonCode;

constexpr core::Nanoseconds retry_interval = core::second;
constexpr std::size_t name_bytes_shown = 64;

CrossingPlayer player_of(const CrossingRecord& record) {
  return {.account = record.account, .name = record.name, .pack = record.pack, .data = record.data};
}

// No two owners of a world have the same epoch, so no other departure has this ID.
std::string id_of(const std::string& world, std::uint64_t epoch, std::uint64_t number) {
  return core::format("{:016x}-{}-{}", core::hash64(core::as_bytes(world.data(), world.size())), epoch, number);
}

}  // namespace

WorldCrossings::WorldCrossings(std::string world, std::uint64_t epoch, Server& server, const store::Store* store,
                               cluster::NodeThread& node)
    : world_(std::move(world)), epoch_(epoch), server_(server), store_(store), node_(node), ledger_(world_, *this) {}

core::Status WorldCrossings::begin(const cluster::NodeTask& task) {
  const core::LogScope about({.world = world_});
  core::Result<cluster::LedgerState> saved = cluster::parse_ledger_state(server_.saved_crossings());
  if (!saved) return saved.error();
  if (store_ == nullptr) saved->version = task.ledger.version;  // a world without saves begins anew
  node_.saved(world_, epoch_, saved->version, saved->saved_ids());
  if (core::Status good = ledger_.restore(std::move(*saved), task.crossings, task.ledger.version); !good) return good;
  server_.on_save_crossings([this](ecs::Tick tick) { return save(tick); });
  return core::Done{};
}

void WorldCrossings::update(core::Nanoseconds now) {
  const core::LogScope about({.world = world_});
  for (const World::Departure& each : server_.world().take_departures()) depart(each);
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
  const std::string id = id_of(world_, epoch_, ++number_);
  CrossingRecord record{.source = world_,
                        .target = departure.world,
                        .account = std::move(player->account),
                        .name = std::move(player->name),
                        .pack = std::move(player->pack),
                        .data = std::move(player->data)};
  accounts_[id] = record.account;
  ledger_.prepare(id, record);
  node_.depart(world_, epoch_, id, std::move(record));
}

void WorldCrossings::on_event(const CrossingEvent& event) {
  const core::LogScope about({.world = world_});
  ledger_.on_event(event);
  const auto account = accounts_.extract(event.id);
  if (account.empty()) return;
  if (event.kind == CrossingEvent::Kind::departed) {
    server_.crossing().end(account.mapped(), {ReasonCode::moved, event.record.target});
  } else {
    core::log_warn("cluster", "account {} stays: the crossing was refused: {}", account.mapped(), event.why);
    server_.crossing().end(account.mapped(), {ReasonCode::pipe_lost, "the crossing was refused"});
  }
}

bool WorldCrossings::take(const CrossingRecord& player) {
  const core::Status taken = server_.crossing().take_in(player_of(player), world_);
  if (taken) return true;
  server_.crossing().expect(player.account);
  core::log_warn("cluster", "account {} is not taken in yet: {}: {}", player.account, taken.error().reason,
                 taken.error().message);
  return false;
}

void WorldCrossings::leave(const CrossingRecord& player) {
  server_.crossing().leave(player.account, player.target, core::monotonic_now());
}

core::Bytes WorldCrossings::save(ecs::Tick tick) {
  saves_.push_back({tick, ledger_.state().version, ledger_.state().saved_ids()});
  return cluster::to_bytes(ledger_.state());
}

void WorldCrossings::note_saves() {
  if (store_ == nullptr) {
    if (std::exchange(noted_, ledger_.state().version) != ledger_.state().version)
      node_.saved(world_, epoch_, noted_, ledger_.state().saved_ids());
    return;
  }
  if (saves_.empty()) return;
  const ecs::Tick on_disk = store_->status().tick;
  for (; !saves_.empty() && saves_.front().tick <= on_disk; saves_.pop_front())
    node_.saved(world_, epoch_, saves_.front().version, saves_.front().ids);
}

}  // namespace mobula::server
