#include <iostream>
#include <mobula/core/content_hash.hpp>
#include <mobula/core/log.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/net/resolve.hpp>
#include <mobula/net/udp_socket.hpp>
#include <mobula/server/application.hpp>
#include <mobula/server/config.hpp>
#include <mobula/server/server.hpp>
#include <mobula/transport/client_endpoint.hpp>

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
void run_ticks(const Config& config, net::EventLoop& events, net::UdpSocket& socket, Server& server) {
  const core::Nanoseconds period = core::second / config.tick_rate;
  core::Nanoseconds next = core::monotonic_now() + period;
  for (std::uint64_t done = 0; config.ticks == 0 || done < config.ticks; ++done) {
    events.run_until(next);
    if (events.stopped()) return;
    const core::Nanoseconds now = core::monotonic_now();
    server.tick(now, socket);
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

void log_summary(Server& server, const net::UdpSocket& socket) {
  const ServerStats& stats = server.stats();
  const transport::ServerCounters& counters = server.endpoint().counters();
  core::log_info("server", "{} ticks, {} entities, state hash {:016x}", server.world().tick() - 1,
                 server.world().registry().entities().size(), server.publisher().rows().hash());
  core::log_info("server", "sent {} bytes in {} datagrams, received {} bytes in {}; {} deltas written",
                 socket.counters().bytes_sent, socket.counters().datagrams_sent, socket.counters().bytes_received,
                 socket.counters().datagrams_received, stats.deltas_sent);
  const std::uint64_t garbage = counters.too_long + counters.unknown_kind + counters.malformed +
                                counters.unknown_address + counters.wrong_connection + counters.bad_cookie;
  core::log_info("server", "{} commands done; ignored {} garbage datagrams", stats.commands, garbage);
  for (const auto& [reason, count] : stats.refusals) core::log_info("server", "refused {}: {}", count, reason);
}

int serve(const Config& config, Game& game) {
  ServerConfig server_config{.ticks_per_second = config.tick_rate, .seed = config.seed};
  if (!config.level.empty()) {
    core::Result<std::shared_ptr<const resource::Resource>> level = resource::Resource::load(config.level);
    if (!level) return refuse(config, level.error());
    server_config.level = *level;
  }

  net::EventLoop events;
  core::Result<std::unique_ptr<net::UdpSocket>> socket =
      net::UdpSocket::open(events, transport::Address::any(config.port));
  if (!socket) return refuse(config, socket.error());

  server_config.transport.sessions_max = config.clients_max;
  core::random_bytes(server_config.transport.secret);
  core::Result<std::unique_ptr<Server>> server = Server::start(std::move(server_config), game);
  if (!server) return refuse(config, server.error());
  if (const resource::Resource* level = (*server)->world().level())
    core::log_info("server", "level {} ({:.16})", config.level, to_string(level->server_identity()));
  log_level_notes((*server)->world());

  (*socket)->on_datagram([&](const transport::Address& from, core::ByteView datagram) {
    (*server)->receive(from, datagram, core::monotonic_now(), **socket);
  });
  events.on_stop_signal([&] { events.stop(); });
  events.on_reload_signal([&] { reload_level(config, **server); });
  core::log_info("server", "listening on udp port {}, {} ticks per second", (*socket)->local_port(), config.tick_rate);

  run_ticks(config, events, **socket, **server);
  (*server)->shut_down(core::monotonic_now(), **socket);
  log_summary(**server, **socket);
  return 0;
}

int check_health(const Config& config) {
  const core::Result<transport::Address> target = net::resolve(config.health_target);
  if (!target) return refuse(config, target.error());
  net::EventLoop events;
  core::Result<std::unique_ptr<net::UdpSocket>> socket = net::UdpSocket::open(events, transport::Address::any(0));
  if (!socket) return refuse(config, socket.error());

  transport::ClientConfig config_of_probe{.server = *target};
  core::random_bytes(std::as_writable_bytes(std::span(&config_of_probe.nonce, 1)));
  transport::ClientEndpoint probe(config_of_probe, core::monotonic_now());
  (*socket)->on_datagram([&](const transport::Address& from, core::ByteView datagram) {
    probe.receive(from, datagram, core::monotonic_now());
  });
  const core::Nanoseconds deadline = core::monotonic_now() + 2 * core::second;
  while (!probe.server_answered() && core::monotonic_now() < deadline) {
    probe.update(core::monotonic_now(), **socket);
    events.run_until(core::monotonic_now() + 20 * core::millisecond);
  }
  std::cout << config.health_target << (probe.server_answered() ? ": a server answers\n" : ": no answer\n");
  return probe.server_answered() ? 0 : failed;
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
