#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/core/name.hpp>
#include <mobula/core/prefetch.hpp>
#include <mobula/core/text.hpp>
#include <mobula/server/game/hook.hpp>
#include <mobula/server/interest/ghost.hpp>
#include <mobula/server/rewind/rewind_client.hpp>
#include <mobula/server/session/server.hpp>
#include <mobula/wire/messages.hpp>
#include <utility>

namespace mobula::server {
namespace {

using State = ClientSession::State;

constexpr std::size_t world_name_shown = 64;

core::Nanoseconds no_clock() { return 0; }

bool is_other(const resource::Resource& a, const resource::Resource& b) {
  return a.identity() != b.identity() || a.server_identity() != b.server_identity();
}

// With many sessions none of them is in the CPU's cache when its turn comes. Memory is fetched one turn before it is
// used, and the pointers to it a turn before that.
void prefetch_after(std::span<const std::unique_ptr<ClientSession>> sessions, std::size_t at,
                    const transport::ServerEndpoint& endpoint) {
  const auto session = [&](std::size_t turns) -> const ClientSession& {
    return *sessions[std::min(at + turns, sessions.size() - 1)];
  };
  core::prefetch_for_write(&session(3), sizeof(ClientSession));
  if (const ClientView* const second = session(2).replication.view.get()) second->prefetch();
  const ClientSession& next = session(1);
  endpoint.prefetch(next.transport_id);
  if (next.replication.view != nullptr) next.replication.view->prefetch_slots();
}

ReplicationConfig replication_config(const ServerConfig& config) {
  return {.ticks_per_second = config.ticks_per_second,
          .history_bytes = config.history_bytes,
          .verify_one_in = config.verify_one_in,
          .delta_bytes_per_tick_max = config.delta_bytes_per_tick_max};
}

}  // namespace

// --- Start ---------------------------------------------------------------------------------------------------------

core::Result<std::unique_ptr<Server>> Server::start(ServerConfig config, Game& game) {
  core::Result<std::shared_ptr<const reflect::Schema>> schema = reflect::Schema::load(game.schema());
  if (!schema) return schema.error();
  core::Result<std::shared_ptr<const resource::Resource>> first = Checkpointer::first_level(config);
  if (!first) return first.error();
  const std::shared_ptr<const resource::Resource> newest = std::exchange(config.level, std::move(*first));
  // A saved level need not be playable any more if another one replaces it. A zone keeps its own.
  const bool is_replaced = newest != nullptr && !config.zone;
  const resource::Resource* const played = is_replaced ? newest.get() : config.level.get();
  if (core::Status playable = run_hook("Game::check_level", [&] { return game.check_level(played); }); !playable)
    return playable.error();
  core::Result<std::unique_ptr<World>> world =
      World::make({.schema = *schema,
                   .level = config.level,
                   .spawners = run_hook("Game::spawners", [&] { return game.spawners(); }),
                   .ticks_per_second = config.ticks_per_second,
                   .seed = config.seed,
                   .entities_max = config.entities_max,
                   .own = config.zone ? config.zone->own : ecs::OwnIndices{},
                   .zone = config.zone ? std::optional(config.zone->zone) : std::nullopt,
                   .level_region = config.zone ? config.zone->level : std::nullopt,
                   .incarnation = config.store != nullptr ? config.store->incarnation() : 0});
  if (!world) return world.error();
  core::Result<PredictedStep> step =
      PredictedStep::make(**world, run_hook("Game::rules", [&] { return game.rules(); }));
  if (!step) return step.error();
  std::unique_ptr<Server> server(new Server(std::move(config), game, std::move(*world), std::move(*step)));
  if (core::Status begun = server->begin_world(); !begun) return begun.error();
  if (core::Status updated = server->update_level(newest); !updated) return updated.error();
  if (server->config_.zone) server->schedule_.leave_out(server->world().registry().pool_of<Ghost>());
  run_hook("Game::systems", [&] { game.systems(server->world(), server->schedule_); });
  if (core::Status begun = server->checkpointer_.begin(); !begun) return begun.error();
  return server;
}

Server::Server(ServerConfig config, Game& game, std::unique_ptr<World> world, PredictedStep step)
    : config_(std::move(config)),
      game_(game),
      phases_(config_.phase_clock),
      world_(std::move(world)),
      schedule_(world_->registry(), config_.phase_clock != nullptr ? config_.phase_clock : no_clock),
      endpoint_(config_.transport),
      drop_report_(endpoint_),
      replicator_(replication_config(config_), *world_, game, stats_, phases_),
      players_(*world_, game),
      sessions_(config_, endpoint_, players_, stats_),
      rejoin_tokens_(config_, endpoint_, sessions_),
      admission_(config_, std::move(config_.bans),
                 {.endpoint = endpoint_,
                  .world = *world_,
                  .game = game,
                  .players = players_,
                  .sessions = sessions_,
                  .rejoin_tokens = rejoin_tokens_,
                  .replicator = replicator_,
                  .departed = departed_,
                  .stats = stats_}),
      predicted_step_(std::move(step)),
      messages_(config_, run_hook("Game::commands", [&] { return game.commands(); }), predicted_step_, *world_,
                endpoint_, sessions_, admission_, stats_),
      newcomers_({.period = core::second / config_.ticks_per_second,
                  .percent = config_.newcomer_budget_percent,
                  .clock = config_.work_clock}),
      checkpointer_(config_, *world_, game, players_, sessions_),
      crossing_(*world_, game, players_, sessions_, departed_, config_.rejoin_grace),
      delivery_(*world_, game) {
  begin_rewind();
}

void Server::begin_rewind() {
  const std::optional<RewindConfig> config = run_hook("Game::rewind", [&] { return game_.rewind(); });
  if (!config) return;
  rewind_ = std::make_unique<Rewind>(*config, *world_, replicator_.published(), stats_.rewind,
                                     [this](std::uint32_t player) { return rewind_client(player); });
  world_->set_rewind(rewind_.get());
}

RewindClient Server::rewind_client(std::uint32_t player) {
  ClientSession* const session = sessions_.find_joined(player);
  const transport::Session* const connection = session != nullptr ? endpoint_.find(session->transport_id) : nullptr;
  if (connection == nullptr || session->replication.view == nullptr) return {};
  messages_.apply_acks(*session, now_);
  const transport::LinkEstimates& link = connection->stats();
  return {session->replication.view.get(), &session->claims, link};
}

core::Status Server::begin_world() {
  if (checkpointer_.has_saved_world()) return checkpointer_.restore();
  if (core::Status spawned = world_->spawn_level(); !spawned) return spawned;
  return run_hook("Game::start", [&] { return game_.start(*world_); });
}

// The level's file may have changed since the world was saved.
core::Status Server::update_level(std::shared_ptr<const resource::Resource> level) {
  if (level == nullptr || config_.level == nullptr || !is_other(*level, *config_.level)) return core::Done{};
  if (config_.zone) {
    core::log_warn("store",
                   "the level has changed since the zone was saved; a zone keeps the level that it was made with");
    return core::Done{};
  }
  const core::Result<LevelChange> change = reload_level(std::move(level));
  if (!change) return change.error();
  core::log_info("store", "the level has changed since the world was saved: {} entities kept, {} spawned, {} destroyed",
                 change->kept, change->spawned, change->removed.size());
  return core::Done{};
}

core::Result<LevelChange> Server::reload_level(std::shared_ptr<const resource::Resource> level) {
  const core::LogScope about({.tick = world_->tick(), .running = "reload"});
  if (config_.zone) return core::Error{"zone", "a zone keeps the level that it was made with"};
  const core::Status playable = run_hook("Game::check_level", [&] { return game_.check_level(level.get()); });
  if (!playable) return playable.error();
  core::Result<LevelChange> change = world_->reload_level(level, [this](const LevelChange& made) {
    players_.on_level_changed(made);
    run_hook("Game::level_changed", [&] { game_.level_changed(*world_, made); });
  });
  if (change) {
    config_.level = std::move(level);
    replicator_.withdraw_level();
    for (const auto& session : sessions_.all()) session->update_player_entity(world_->registry());
  }
  return change;
}

void Server::set_unix_time(std::uint64_t seconds) {
  unix_seconds_ = seconds;
  endpoint_.set_unix_time(seconds);
}

// --- The tick ------------------------------------------------------------------------------------------------------

void Server::tick(core::Nanoseconds given_now, transport::Output& output) {
  const core::Nanoseconds now = clock_.advance(given_now);
  const core::LogScope about({.tick = world_->tick()});
  phases_.begin();
  newcomers_.begin_tick();
  now_ = now;
  if (world_->tick() >= ecs::ticks_max && !draining()) drain("the world has reached its last tick", 0);
  handle_connections(now);
  receive_messages(now);
  admit_newcomers(now, output);
  sessions_.remove_expired(now);
  drop_report_.update(now);
  messages_.run_commands(now);
  delivery_.deliver();
  phases_.end(TickPhase::receive);
  run_rules();
  run_game();
  phases_.end(TickPhase::game);
  const std::span<const std::uint32_t> changed = replicator_.publish();
  if (rewind_ != nullptr) rewind_->record(changed);
  phases_.end(TickPhase::publish);
  send_all(now, output);
  phases_.end(TickPhase::encode);
  sessions_.end_connections(now, output);
  endpoint_.update(now, output);
  output.flush();
  phases_.end(TickPhase::seal);
  send_first_states(now, output);
  checkpointer_.update(now, unix_seconds_);
  world_->end_tick();
  newcomers_.end_tick(sessions_.all(), now);
  phases_.end(TickPhase::encode);
}

void Server::handle_connections(core::Nanoseconds now) {
  transport::ServerEvent event;
  while (endpoint_.poll_event(event)) {
    switch (event.kind) {
      case transport::ServerEvent::Kind::refused:
        core::log_warn("server", "refused {}: {}", transport::to_string(event.address), to_string(event.reason));
        break;
      case transport::ServerEvent::Kind::connected:
        // A connection that has ended since the last tick has no session to add.
        if (endpoint_.find(event.session) != nullptr) admission_.on_connected(event, now, unix_seconds_);
        break;
      case transport::ServerEvent::Kind::disconnected: sessions_.on_disconnected(event, now); break;
    }
  }
}

void Server::receive_messages(core::Nanoseconds now) {
  for (const std::unique_ptr<ClientSession>& session : sessions_.all()) {
    transport::Session* const connection = endpoint_.find(session->transport_id);
    if (connection == nullptr || waits_for_admission(*session)) continue;
    if (session->held_hello != nullptr) admission_.retry_held(*session, *connection, now);
    messages_.receive(*session, *connection, now);
    sessions_.check_join_timeout(*session, now);
  }
}

// A client whose Hello waits for its turn is not silent, so it does not time out.
bool Server::waits_for_admission(const ClientSession& session) {
  if (!newcomers_.take_turns() || session.state != State::greeting) return false;
  const transport::Session* const connection = endpoint_.find(session.transport_id);
  return connection != nullptr && connection->has_reliable();
}

void Server::admit_newcomers(core::Nanoseconds now, transport::Output& output) {
  if (!newcomers_.take_turns()) return;
  newcomers_.admit(
      sessions_.all(), now, [&](const ClientSession& session) { return waits_for_admission(session); },
      [&](ClientSession& session) {
        messages_.receive(session, *endpoint_.find(session.transport_id), now);
        endpoint_.flush(session.transport_id, now, output);
        output.flush();
      });
}

void Server::run_rules() {
  if (!predicted_step_.has_rules()) return;
  predicted_step_.run(*world_, game_);
  predicted_step_.note_time(phases_.elapsed(), config_.ticks_per_second);
}

void Server::run_game() {
  const auto check = [this] { world_->registry().check_spawned(); };
  check();
  run_hook("Game::tick", [&] {
    game_.tick(*world_);
    check();
  });
  schedule_.run();
  run_hook("hierarchy", [&] {  // listeners of the game are called
    world_->hierarchy().drop_dead_parents();
    world_->hierarchy().update();
  });
  if (config_.zone) delivery_.take_events_about_ghosts();
  for (const World::Kick& each : world_->take_kicks()) admission_.on_kick_request(each, unix_seconds_);
  if (has_crossings_) return;
  for (const World::Departure& each : world_->take_departures())
    core::log_warn("server", "player {} does not leave for world {}: this server is no node of a cluster", each.player,
                   core::shown(each.world, world_name_shown));
}

core::Status Server::send_player(std::uint32_t player, std::string_view world) {
  if (!has_crossings_) return core::Error{"no cluster", "this server is no node of a cluster"};
  if (core::Status good = core::check_name(world); !good) return good;
  if (sessions_.find_joined(player) == nullptr)
    return core::Error{"no such player", core::format("no player in the game has the id {}", player)};
  world_->send_player(player, std::string(world));
  return core::Done{};
}

// Newcomers that take turns are sent only events here, since each event belongs to its tick.
void Server::send_all(core::Nanoseconds now, const transport::Output& output) {
  const std::span<const std::unique_ptr<ClientSession>> sessions = sessions_.all();
  for (std::size_t at = 0; at < sessions.size(); ++at) {
    prefetch_after(sessions, at, endpoint_);
    ClientSession& session = *sessions[at];
    replicator_.forget_reclaimed(session.replication);
    session.update_player_entity(world_->registry());
    transport::Session* const connection = endpoint_.find(session.transport_id);
    if (connection == nullptr) continue;
    core::Status sent = core::Done{};
    if (!newcomers_.take_turns()) session.transfer.pump(*connection);
    if (!newcomers_.take_turns() || !session.newcomer) sent = send(session, *connection, now, output);
    if (sent) sent = send_events(session, *connection);
    if (!sent) sessions_.close(session, transport::ReasonCode::kicked, sent.error(), now);
  }
}

void Server::send_first_states(core::Nanoseconds now, transport::Output& output) {
  if (!newcomers_.take_turns()) return;
  newcomers_.send_first_states(
      sessions_.all(), now, [&](const ClientSession& session) { return waits_for_states(session, now); },
      [&](ClientSession& session) { take_turn(session, now, output); });
}

bool Server::waits_for_states(const ClientSession& session, core::Nanoseconds now) {
  const transport::Session* const connection = endpoint_.find(session.transport_id);
  if (connection == nullptr || session.state == State::closing) return false;
  if (!session.transfer.done() || connection->reliable_backlog_bytes(transport::Lane::bulk) > 0) return true;
  if (!session.newcomer) return false;
  if (session.state != State::joining) return session.state == State::playing;
  const bool prepared = session.replication.last_query.interest_version != 0;
  return !prepared || connection->reliable_delivered(session.welcome) || session.rejoin_tokens_due(now);
}

// Level transfers take turns after the arrival, too: the bulk lane is sent in turns only.
void Server::take_turn(ClientSession& session, core::Nanoseconds now, transport::Output& output) {
  transport::Session& connection = *endpoint_.find(session.transport_id);
  session.transfer.pump(connection);
  if (session.newcomer) {
    // Entities that have spawned since the last turn were not checked for this client.
    if (session.turns.missed > 0 || session.state == State::joining)
      session.replication.last_query.interest_version = 0;
    if (const core::Status sent = send(session, connection, now, output); !sent)
      return sessions_.close(session, transport::ReasonCode::kicked, sent.error(), now);
  }
  connection.hold_bulk(false);
  endpoint_.flush(session.transport_id, now, output);
  connection.hold_bulk(true);
  output.flush();  // within the turn, whose time it takes
  phases_.end(TickPhase::seal);
}

// Starts the client's deltas once the Welcome is acknowledged.
core::Status Server::begin_play(ClientSession& session, transport::Session& connection) {
  if (core::Status prepared = replicator_.prepare_view(session.replication, connection); !prepared) return prepared;
  if (!connection.reliable_delivered(session.welcome)) return core::Done{};
  session.was_playing = true;
  session.state = State::playing;
  return core::Done{};
}

// Sends the player's entity if it has changed since the client was sent it.
core::Status Server::send_player_entity(ClientSession& session, transport::Session& connection) {
  if (session.state != State::joining && session.state != State::playing) return core::Done{};
  if (session.player.entity == session.sent_entity) return core::Done{};
  core::log_debug("server", "player {} has {} now", session.player.id,
                  session.player.entity ? "entity " + to_string(session.player.entity) : "no entity");
  const core::Result<transport::ReliableId> sent =
      connection.send_reliable(wire::encode(wire::PlayerEntity{session.player.entity}));
  if (!sent) return sent.error();
  session.sent_entity = session.player.entity;
  return core::Done{};
}

core::Status Server::send_resource_offer(ClientSession& session, transport::Session& connection) const {
  if (session.state != State::joining && session.state != State::playing) return core::Done{};
  return session.replication.offer.update(*world_, connection);
}

// Sends all but events. Fails if the reliable lane is full: the client has not read for long and is lost.
core::Status Server::send(ClientSession& session, transport::Session& connection, core::Nanoseconds now,
                          const transport::Output& output) {
  const core::LogScope about(session.log_fields());
  if (connection.stats().small_bodies != std::exchange(session.small_bodies, connection.stats().small_bodies))
    core::log_info("server", "large datagrams to player {} \"{}\" {}", session.player.id, session.player.name,
                   session.small_bodies ? "do not arrive: it is sent smaller ones" : "arrive again");
  if (session.rejoin_tokens_due(now)) rejoin_tokens_.send(session, connection, now, unix_seconds_);
  if (session.state == State::joining)
    if (const core::Status begun = begin_play(session, connection); !begun) return begun;
  if (const core::Status sent = send_player_entity(session, connection); !sent) return sent;
  if (const core::Status sent = send_resource_offer(session, connection); !sent) return sent;
  // No delta is encoded for a pipe that cannot take it.
  if (session.state != State::playing || !output.ready(endpoint_.address(session.transport_id))) return core::Done{};
  messages_.apply_acks(session, now);
  phases_.end(TickPhase::receive);
  core::Status sent = replicator_.send_deltas(session.replication, connection, session.commands.feedback(), now);
  if (sent && session.newcomer && session.has_arrived(now)) newcomers_.note_arrival(session, now);
  return sent;
}

core::Status Server::send_events(ClientSession& session, transport::Session& connection) const {
  if (session.state != State::joining && session.state != State::playing) return core::Done{};
  const core::LogScope about(session.log_fields());
  return replicator_.send_events(session.replication, connection);
}

// --- The end -------------------------------------------------------------------------------------------------------

void Server::set_regions(const std::function<Region(std::uint32_t zone)>& region_of) {
  for (const auto& session : sessions_.all()) {
    std::optional<ZoneRegion>& zone = session->zone;
    if (!zone) continue;
    zone->region = region_of(zone->zone);
    if (session->replication.viewer != nullptr) session->replication.viewer->set_zone(*zone);
  }
}

void Server::drain(std::string_view reason, std::uint32_t seconds) {
  const Drain& drain = admission_.begin_drain(reason, now_ + seconds * core::second);
  core::log_info("server", "closing in {} s: {}", seconds, drain.reason);
  if (seconds == 0) return;
  // The notice is a message of its own, because a disconnect reason ends the session.
  const core::Bytes notice = wire::encode(wire::Closing{seconds, drain.reason});
  for (const auto& session : sessions_.all())
    if (transport::Session* connection = endpoint_.find(session->transport_id);
        connection != nullptr && session->joined)
      static_cast<void>(connection->send_reliable(notice));  // fails only for a client that is lost
}

bool Server::drained() const {
  const std::optional<Drain>& drain = admission_.drain();
  return drain && (now_ >= drain->ends || !sessions_.any_connected());
}

void Server::shut_down(core::Nanoseconds given_now, transport::Output& output) {
  const core::Nanoseconds now = clock_.advance(given_now);
  const std::optional<Drain>& drain = admission_.drain();
  endpoint_.disconnect_all(
      {transport::ReasonCode::shutting_down, drain ? drain->reason : "the server is shutting down"}, now, output);
  output.flush();
  handle_connections(now);
  sessions_.leave_all("the server is shutting down");
}

const ComponentBytes* Server::measure(std::uint32_t player) {
  if (player == 0) return nullptr;
  for (const std::unique_ptr<ClientSession>& session : sessions_.all())
    if (session->player.id == player) return Replicator::measure(session->replication, now_);
  return nullptr;
}

}  // namespace mobula::server
