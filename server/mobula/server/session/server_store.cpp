// The server's store: from which world it begins, and what is saved of it.
#include <mobula/core/log.hpp>
#include <mobula/server/session/server.hpp>

namespace mobula::server {
namespace {

using LoadedLevel = core::Result<std::shared_ptr<const resource::Resource>>;

bool is_other(const resource::Resource& a, const resource::Resource& b) {
  return a.identity() != b.identity() || a.server_identity() != b.server_identity();
}

}  // namespace

LoadedLevel Server::first_level(const ServerConfig& config) {
  if (config.store == nullptr || !config.store->has_world()) return config.level;
  const store::SavedLevel* saved = config.store->saved_facts().level.get();
  if (saved == nullptr && config.level != nullptr)
    return core::Error{"other level",
                       "the saved world began without a level: start it without one, or begin a new "
                       "world in another file"};
  if (saved == nullptr) return config.level;
  LoadedLevel level = resource::Resource::from_bytes(saved->file);
  if (!level)
    return core::Error{level.error().reason, "the level in the saved world cannot be used: " + level.error().message};
  return level;
}

core::Status Server::begin_world() {
  store::Store* const store = config_.store;
  if (store == nullptr || !store->has_world()) {
    if (core::Status spawned = world_->spawn_level(); !spawned) return spawned;
    return game_.start(*world_);
  }
  const core::Result<std::vector<std::string>> notes = world_->restore(*store);
  if (!notes) return notes.error();
  for (const std::string& note : *notes)
    core::log_line(core::LogLevel::warn, "store", "the world is not as it was saved: " + note);
  const store::Facts& facts = store->saved_facts();
  core::log_info("store", "restored as of tick {}: {} entities, state {:016x}, {} players", facts.tick,
                 world_->registry().entities().size(), store->saved_state(), facts.players.size());
  if (core::Status loaded = game_.load(*world_, facts.game); !loaded) return loaded;
  std::vector<KnownPlayer> known;
  for (const store::SavedPlayer& each : facts.players)
    known.push_back({each.id, each.name, each.account, each.entity, each.present});
  restore_players(facts.next_player, known);
  return core::Done{};
}

// The level's file may have changed since the world was saved.
core::Status Server::update_level(std::shared_ptr<const resource::Resource> level) {
  if (level == nullptr || config_.level == nullptr || !is_other(*level, *config_.level)) return core::Done{};
  const core::Result<LevelChange> change = reload_level(std::move(level));
  if (!change) return change.error();
  core::log_info("store", "the level has changed since: {} entities kept, {} spawned, {} destroyed", change->kept,
                 change->spawned, change->gone.size());
  return core::Done{};
}

store::Facts Server::facts() {
  store::Facts facts = world_->facts();
  facts.unix_time = unix_time_;
  facts.next_player = next_player_;
  for (KnownPlayer& each : known_players())
    facts.players.push_back({each.id, std::move(each.name), std::move(each.account), each.entity, each.present});
  facts.game = game_.save(*world_);
  return facts;
}

void Server::save_if_due() {
  if (config_.store == nullptr) return;
  config_.store->note();
  // By ticks, and by the clock where ticks come late: what a crash loses is bounded in seconds.
  const bool ticks_over = world_->tick() - saved_tick_ >= config_.checkpoint_ticks;
  const core::Nanoseconds interval = config_.checkpoint_ticks * core::second / config_.ticks_per_second;
  if (saved_at_ == 0) saved_at_ = now_;
  if (!config_.store->ready()) return config_.store->retry(now_);
  if (!ticks_over && now_ - saved_at_ < interval) return;
  saved_tick_ = world_->tick();
  saved_at_ = now_;
  config_.store->checkpoint(facts());
}

core::Status Server::checkpoint() {
  if (config_.store == nullptr) return core::Error{"no store", "the server was started without a file for its world"};
  if (!config_.store->ready()) return core::Error{"busy", "the checkpoint before is still being written"};
  config_.store->note();
  store::Facts now = facts();
  --now.tick;  // the tick that runs has not begun
  config_.store->checkpoint(now);
  return core::Done{};
}

core::Status Server::finish_store() {
  if (config_.store == nullptr) return core::Done{};
  config_.store->note();
  store::Facts now = facts();
  --now.tick;
  return config_.store->finish(now);
}

}  // namespace mobula::server
