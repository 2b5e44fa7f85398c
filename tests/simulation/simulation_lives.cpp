// Starts and ends of the server, and what it has saved.
#include <algorithm>
#include <mobula/core/bytes.hpp>
#include <simulation/ports.hpp>

namespace mobula::sim {
namespace {

constexpr std::uint32_t retry_ticks = 25;  // interval after which the store has retried

}  // namespace

// Opens the store. A failing disk may have to be repaired first.
void Simulation::open_store() {
  while (store_ == nullptr && outcome_.wrong.empty()) {
    const bool was_healthy = disk_.is_healthy();
    auto opened = store::Store::open({.path = folder_ + "/world.db",
                                      .schema = schema_of(plan_),
                                      .log_bytes_max = plan_.log_bytes,
                                      .finish_tries = 1});
    if (opened) {
      store_ = std::move(*opened);
      return;
    }
    const std::string what = "the store does not open: " + opened.error().message;
    trace(what);
    const bool is_damaged = std::string_view(opened.error().reason) == "damaged";
    if (was_healthy || is_damaged) fail(what);
    disk_.repair();
    if (!disk_.has_power()) restore_power();
  }
}

// The other program ran on the same machine.
void Simulation::restore_power() {
  reader_.reset();
  disk_.restore_power();
}

// Starts a reading transaction, if the disk permits. Pages that it reads stay in the file or the log until it ends.
void Simulation::begin_reading() {
  auto opened = store::Database::open(folder_ + "/world.db", store::Database::Access::existing);
  if (!opened) return;
  opened->run("BEGIN");
  static_cast<void>(opened->number("SELECT count(*) FROM saved_world"));
  if (!opened->failed()) reader_ = std::move(*opened);
}

bool Simulation::may_save() const {
  return disk_.is_healthy() && (!reader_ || plan_.log_bytes == store::StoreConfig{}.log_bytes_max);
}

// Advances by chance with each reading, in place of the work that a real clock measures.
core::Nanoseconds Simulation::read_work_clock() {
  const auto most = static_cast<std::uint32_t>(2 * plan_.work_step / core::microsecond);
  return work_time_ += work_random_.below(most) * core::microsecond;
}

void Simulation::begin_server() {
  open_store();
  if (store_ == nullptr) return;
  const bool restored = store_->has_world();
  const ecs::Tick saved_tick = restored ? store_->saved_facts().tick : 0;
  game_ = std::make_unique<SimGame>(plan_, outcome_.restarts, SimGame::Watchers{census_, steps_, views_});
  server::ServerConfig config;
  config.level = plan_.has_level ? (rebuilt_ ? test::rebuilt_hamlet() : test::hamlet()) : nullptr;
  config.seed = plan_.seed;
  config.history_bytes = plan_.history_bytes;
  config.delta_bytes_per_tick_max = plan_.delta_bytes;
  config.rejoin_grace = rejoin_grace;
  config.players_max = plan_.players_max;
  if (plan_.refuses_second) config.duplicate_login = server::DuplicateLogin::refuse;
  config.checkpoint_ticks = plan_.checkpoint_ticks;
  config.entities_max = plan_.entities_max;
  config.store = store_.get();
  if (plan_.work_step > 0) config.work_clock = [this] { return read_work_clock(); };
  config = test::at_village(std::move(config));
  core::store(config.transport.challenge_key.data(), plan_.seed * 1000 + outcome_.restarts);
  core::store(config.secret.data(), plan_.seed * 1000 + outcome_.restarts);
  auto started = server::Server::start(std::move(config), *game_);
  if (!started) return fail("the server does not start: " + started.error().message);
  server_ = std::move(*started);
  store_->wait_for_writer();
  server_->set_unix_time(date_at(now_ + date_off_));
  for (HostileClient& client : hostile_clients_) client.on_server_restart();
  unread_.clear();
  banned_.clear();  // the ban list is not saved
  trace((restored ? "the server starts with the world of tick " : "the server starts: tick ") +
        std::to_string(saved_tick));
  if (restored) check_restored(saved_tick);
  if (!restored) pending_saves_.clear();  // a new world reuses these tick numbers
  if (const auto wrong = census_.begin(*server_, saved_ ? &saved_->players : nullptr)) return fail(*wrong);
  if (!restored && saved_) fail("the saved world was not restored");
  able_to_save_since_ = outcome_.ticks;
  oracle_.begin(*server_, game_->interest_rule());
  steps_.begin();
  views_.begin();
}

void Simulation::check_restored(ecs::Tick tick) {
  if (saved_) pending_saves_.insert(pending_saves_.begin(), *saved_);
  const auto then = std::ranges::find(pending_saves_, tick, &Saved::tick);
  if (then == pending_saves_.end())
    return fail("restored as of tick " + std::to_string(tick) + ", the last checkpoint was of " +
                (saved_ ? std::to_string(saved_->tick) : "none"));
  saved_ = *then;
  pending_saves_.clear();
  if (server_->world().random().state() != saved_->chance)
    fail("the random state is not the saved one after a restart");
  if (server_->world().level_version() == 0 && saved_->state != Oracle::state_of(*server_))
    fail("the restored world differs from the checkpoint");
}

void Simulation::end_server(bool in_good_order) {
  trace(in_good_order ? "the server stops" : "the server is killed");
  if (in_good_order) {
    const bool was_healthy = may_save();
    pending_saves_.push_back(now_saved(server_->world().tick() - 1));
    const core::Status saved = server_->finish_store();
    if (!saved && was_healthy) fail("the last save failed: " + saved.error().message);
    if (!saved && store_->status().tick == pending_saves_.back().tick)
      pending_saves_.pop_back();  // unchanged since the last save
    note_saved();
    census_.server_ends();
    server_->shut_down(now_, *server_port_);
    if (!census_.is_empty()) fail("the game did not get leave() for every player");
  }
  server_.reset();
  game_.reset();
  store_.reset();
  ++outcome_.restarts;
}

void Simulation::restart_server() {
  end_server(true);
  if (!disk_.has_power()) restore_power();
  begin_server();
}

// Restarts the server after a power loss.
void Simulation::revive() {
  if (disk_.has_power() || !outcome_.wrong.empty()) return;
  end_server(false);
  restore_power();
  begin_server();
}

Simulation::Saved Simulation::now_saved(ecs::Tick tick) {
  return {tick, Oracle::state_of(*server_), server_->world().random().state(), census_.known(*server_)};
}

void Simulation::note_saved() {
  const auto known = std::ranges::find(pending_saves_, store_->status().tick, &Saved::tick);
  if (known == pending_saves_.end()) return;
  saved_ = *known;
  pending_saves_.erase(pending_saves_.begin(), known + 1);
}

// Waits for the writer: the duration of writes is not simulated.
void Simulation::watch_store(bool was_ready) {
  store_->wait_for_writer();
  const ecs::Tick last = server_->world().tick() - 1;
  if (was_ready && (!store_->ready() || store_->status().tick == last)) pending_saves_.push_back(now_saved(last));
  note_saved();
  if (!may_save() || last <= plan_.checkpoint_ticks) able_to_save_since_ = outcome_.ticks;
  if (outcome_.ticks - able_to_save_since_ > plan_.checkpoint_ticks + retry_ticks &&
      last > store_->status().tick + plan_.checkpoint_ticks)
    fail("nothing was saved since tick " + std::to_string(store_->status().tick) + ": " + store_->status().error);
}

}  // namespace mobula::sim
