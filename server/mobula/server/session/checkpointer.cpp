#include <mobula/core/log.hpp>
#include <mobula/ecs/read_only.hpp>
#include <mobula/server/game/hook.hpp>
#include <mobula/server/session/checkpointer.hpp>
#include <utility>

namespace mobula::server {

core::Result<std::shared_ptr<const resource::Resource>> Checkpointer::first_level(const ServerConfig& config) {
  if (config.store == nullptr || !config.store->has_world()) return config.level;
  const store::SavedLevel* saved = config.store->saved_facts().level.get();
  if (saved == nullptr && config.level != nullptr)
    return core::Error{"other level",
                       "the saved world began without a level: start it without one, or begin a new "
                       "world in another file"};
  if (saved == nullptr) return config.level;
  core::Result<std::shared_ptr<const resource::Resource>> level = resource::Resource::from_bytes(saved->file);
  if (!level)
    return core::Error{level.error().reason, "the level in the saved world cannot be used: " + level.error().message};
  return level;
}

core::Status Checkpointer::restore() {
  store::Store& store = *config_.store;
  const core::Result<std::vector<std::string>> notes = world_.restore(store);
  if (!notes) return notes.error();
  for (const std::string& note : *notes)
    core::log_line(core::LogLevel::warn, "store", "the world is not as it was saved: " + note);
  const store::Facts& facts = store.saved_facts();
  core::log_info("store", "restored as of tick {}: {} entities, state {:016x}, {} players", facts.tick,
                 world_.registry().entities().size(), store.saved_state(), facts.players.size());
  if (core::Status loaded = run_hook("Game::load", [&] { return game_.load(world_, facts.game); }); !loaded)
    return loaded;
  saved_crossings_ = facts.crossings;
  std::vector<KnownPlayer> known;
  for (const store::SavedPlayer& each : facts.players)
    known.push_back({each.id, each.name, each.account, each.entity, each.present});
  sessions_.restore_players(facts.next_player, known);
  return core::Done{};
}

core::Status Checkpointer::begin() {
  saved_tick_ = world_.tick();
  return config_.store != nullptr ? config_.store->begin(world_.registry()) : core::Done{};
}

// The registry is in the next tick already if the call is between ticks.
store::Facts Checkpointer::facts(std::uint64_t unix_seconds, bool between_ticks) {
  store::Facts facts = world_.facts();
  if (between_ticks) --facts.tick;
  facts.unix_time = unix_seconds;
  facts.next_player = players_.next_id();
  for (KnownPlayer& each : sessions_.known_players())
    facts.players.push_back({each.id, std::move(each.name), std::move(each.account), each.entity, each.present});
  facts.game = run_hook("Game::save", [&] {
    const ecs::ReadOnly reading(world_.registry(), "Game::save");  // the store has noted the tick's changes
    return game_.save(world_);
  });
  facts.crossings = save_crossings_ ? save_crossings_() : saved_crossings_;
  return facts;
}

void Checkpointer::update(core::Nanoseconds now, std::uint64_t unix_seconds) {
  if (config_.store == nullptr) return;
  config_.store->note();
  // A checkpoint is due by ticks, and by the clock if ticks are late. So a crash loses a bounded number of seconds.
  const bool ticks_over = world_.tick() - saved_tick_ >= config_.checkpoint_ticks;
  const core::Nanoseconds interval = config_.checkpoint_ticks * core::second / config_.ticks_per_second;
  if (saved_at_ == 0) saved_at_ = now;
  if (!config_.store->ready()) return config_.store->retry(now);
  if (!ticks_over && now - saved_at_ < interval) return;
  saved_tick_ = world_.tick();
  saved_at_ = now;
  config_.store->checkpoint(facts(unix_seconds, false));
}

core::Status Checkpointer::checkpoint(std::uint64_t unix_seconds) {
  if (config_.store == nullptr) return core::Error{"no store", "the server was started without a file for its world"};
  if (!config_.store->ready()) {
    const std::string error = config_.store->status().error;
    return core::Error{"busy", error.empty()
                                   ? "the previous checkpoint is still being written"
                                   : "the previous checkpoint could not be written, and is retried: " + error};
  }
  config_.store->note();
  config_.store->checkpoint(facts(unix_seconds, true));
  return core::Done{};
}

core::Status Checkpointer::finish(std::uint64_t unix_seconds) {
  if (config_.store == nullptr) return core::Done{};
  config_.store->note();
  return config_.store->finish(facts(unix_seconds, true));
}

}  // namespace mobula::server
