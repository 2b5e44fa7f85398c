#include <algorithm>
#include <iostream>
#include <mobula/core/content_hash.hpp>
#include <mobula/core/log.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/net/http_client.hpp>
#include <mobula/net/server_pipes.hpp>
#include <mobula/server/admin/admin_server.hpp>
#include <mobula/server/admin/live.hpp>
#include <mobula/server/admission.hpp>
#include <mobula/server/application.hpp>
#include <mobula/server/server.hpp>

namespace mobula::server {
namespace {

constexpr int failed = 1;
constexpr int bad_input = 2;
constexpr std::uint32_t late_ticks_max = 5;  // later than that is given up, not caught up

int refuse(const Config& config, const core::Error& error) {
  std::cerr << config.program << ": " << error.message << '\n';
  return bad_input;
}

// A server that is late catches up a few ticks and gives up the rest, so that it never spirals.
void run_ticks(const Config& config, net::EventLoop& events, net::ServerPipes& pipes, Server& server) {
  const core::Nanoseconds period = core::second / config.tick_rate;
  core::Nanoseconds next = core::monotonic_now() + period;
  for (std::uint64_t done = 0; config.ticks == 0 || done < config.ticks; ++done) {
    events.run_until(next);
    if (events.stopped()) return;
    const core::Nanoseconds now = core::monotonic_now();
    server.set_unix_time(core::unix_now());
    server.tick(now, pipes);
    next += period;
    if (now <= next + late_ticks_max * period) continue;
    core::log_warn("server", "{} ms behind: ticks are dropped", (now - next) / core::millisecond);
    next = now + period;
  }
}

void log_level_notes(const World& world) {
  for (const std::string& note : world.level_notes())
    core::log_warn("server", "the level was compiled with another schema: {}", note);
}

// SIGHUP. What is wrong with the new version is told, and the old one stays.
void reload_level(const Config& config, Server& server) {
  const auto keep = [&](const core::Error& error) {
    core::log_error("server", "level {} is kept as it was: {}: {}", config.level, error.reason, error.message);
  };
  if (config.level.empty()) return keep({"no level", "the server was started without one"});
  const core::Result<std::shared_ptr<const resource::Resource>> level = resource::Resource::load(config.level);
  if (!level) return keep(level.error());
  const core::Result<LevelChange> change = server.reload_level(*level);
  if (!change) return keep(change.error());
  core::log_info("server", "level {} ({:.16}) reloaded: {} entities kept, {} spawned, {} destroyed", config.level,
                 to_string((*level)->server_identity()), change->kept, change->spawned, change->gone.size());
  log_level_notes(server.world());
}

void log_pipe(const net::ServerPipes& pipes, transport::Pipe pipe, std::string_view name) {
  const net::StreamCounters& counters = pipes.stream_counters(pipe);
  if (pipes.local_port(pipe) == 0) return;
  core::log_info("server", "over {}: sent {} bytes in {} datagrams, received {} bytes in {}, from {} connections", name,
                 counters.bytes_sent, counters.datagrams_sent, counters.bytes_received, counters.datagrams_received,
                 counters.accepted);
}

void log_summary(Server& server, const net::ServerPipes& pipes) {
  const ServerStats& stats = server.stats();
  core::log_info("server", "{} ticks, {} entities, state hash {:016x}", server.world().tick() - 1,
                 server.world().registry().entities().size(), server.published().hash());
  const net::UdpCounters& udp = pipes.udp_counters();
  core::log_info("server", "sent {} bytes in {} datagrams, received {} bytes in {}; {} deltas written", udp.bytes_sent,
                 udp.datagrams_sent, udp.bytes_received, udp.datagrams_received, stats.deltas_sent);
  log_pipe(pipes, transport::Pipe::tcp, "tcp");
  log_pipe(pipes, transport::Pipe::websocket, "websocket");
  core::log_info("server", "{} commands done, {} players came back", stats.commands, stats.rejoins);
  const std::string drops = transport::describe_new(server.endpoint().counters().dropped, {});
  if (!drops.empty()) core::log_info("server", "datagrams that led to nothing: {}", drops);
  for (const auto& [reason, count] : stats.refusals) core::log_info("server", "refused {}: {}", count, reason);
}

net::ServerPipesConfig pipes_of(const Config& config) {
  net::ServerPipesConfig pipes{.listen = transport::Address::any(config.port),
                               .tcp_port = config.tcp_port,
                               .websocket_port = config.ws_port,
                               .certificate_file = config.certificate,
                               .key_file = config.certificate_key,
                               .streams = {}};
  pipes.streams.connections_max = config.clients_max + std::max(config.clients_max, 256u);
  pipes.streams.unanswered_max = std::max(config.clients_max, 256u);
  return pipes;
}

void log_pipes(const Config& config, const net::ServerPipes& pipes, const Admission& admission, std::uint16_t admin) {
  using transport::Pipe;
  core::log_info("server", "listening on udp port {}, {} ticks per second", pipes.local_port(Pipe::udp),
                 config.tick_rate);
  if (config.tcp_port) core::log_info("server", "listening on tcp port {}", pipes.local_port(Pipe::tcp));
  if (config.ws_port)
    core::log_info("server", "listening on {} port {}", config.certificate.empty() ? "ws" : "wss",
                   pipes.local_port(Pipe::websocket));
  core::log_info("server", "admin address http://127.0.0.1:{}: {}", admin,
                 admission.shared ? "tokens are the backend's to make" : "hands out connect tokens");
}

transport::ServerConfig transport_of(const Config& config, const Admission& admission) {
  transport::ServerConfig transport{.private_key = admission.key, .public_addresses = admission.accepted};
  transport.sessions_max = config.clients_max;
  core::random_bytes(transport.challenge_key);
  core::random_bytes(std::as_writable_bytes(std::span(&transport.table_seed, 1)));
  return transport;
}

int serve(const Config& config, Game& game) {
  ServerConfig server_config{.ticks_per_second = config.tick_rate, .seed = config.seed};
  if (!config.level.empty()) {
    core::Result<std::shared_ptr<const resource::Resource>> level = resource::Resource::load(config.level);
    if (!level) return refuse(config, level.error());
    server_config.level = *level;
  }

  net::EventLoop events;
  const core::Result<std::unique_ptr<net::ServerPipes>> opened = net::ServerPipes::open(events, pipes_of(config));
  if (!opened) return refuse(config, opened.error());
  net::ServerPipes& pipes = **opened;
  const core::Result<Admission> admission =
      make_admission(config, {.udp = pipes.local_port(transport::Pipe::udp),
                              .tcp = pipes.local_port(transport::Pipe::tcp),
                              .websocket = pipes.local_port(transport::Pipe::websocket)});
  if (!admission) return refuse(config, admission.error());
  const core::Result<std::unique_ptr<admin::AdminServer>> admin_server =
      admin::AdminServer::start({.listen = transport::Address::v4(127, 0, 0, 1, config.admin_port),
                                 .routes = {admin::live_route(), admin::tokens_route(token_source(*admission))}});
  if (!admin_server)
    return refuse(config, {admin_server.error().reason, "--admin-port: " + admin_server.error().message});

  server_config.transport = transport_of(config, *admission);
  server_config.token_servers = admission->public_addresses;
  core::random_bytes(server_config.secret);
  core::Result<std::unique_ptr<Server>> server = Server::start(std::move(server_config), game);
  if (!server) return refuse(config, server.error());
  if (const resource::Resource* level = (*server)->world().level())
    core::log_info("server", "level {} ({:.16})", config.level, to_string(level->server_identity()));
  log_level_notes((*server)->world());

  (*server)->set_unix_time(core::unix_now());
  pipes.on_datagram([&](const transport::Address& from, core::ByteView datagram) {
    (*server)->receive(from, datagram, core::monotonic_now(), pipes);
  });
  pipes.on_closed([&](const transport::Address& from, std::string_view why) {
    core::log_debug("server", "{}: {}", transport::to_string(from), why);
    (*server)->pipe_closed(from, core::monotonic_now());
  });
  events.on_stop_signal([&] { events.stop(); });
  events.on_reload_signal([&] { reload_level(config, **server); });
  log_pipes(config, pipes, *admission, (*admin_server)->local_port());

  run_ticks(config, events, pipes, **server);
  (*server)->shut_down(core::monotonic_now(), pipes);
  log_summary(**server, pipes);
  return 0;
}

int check_health(const Config& config) {
  const core::Result<std::string> answer = net::http_get(config.health_target + "/live", {.timeout = 2 * core::second});
  std::cout << config.health_target
            << (answer ? ": a server lives\n" : ": no answer: " + answer.error().message + "\n");
  return answer ? 0 : failed;
}

}  // namespace

int run(int argc, char** argv, Game& game) {
  int status = 0;
  const std::optional<Config> config = parse_command_line(argc, argv, status);
  if (!config) return status;
  if (config->verbose) core::set_log_level(core::LogLevel::debug);
  return config->job == Config::Job::check_health ? check_health(*config) : serve(*config, game);
}

}  // namespace mobula::server
