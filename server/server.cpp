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
  core::Result<LevelChange> change = world_->reload_level(level);
  if (change) config_.level = std::move(level);
  return change;
}

Server::Server(ServerConfig config, Game& game, std::unique_ptr<World> world)
    : config_(std::move(config)),
      game_(game),
      world_(std::move(world)),
      publisher_(std::make_unique<Publisher>(world_->registry(), world_->schema())),
      endpoint_(config_.transport),
      secrets_(config_.secret),
      rejoin_ids_(config_.secret) {}

void Server::set_unix_time(std::uint64_t seconds) {
  unix_time_ = seconds;
  endpoint_.set_unix_time(seconds);
}

std::size_t Server::players() const {
  return static_cast<std::size_t>(
      std::count_if(sessions_.begin(), sessions_.end(), [](const auto& session) { return session->joined; }));
}

void Server::tick(core::Nanoseconds now, transport::Output& output) {
  take_events(now);
  for (const std::unique_ptr<Session>& session : sessions_) {
    if (transport::Session* lanes = endpoint_.find(session->transport_id)) {
      take_messages(*session, *lanes, now);
      if (session->state == Session::State::greeting && now - session->connected_at > hello_timeout)
        close(*session, transport::ReasonCode::timed_out, {"no hello", "connected, and never said Hello"}, now);
    }
  }
  end_absent(now);
  report_drops(now);
  run_commands(now);
  game_.tick(*world_);
  world_->hierarchy().update();

  const std::span<const std::uint32_t> changed = publisher_->publish();
  // Once per second: a composition that is not there for a moment keeps its place at the clients.
  std::span<const ecs::PrototypeId> reclaimed;
  if (world_->tick() % config_.ticks_per_second == 0)
    reclaimed = world_->registry().prototypes().reclaim(prototypes_looked_at_per_second);
  publisher_->forget(reclaimed);
  for (const std::unique_ptr<Session>& session : sessions_) {
    transport::Session* lanes = endpoint_.find(session->transport_id);
    if (lanes == nullptr) continue;
    if (session->view != nullptr) {
      session->view->on_published(changed);
      session->view->forget(reclaimed);
    }
    session->transfer.pump(*lanes);
    if (session->joined && now >= session->next_rejoin_token) hand_rejoin_tokens(*session, *lanes, now);
    if (session->state == Session::State::joining) begin_play(*session, *lanes);
    // Nothing is encoded for a pipe that cannot take it.
    if (session->state != Session::State::playing || !output.ready(endpoint_.address(session->transport_id))) continue;
    replicate(*session, *lanes, now);
    if (const core::Status told = session->announce_prototypes(world_->registry(), *lanes); !told)
      close(*session, transport::ReasonCode::kicked, told.error(), now);
  }
  world_->end_tick();
  drop_closed(now, output);
  endpoint_.update(now, output);
  output.flush();
}

// --- What they say -------------------------------------------------------------------------------------------------

void Server::take_messages(Session& session, transport::Session& lanes, core::Nanoseconds now) {
  for (std::size_t i = 0; i < messages_per_tick_max && lanes.next_reliable(buffer_); ++i) {
    if (session.state == Session::State::closing) return;
    core::Result<wire::Message> message = wire::decode_message(buffer_);
    core::Status taken =
        message ? core::Error{"out of turn", "a client says Hello, once, and may ask for resources"} : message.error();
    if (message) {
      if (const auto* hello = std::get_if<wire::Hello>(&*message)) taken = take(session, lanes, *hello, now);
      if (const auto* request = std::get_if<wire::ResourceRequest>(&*message)) taken = take(session, *request, now);
    }
    if (!taken) close(session, transport::ReasonCode::protocol_error, taken.error(), now);
  }
  for (std::size_t i = 0; i < inputs_per_tick_max && lanes.next_unreliable(buffer_); ++i)
    take_input(session, buffer_, now);
}

