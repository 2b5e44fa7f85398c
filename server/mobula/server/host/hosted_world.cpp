#include <algorithm>
#include <mobula/core/content_hash.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/core/random_source.hpp>
#include <mobula/core/running_code.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/net/server_pipes.hpp>
#include <mobula/resource/files/resource_file.hpp>
#include <mobula/server/api/inspection.hpp>
#include <mobula/server/game/thrown.hpp>
#include <mobula/server/host/hosted_world.hpp>
#include <mobula/server/host/zone_host.hpp>
#include <mobula/server/session/server.hpp>
#include <mobula/server/zones/zone_place.hpp>
#include <optional>

namespace mobula::server {
namespace {

using transport::Pipe;
using LoadedLevel = core::Result<std::shared_ptr<const resource::Resource>>;

void check_no_hook(const char* function) {
  MOBULA_CHECK(
      core::running_code().empty(),
      core::format("HostedWorld::{} is called by Worlds, not by a hook of a game; see Worlds::close", function));
}

net::ServerPipesConfig pipes_of(const HostConfig& config) {
  net::ServerPipesConfig pipes{.listen = transport::Address::any(config.port),
                               .tcp_port = config.tcp_port,
                               .websocket_port = config.ws_port,
                               .certificate_file = config.certificate,
                               .key_file = config.certificate_key,
                               .streams = {}};
  pipes.streams.connections_max = config.clients_max + std::max(config.clients_max, 256u);
  pipes.streams.unanswered_max = std::max(config.clients_max, 256u);
  pipes.origins.allowed = config.allowed_origins;
  for (const std::string& text : config.trusted_proxies)
    pipes.trusted_proxies.push_back(net::parse_address_range(text).value());
  return pipes;
}

transport::ServerEndpointConfig transport_of(const HostConfig& config, const TokenIssuer& issuer) {
  transport::ServerEndpointConfig transport{.private_key = issuer.key, .public_addresses = issuer.accepted};
  transport.sessions_max = config.clients_max;
  core::random_bytes(transport.challenge_key);
  core::random_bytes(std::as_writable_bytes(std::span(&transport.table_seed, 1)));
  return transport;
}

void log_level_notes(const World& world) {
  for (const std::string& note : world.level_notes())
    core::log_line(core::LogLevel::warn, "server", "the level was compiled with another schema: " + note);
}

void log_pipe(const net::ServerPipes& pipes, Pipe pipe, std::string_view name) {
  const net::StreamCounters& counters = pipes.stream_counters(pipe);
  if (pipes.local_port(pipe) == 0) return;
  core::log_info("server", "over {}: sent {} bytes in {} datagrams, received {} bytes in {}, from {} connections", name,
                 counters.bytes_sent, counters.datagrams_sent, counters.bytes_received, counters.datagrams_received,
                 counters.accepted);
}

TickPacer::Config pacing_of(const HostConfig& config) {
  return {.ticks_per_second = config.tick_rate, .catch_up_max = config.catch_up_ticks};
}

// Makes a pacer that starts at a full millisecond. So ticks of many worlds are due together, and the process wakes up
// once for them instead of once for each.
TickPacer start_pacing(const HostConfig& config) {
  constexpr core::Nanoseconds grid = core::millisecond;
  return {pacing_of(config), (core::monotonic_now() + grid - 1) / grid * grid};
}

// Names the setting that makes room, if that is what an error is about.
core::Error with_remedy(const core::Error& error, const HostConfig& config) {
  if (error.reason != std::string_view("too many entities")) return error;
  if (config.zone != nullptr)
    return {error.reason, core::format("the level does not fit a zone of {} entities; make the cluster's map with a "
                                       "greater entities_per_zone",
                                       config.zone->indices().end - config.zone->indices().first)};
  return {error.reason, core::format("--entities-max {}: {}; start the server with a greater one", config.entities_max,
                                     error.message)};
}

std::string level_text(const HostConfig& config) {
  return config.level.empty() ? "the level in the saved world" : "level " + config.level;
}

// Both percentages are needed to find the cause. Ticks are too long, or the thread did not get to them: the process was
// stopped or short of CPU time, or another world had the thread.
void log_pace(const TickTimes& times) {
  const double load = 100 * times.load;
  const double lost = core::in_seconds(times.lost);
  if (times.overloaded)
    core::log_warn("server",
                   "behind the clock: in the last {:.1f} s ticks took {:.0f}% of the time, and due ticks were held up "
                   "for {:.0f}%; {:.2f} s of world time lost so far",
                   core::in_seconds(times.span), load, 100 * times.held_up, lost);
  else
    core::log_info("server", "no longer behind the clock: ticks take {:.0f}% of the time; {:.2f} s lost in all", load,
                   lost);
}

}  // namespace

HostedWorld::HostedWorld(std::string name, HostConfig config)
    : name_(std::move(name)), config_(std::move(config)), pacer_(start_pacing(config_)) {}

HostedWorld::~HostedWorld() {
  if (ending_) ending_();
}

std::uint16_t HostedWorld::udp_port() const { return pipes_->local_port(Pipe::udp); }

core::Result<std::unique_ptr<HostedWorld>> HostedWorld::open(net::EventLoop& events, std::string name,
                                                             HostConfig config, Game& game) {
  if (const core::Status good = check_values(config); !good) return good.error();
  std::unique_ptr<HostedWorld> world(new HostedWorld(std::move(name), std::move(config)));
  core::Status started = core::Done{};
  if (const std::optional<Thrown> thrown = thrown_by([&] { started = world->start(events, game); })) {
    world->note(*thrown);
    return error_of(*thrown);
  }
  if (!started) return started.error();
  return world;
}

core::Status HostedWorld::start(net::EventLoop& events, Game& game) {
  const core::LogScope about({.world = name_});
  ServerConfig server = server_config_of(config_);
  if (!config_.level.empty()) {
    LoadedLevel level = resource::load_file(config_.level);
    if (!level) return level.error();
    server.level = *level;
  }
  if (!config_.bans_file.empty()) {
    core::Result<BanList> bans = BanList::open(config_.bans_file);
    if (!bans) return core::Error{bans.error().reason, "--bans: " + bans.error().message};
    server.bans = std::move(*bans);
  }
  core::Result<std::unique_ptr<net::ServerPipes>> pipes = net::ServerPipes::open(events, pipes_of(config_));
  if (!pipes) return pipes.error();
  pipes_ = std::move(*pipes);
  core::Result<TokenIssuer> issuer = make_token_issuer(config_, {.udp = pipes_->local_port(Pipe::udp),
                                                                 .tcp = pipes_->local_port(Pipe::tcp),
                                                                 .websocket = pipes_->local_port(Pipe::websocket)});
  if (!issuer) return issuer.error();
  token_issuer_ = std::move(*issuer);

  server.transport = transport_of(config_, token_issuer_);
  if (config_.zone != nullptr) {
    if (!token_issuer_.shared) return core::Error{"no key", "a zone needs the key of its cluster: --key-file"};
    ZoneHost::configure(server, config_.zone, token_issuer_.key);
  }
  server.token_servers = token_issuer_.public_addresses;
  core::random_bytes(server.secret);
  server.phase_clock = core::monotonic_now;
  server.work_clock = core::monotonic_now;
  // Last of what can fail for want of ports and keys: each opening is one of the world's starts.
  if (core::Status opened = open_store(game); !opened) return opened;
  server.store = store_.get();
  core::Result<std::unique_ptr<Server>> started = Server::start(std::move(server), game);
  if (!started) return with_remedy(started.error(), config_);
  server_ = std::move(*started);
  if (const resource::Resource* level = server_->world().level())
    core::log_info("server", "{} ({:.16})", level_text(config_), to_string(level->server_identity()));
  log_level_notes(server_->world());
  receive_datagrams();
  log_pipes();
  pacer_ = start_pacing(config_);
  const auto run_code = [this](const std::function<void()>& code) { return run(code); };
  inspection_ = std::make_unique<Inspection>(
      name_,
      Inspection::World{*server_, pacer_, pipes_.get(), [this] { return reload_level(); }, store_.get(), run_code});
  return core::Done{};
}

core::Status HostedWorld::open_store(const Game& game) {
  if (config_.db.empty()) return core::Done{};
  core::Result<std::shared_ptr<const reflect::Schema>> schema = reflect::Schema::load(game.schema());
  if (!schema) return schema.error();
  core::Result<std::unique_ptr<store::Store>> opened = store::Store::open({.path = config_.db, .schema = *schema});
  if (!opened) return opened.error();
  store_ = std::move(*opened);
  core::log_info("store", "the world is kept in {}, saved each {} s; start {} of {}", config_.db,
                 config_.checkpoint_seconds, store_->incarnation(), store::Store::starts_max);
  if (!store_->last_end().empty())
    core::log_warn("store", "the last run of this world did not end in good order: {}", store_->last_end());
  return core::Done{};
}

void HostedWorld::receive_datagrams() {
  server_->set_unix_time(core::unix_now());
  pipes_->on_datagram([this](const transport::Address& from, core::ByteView datagram) {
    const core::LogScope about({.world = name_});
    server_->receive(from, datagram, core::monotonic_now(), *pipes_);
  });
  pipes_->on_closed([this](const transport::Address& from, std::string_view why) {
    const core::LogScope about({.world = name_});
    core::log_debug("server", "{}: {}", transport::to_string(from), why);
    server_->pipe_closed(from, core::monotonic_now());
  });
}

// The exceptions of a game end here, so that other worlds go on.
void HostedWorld::tick() {
  check_no_hook("tick");
  if (failed_) return;  // in a reload since the last tick
  const core::LogScope about({.world = name_});
  if (const std::optional<Thrown> thrown = thrown_by([&] { run_tick(); })) fail(*thrown);
}

void HostedWorld::fail(const Thrown& thrown) {
  failed_ = true;
  note(thrown);
  const core::LogScope about(thrown.fields);
  core::log_error("server", "the game threw an exception: {}; this world ends as of its last save", thrown.what);
}

// Notes an exception that ends the run, for the next start of the world.
void HostedWorld::note(const Thrown& thrown) {
  const std::string text = "the game threw an exception: " + thrown.what;
  if (store_ != nullptr)
    store_->note_failure(core::to_text({.module = "server", .text = text, .fields = thrown.fields}));
}

void HostedWorld::run_tick() {
  const core::Nanoseconds now = core::monotonic_now();
  pacer_.begin(now);
  server_->set_unix_time(core::unix_now());
  server_->tick(now, *pipes_);
  core::log_held_lines();
  const bool judged = pacer_.end(core::monotonic_now());
  inspection_->note_tick();
  if (judged) log_pace(pacer_.times());
}

core::Status HostedWorld::run(const std::function<void()>& code) {
  if (failed_) return core::Error{"failed", "the game of this world has thrown an exception"};
  const core::LogScope about({.world = name_});
  const std::optional<Thrown> thrown = thrown_by(code);
  if (!thrown) return core::Done{};
  fail(*thrown);
  return error_of(*thrown);
}

core::Result<LevelChange> HostedWorld::reload_level() {
  check_no_hook("reload_level");
  const core::LogScope about({.world = name_});
  const auto keep = [&](const core::Error& cause) {
    const core::Error error = with_remedy(cause, config_);
    core::log_error("server", "{} not reloaded: {}: {}", level_text(config_), error.reason, error.message);
    return error;
  };
  if (config_.level.empty()) return keep({"no level", "the server was started without --level"});
  const LoadedLevel level = resource::load_file(config_.level);
  if (!level) return keep(level.error());
  core::Result<LevelChange> change = LevelChange{};
  if (const std::optional<Thrown> thrown = thrown_by([&] { change = server_->reload_level(*level); })) {
    fail(*thrown);  // a part of the level may be replaced
    return keep(error_of(*thrown));
  }
  if (!change) return keep(change.error());
  core::log_info("server", "level {} ({:.16}) reloaded: {} entities kept, {} spawned, {} destroyed", config_.level,
                 to_string((*level)->server_identity()), change->kept, change->spawned, change->removed.size());
  log_level_notes(server_->world());
  return change;
}

void HostedWorld::drain(std::string_view reason) {
  const core::LogScope about({.world = name_});
  server_->drain(reason, config_.drain_seconds);
}

void HostedWorld::begin_last_save() {
  check_no_hook("begin_last_save");
  if (failed_ || !saves_) return;
  const core::LogScope about({.world = name_});
  if (const std::optional<Thrown> thrown = thrown_by([&] { static_cast<void>(server_->checkpoint()); })) fail(*thrown);
}

core::Status HostedWorld::shut_down() {
  check_no_hook("shut_down");
  const core::LogScope about({.world = name_});
  core::Status saved = core::Error{"failed", "the game threw an exception"};
  if (!failed_)
    if (const std::optional<Thrown> thrown = thrown_by([&] { saved = save_last(); })) fail(*thrown);
  const auto leave = [&] { server_->shut_down(core::monotonic_now(), *pipes_); };
  if (const std::optional<Thrown> thrown = thrown_by(leave)) {
    note(*thrown);
    const core::LogScope running(thrown->fields);
    core::log_error("server", "the game threw an exception as players left: {}", thrown->what);
  }
  log_summary();
  return saved;
}

core::Status HostedWorld::save_last() {
  if (!saves_) return core::Error{"not saved", "the process may serve this world no longer"};
  core::Status saved = server_->finish_store();
  if (!saved) {
    core::log_error("store", "the last save failed: {}: {}", saved.error().reason, saved.error().message);
  } else if (store_ != nullptr) {
    const store::StoreStatus status = store_->status();
    core::log_info("store", "saved as of tick {}: state {:016x}", status.tick, status.state);
  }
  return saved;
}

void HostedWorld::log_pipes() const {
  // Not rate-limited: each of many worlds reports its ports.
  const auto say = [](const std::string& text) { core::log_line(core::LogLevel::info, "server", text); };
  say(core::format("listening on udp port {}, {} ticks per second", pipes_->local_port(Pipe::udp), config_.tick_rate));
  if (const std::optional<std::size_t> bytes = pipes_->small_udp_buffer())
    say(core::format(
        "the kernel's receive buffer has {} KiB, so a rush of clients may lose datagrams, which are repeated; "
        "raise net.core.rmem_max to 4194304",
        *bytes / 1024));
  if (config_.tcp_port) say(core::format("listening on tcp port {}", pipes_->local_port(Pipe::tcp)));
  if (config_.ws_port)
    say(core::format("listening on {} port {}", config_.certificate.empty() ? "ws" : "wss",
                     pipes_->local_port(Pipe::websocket)));
}

void HostedWorld::log_summary() {
  const ServerStats& stats = server_->stats();
  core::log_info("server", "{} ticks, {} entities, state hash {:016x}", server_->world().tick() - 1,
                 server_->world().registry().entities().size(), server_->published().hash());
  const TickTimes& times = pacer_.times();
  core::log_info("server", "ticks took {:.2f} ms (p99 {:.2f}, max {:.2f}) and began {:.2f} ms late (p99)",
                 core::in_ms(times.duration_ns.mean()), core::in_ms(times.duration_ns.percentile(0.99)),
                 core::in_ms(times.duration_ns.max()), core::in_ms(times.start_delay_ns.percentile(0.99)));
  const net::UdpCounters& udp = pipes_->udp_counters();
  core::log_info("server", "sent {} bytes in {} datagrams, received {} bytes in {}; {} deltas written", udp.bytes_sent,
                 udp.datagrams_sent, udp.bytes_received, udp.datagrams_received, stats.deltas_sent);
  log_pipe(*pipes_, Pipe::tcp, "tcp");
  log_pipe(*pipes_, Pipe::websocket, "websocket");
  core::log_info("server", "{} commands done, {} players rejoined", stats.commands, stats.rejoins);
  const std::string drops = transport::describe_new(server_->endpoint().counters().dropped, {});
  if (!drops.empty()) core::log_info("server", "datagrams dropped: {}", drops);
  for (const auto& [reason, count] : stats.refusals)
    core::log_line(core::LogLevel::info, "server", core::format("refused {}: {}", count, reason));
}

}  // namespace mobula::server
