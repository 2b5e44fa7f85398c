#include <algorithm>
#include <array>
#include <mobula/core/log.hpp>
#include <mobula/server/server.hpp>
#include <mobula/wire/messages.hpp>

namespace mobula::server {
namespace {

constexpr std::size_t messages_per_tick_max = 16;
constexpr std::size_t inputs_per_tick_max = 16;
constexpr std::uint32_t prototypes_looked_at_per_second = 1024;  // for those that nobody needs
constexpr core::Nanoseconds hello_timeout = 5 * core::second;

// What a stranger calls itself goes into logs and names: printable ASCII, at most 24 characters.
std::string printable(const std::string& text) {
  std::string result = text.substr(0, 24);
  for (char& c : result)
    if (c < 0x20 || c > 0x7e) c = '?';
  return result;
}

}  // namespace

core::Result<std::unique_ptr<Server>> Server::start(ServerConfig config, Game& game) {
  core::Result<std::shared_ptr<const reflect::Schema>> schema = reflect::Schema::load(game.schema());
  if (!schema) return schema.error();
  if (core::Status playable = game.check_level(config.level.get()); !playable) return playable.error();
  core::Result<std::unique_ptr<World>> world = World::make({.schema = *schema,
                                                            .level = config.level,
                                                            .spawners = game.spawners(),
                                                            .ticks_per_second = config.ticks_per_second,
                                                            .seed = config.seed});
  if (!world) return world.error();
  if (core::Status spawned = (*world)->spawn_level(); !spawned) return spawned.error();
  std::unique_ptr<Server> server(new Server(std::move(config), game, std::move(*world)));
  if (core::Status started = game.start(server->world()); !started) return started.error();
  return server;
}

core::Result<LevelChange> Server::reload_level(std::shared_ptr<const resource::Resource> level) {
  if (core::Status playable = game_.check_level(level.get()); !playable) return playable.error();
  return world_->reload_level(std::move(level));
}

Server::Server(ServerConfig config, Game& game, std::unique_ptr<World> world)
    : config_(std::move(config)),
      game_(game),
      world_(std::move(world)),
      publisher_(std::make_unique<Publisher>(world_->registry(), world_->schema())),
      endpoint_(config_.transport) {}

std::size_t Server::players() const {
  return static_cast<std::size_t>(
      std::count_if(sessions_.begin(), sessions_.end(), [](const auto& session) { return session->joined; }));
}

void Server::tick(core::Nanoseconds now, transport::Output& output) {
  take_events(now);
  for (const std::unique_ptr<Session>& session : sessions_) {
    if (transport::Session* lane = endpoint_.find(session->transport_id)) {
      take_messages(*session, *lane);
      if (session->state == Session::State::greeting && now - session->connected_at > hello_timeout)
        close(*session, transport::ReasonCode::timed_out, {"no hello", "connected, and never said Hello"});
    }
  }
  run_commands();
  game_.tick(*world_);
  world_->hierarchy().update();

  const std::span<const std::uint32_t> changed = publisher_->publish();
  // Once per second: a composition that is not there for a moment keeps its place at the clients.
  std::span<const ecs::PrototypeId> reclaimed;
  if (world_->tick() % config_.ticks_per_second == 0)
    reclaimed = world_->registry().prototypes().reclaim(prototypes_looked_at_per_second);
  publisher_->forget(reclaimed);
  for (const std::unique_ptr<Session>& session : sessions_) {
    transport::Session* lane = endpoint_.find(session->transport_id);
    if (lane == nullptr) continue;
    if (session->view != nullptr) {
      session->view->on_published(changed);
      session->view->forget(reclaimed);
    }
    if (session->state == Session::State::joining) begin_play(*session, *lane);
    if (session->state == Session::State::playing) replicate(*session, *lane);
  }
  world_->end_tick();
  drop_closed(now, output);
  endpoint_.update(now, output);
}

void Server::take_events(core::Nanoseconds now) {
  transport::ServerEvent event;
  while (endpoint_.poll_event(event)) {
    if (event.kind == transport::ServerEvent::Kind::refused) {
      core::log_warn("server", "refused {}: {}", transport::to_string(event.address), to_string(event.reason));
    } else if (event.kind == transport::ServerEvent::Kind::connected) {
      core::log_debug("server", "{} connected", transport::to_string(event.address));
      sessions_.push_back(std::make_unique<Session>(event.session));
      sessions_.back()->connected_at = now;
    } else {
      const auto found = std::find_if(sessions_.begin(), sessions_.end(),
                                      [&](const auto& session) { return session->transport_id == event.session; });
      if (found == sessions_.end()) continue;
      end(**found, to_string(event.reason));
      sessions_.erase(found);
    }
  }
}

void Server::end(Session& session, const std::string& why) {
  if (!session.joined) return;
  core::log_info("server", "player {} \"{}\" is gone: {}", session.player.id, session.player.name, why);
  game_.leave(*world_, session.player);
}

void Server::count_refusal(const core::Error& error, const Session& session) {
  ++stats_.refusals[error.reason];
  core::log_debug("server", "refused of player {}: {}: {}", session.player.id, error.reason, error.message);
}

void Server::close(Session& session, transport::ReasonCode code, const core::Error& error) {
  ++stats_.refusals[error.reason];
  core::log_warn("server", "closing {}: {}: {}", transport::to_string(endpoint_.address(session.transport_id)),
                 error.reason, error.message);
  session.state = Session::State::closing;
  closing_.emplace_back(session.transport_id,
                        transport::Reason{code, core::format("{}: {}", error.reason, error.message)});
}

void Server::drop_closed(core::Nanoseconds now, transport::Output& output) {
  for (const auto& [id, reason] : closing_) endpoint_.disconnect(id, reason, now, output);
  closing_.clear();
}

void Server::take_messages(Session& session, transport::Session& lane) {
  for (std::size_t i = 0; i < messages_per_tick_max && lane.next_reliable(buffer_); ++i) greet(session, lane, buffer_);
  for (std::size_t i = 0; i < inputs_per_tick_max && lane.next_unreliable(buffer_); ++i) take_input(session, buffer_);
}

void Server::greet(Session& session, transport::Session& lane, core::ByteView bytes) {
  if (session.state == Session::State::closing) return;
  const core::Result<wire::Message> message = wire::decode_message(bytes);
  if (!message) return close(session, transport::ReasonCode::protocol_error, message.error());
  const auto* hello = std::get_if<wire::Hello>(&*message);
  if (hello == nullptr || session.state != Session::State::greeting)
    return close(session, transport::ReasonCode::protocol_error, {"out of turn", "a client says Hello, once"});
  if (hello->version != wire::protocol_version)
    return close(session, transport::ReasonCode::other_protocol,
                 {"other protocol",
                  core::format("the server speaks version {}, the client {}", wire::protocol_version, hello->version)});
  const core::ContentHash& fingerprint = world_->schema().fingerprint();
  if (hello->schema_fingerprint && *hello->schema_fingerprint != fingerprint)
    return close(session, transport::ReasonCode::refused,
                 {"other schema", core::format("the server has schema {:.16}, the client {:.16}",
                                               to_string(fingerprint), to_string(*hello->schema_fingerprint))});

  session.player = {.id = next_player_++, .name = printable(hello->name), .entity = {}};
  core::Result<ecs::Entity> joined = game_.join(*world_, session.player);
  if (!joined) return close(session, transport::ReasonCode::refused, joined.error());
  session.player.entity = *joined;
  session.joined = true;

  wire::Welcome welcome{.session = session.player.id,
                        .ticks_per_second = config_.ticks_per_second,
                        .index_limit = world_->registry().entities().config().index_limit,
                        .schema_fingerprint = fingerprint,
                        .schema = {}};
  const core::ByteView schema = world_->schema().bytes();
  if (!hello->schema_fingerprint) welcome.schema.assign(schema.begin(), schema.end());
  const core::Result<transport::ReliableId> sent = lane.send_reliable(wire::encode(welcome));
  const core::Result<transport::ReliableId> told = lane.send_reliable(wire::encode(wire::PlayerEntity{*joined}));
  if (!sent || !told) return close(session, transport::ReasonCode::kicked, sent ? told.error() : sent.error());
  session.welcome = *told;
  session.state = Session::State::joining;
  core::log_info("server", "player {} \"{}\" joined from {} as {}", session.player.id, session.player.name,
                 transport::to_string(endpoint_.address(session.transport_id)), to_string(*joined));
}

void Server::take_input(Session& session, core::ByteView bytes) {
  if (session.state != Session::State::playing) return;
  const core::Result<wire::InputHeader> input = wire::read_input_header(bytes);
  if (!input) return count_refusal(input.error(), session);
  if (const core::Status taken = session.view->acknowledge(*input); !taken)
    return count_refusal(taken.error(), session);
  const core::ByteView command = bytes.subspan(wire::input_header_size);
  if (command.empty()) return;
  if (!session.take_command(command)) count_refusal({"too many commands", "more commands than a tick takes"}, session);
}

void Server::run_commands() {
  for (const std::unique_ptr<Session>& session : sessions_) {
    for (std::size_t i = 0; i < session->commands_used; ++i) {
      const core::Status done = game_.command(*world_, session->player, session->commands[i]);
      done ? void(++stats_.commands) : count_refusal(done.error(), *session);
    }
    session->commands_used = 0;
  }
}

void Server::begin_play(Session& session, transport::Session& lane) {
  if (!lane.reliable_delivered(session.welcome)) return;
  session.view = std::make_unique<ClientView>(world_->registry(), publisher_->rows());
  session.state = Session::State::playing;
}

void Server::replicate(Session& session, transport::Session& lane) {
  static_assert(wire::delta_bytes_max <= transport::max_unreliable_size);
  std::array<std::byte, wire::delta_bytes_max> datagram;
  std::uint32_t budget = config_.delta_bytes_per_tick_max;
  do {
    const std::size_t size = session.view->write_delta(datagram, world_->tick());
    if (const core::Status queued = lane.send_unreliable({datagram.data(), size}); !queued) break;
    ++stats_.deltas_sent;
    stats_.delta_bytes_sent += size;
    budget -= std::min(budget, static_cast<std::uint32_t>(size));
    if (size == wire::delta_header_size) break;  // nothing waits but for prototypes or acknowledgements
  } while (budget > 0 && session.view->has_pending());
  const core::Status announced = session.announce_prototypes(world_->registry(), lane);
  if (!announced) close(session, transport::ReasonCode::kicked, announced.error());
}

void Server::shut_down(core::Nanoseconds now, transport::Output& output) {
  endpoint_.disconnect_all({transport::ReasonCode::shutting_down, "the server ends"}, now, output);
  take_events(now);
}

}  // namespace mobula::server