core::Status Server::take(Session& session, transport::Session& lanes, const wire::Hello& hello,
                          core::Nanoseconds now) {
  const auto refuse = [&](transport::ReasonCode code, const core::Error& error) {
    close(session, code, error, now);
    return core::Done{};
  };
  if (session.state != Session::State::greeting) return core::Error{"out of turn", "a client says Hello, once"};
  if (hello.version != wire::protocol_version)
    return refuse(transport::ReasonCode::other_protocol,
                  {"other protocol",
                   core::format("the server speaks version {}, the client {}", wire::protocol_version, hello.version)});
  const core::ContentHash& fingerprint = world_->schema().fingerprint();
  if (hello.schema_fingerprint && *hello.schema_fingerprint != fingerprint)
    return refuse(transport::ReasonCode::refused,
                  {"other schema", core::format("the server has schema {:.16}, the client {:.16}",
                                                to_string(fingerprint), to_string(*hello.schema_fingerprint))});
  if (!session.joined) {
    session.player.id = next_player_++;
    session.player.name = printable(hello.name);
    core::Result<ecs::Entity> joined = game_.join(*world_, session.player);
    if (!joined) return refuse(transport::ReasonCode::refused, joined.error());
    session.player.entity = *joined;
    session.joined = true;
    core::log_info("server", "player {} \"{}\" joined from {} as {}", session.player.id, session.player.name,
                   transport::to_string(endpoint_.address(session.transport_id)), to_string(*joined));
  }
  if (const core::Status sent = welcome(session, lanes, !hello.schema_fingerprint); !sent)
    return refuse(transport::ReasonCode::kicked, sent.error());
  return core::Done{};
}

core::Status Server::welcome(Session& session, transport::Session& lanes, bool with_schema) {
  wire::Welcome welcome{.session = session.player.id,
                        .ticks_per_second = config_.ticks_per_second,
                        .index_limit = world_->registry().entities().config().index_limit,
                        .schema_fingerprint = world_->schema().fingerprint(),
                        .schema = {},
                        .resources = {}};
  const core::ByteView schema = world_->schema().bytes();
  if (with_schema) welcome.schema.assign(schema.begin(), schema.end());
  if (config_.level != nullptr)
    welcome.resources.push_back({config_.level->identity(), config_.level->clients_bytes().size()});
  const core::Result<transport::ReliableId> sent = lanes.send_reliable(wire::encode(welcome));
  if (!sent) return sent.error();
  const core::Result<transport::ReliableId> told =
      lanes.send_reliable(wire::encode(wire::PlayerEntity{session.player.entity}));
  if (!told) return told.error();
  session.welcome = *told;
  session.state = Session::State::joining;
  return core::Done{};
}

core::Status Server::take(Session& session, const wire::ResourceRequest& request, core::Nanoseconds now) {
  if (!session.joined) return core::Error{"out of turn", "a resource was asked for before Hello"};
  if (const core::Status begun = session.transfer.start(config_.level, request); !begun)
    count_refusal(begun.error(), session, now);
  return core::Done{};
}

void Server::take_input(Session& session, core::ByteView bytes, core::Nanoseconds now) {
  if (session.state != Session::State::playing) return;
  const core::Result<wire::InputHeader> input = wire::read_input_header(bytes);
  if (!input) return count_refusal(input.error(), session, now);
  if (const core::Status taken = session.view->acknowledge(*input); !taken)
    return count_refusal(taken.error(), session, now);
  const core::ByteView command = bytes.subspan(wire::input_header_size);
  if (command.empty()) return;
  if (!session.take_command(command))
    count_refusal({"too many commands", "more commands than a tick takes"}, session, now);
}

void Server::run_commands(core::Nanoseconds now) {
  for (const std::unique_ptr<Session>& session : sessions_) {
    for (std::size_t i = 0; i < session->commands_used; ++i) {
      const core::Status done = game_.command(*world_, session->player, session->commands[i]);
      done ? void(++stats_.commands) : count_refusal(done.error(), *session, now);
    }
    session->commands_used = 0;
  }
}

// --- What they are told --------------------------------------------------------------------------------------------

void Server::begin_play(Session& session, transport::Session& lanes) {
  if (!lanes.reliable_delivered(session.welcome)) return;
  session.view = std::make_unique<ClientView>(world_->registry(), publisher_->rows());
  session.state = Session::State::playing;
}

void Server::replicate(Session& session, transport::Session& lanes, core::Nanoseconds now) {
  static_assert(wire::delta_bytes_max <= transport::max_unreliable_size);
  std::array<std::byte, wire::delta_bytes_max> datagram;
  std::size_t budget = std::min<std::size_t>(config_.delta_bytes_per_tick_max, lanes.budget_bytes(now));
  do {
    const std::size_t size = session.view->write_delta(datagram, world_->tick());
    if (const core::Status queued = lanes.send_unreliable({datagram.data(), size}); !queued) break;
    ++stats_.deltas_sent;
    stats_.delta_bytes_sent += size;
    budget -= std::min(budget, size);
    if (size == wire::delta_header_size) break;  // nothing waits but for prototypes or acknowledgements
  } while (budget > 0 && session.view->has_pending());
}

}  // namespace mobula::server
