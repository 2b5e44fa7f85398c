#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <mobula/core/log.hpp>
#include <mobula/core/text.hpp>
#include <mobula/net/http_client.hpp>
#include <mobula/net/open_files.hpp>
#include <mobula/process/log_output.hpp>
#include <mobula/process/standard_output.hpp>
#include <mobula/server/admin/documents.hpp>
#include <mobula/server/admin/http_server.hpp>
#include <mobula/server/admin/listen_address.hpp>
#include <mobula/server/admin/live.hpp>
#include <mobula/server/agones/game_server_address.hpp>
#include <mobula/server/agones/life_cycle.hpp>
#include <mobula/server/api/api.hpp>
#include <mobula/server/host/application.hpp>
#include <mobula/server/host/cluster_host.hpp>
#include <mobula/server/host/node_settings.hpp>
#include <mobula/server/host/site_reloader.hpp>
#include <mobula/server/host/token_source.hpp>
#include <mobula/server/host/web_address.hpp>
#include <mobula/server/host/worlds.hpp>

namespace mobula::server {
namespace {

using OpenWorlds = std::function<core::Status(Worlds&, const HostConfig&)>;

constexpr int failed = 1;
constexpr int bad_input = 2;

constexpr std::chrono::milliseconds log_patience{1000};
constexpr std::size_t message_bytes_max = 2000;

int refuse(const HostConfig& config, const core::Error& error) {
  process::flush_log(log_patience);
  std::cerr << config.program << ": " << core::shown(error.message, message_bytes_max) << '\n';
  return bad_input;
}

constexpr core::Nanoseconds answers_per_tick_max = core::millisecond;

// `first` is null if worlds are opened later, whose tokens come from the cluster.
api::ApiPtr make_api(Worlds& worlds, const HostedWorld* first) {
  api::Api api;
  api.worlds = [&worlds] {
    std::vector<Inspection*> all;
    for (const std::unique_ptr<HostedWorld>& world : worlds.all()) all.push_back(&world->inspection());
    return all;
  };
  api.hands_out_tokens = first != nullptr && !first->token_issuer().shared;
  api.started_unix_seconds = static_cast<double>(core::unix_now());
  return std::make_shared<const api::Api>(std::move(api));
}

// A draining server makes no tokens.
admin::TokenSource while_open(admin::TokenSource source, const api::ApiPtr& api) {
  if (!source) return source;
  return [source = std::move(source), api](std::uint32_t count,
                                           std::string_view user_data) -> core::Result<std::vector<core::Bytes>> {
    if (api->pulse->draining) return core::Error{"closing", "the server is closing and admits no new clients"};
    return source(count, user_data);
  };
}

// Checks address, port and token of the admin port before anything else is opened.
core::Result<admin::HttpServerConfig> admin_config(const HostConfig& config) {
  const core::Result<transport::Address> listen = admin::listen_address(config.admin_address, config.admin_port);
  if (!listen) return core::Error{listen.error().reason, "--admin-address: " + listen.error().message};
  core::Result<std::string> token = admin::load_token(config.admin_token_file, *listen, "server");
  if (!token) return token.error();
  // A started world has used one of its starts, so the port is tried first.
  if (const core::Status free = admin::try_listen(*listen); !free)
    return core::Error{free.error().reason, "--admin-port: " + free.error().message + " (0 takes any free port)"};
  return admin::HttpServerConfig{.listen = *listen, .bearer_token = std::move(*token)};
}

// 0 if the world has no WebSocket.
std::uint16_t websocket_port(const HostedWorld& world) { return world.pipes().local_port(transport::Pipe::websocket); }

core::Result<std::unique_ptr<admin::HttpServer>> start_admin(admin::HttpServerConfig admin, const HostConfig& config,
                                                             const HostedWorld* first, const api::ApiPtr& api) {
  admin.routes = api::routes(api);
  admin.routes.push_back(admin::live_route());
  if (first != nullptr) {
    admin.routes.push_back(admin::tokens_route(while_open(token_source(first->token_issuer()), api),
                                               websocket_address(config, websocket_port(*first))));
    admin.routes.back().origins = config.token_origins;
  }
  for (admin::Route& file : admin::file_routes(admin::inspector_files())) admin.routes.push_back(std::move(file));
  admin.topics = api::topics(api);
  admin.welcome = api::welcome(api);
  core::Result<std::unique_ptr<admin::HttpServer>> started = admin::HttpServer::start(std::move(admin));
  if (!started) return core::Error{started.error().reason, "--admin-port: " + started.error().message};
  HostConfig at = config;
  at.admin_port = (*started)->local_port();
  core::log_info("server", "admin address {}: {}", admin_url(at),
                 api->hands_out_tokens ? "makes connect tokens" : "connect tokens come from the backend");
  return started;
}

// Null if the configuration has no web address.
core::Result<std::unique_ptr<admin::HttpServer>> start_web(const std::optional<WebPlan>& plan, const HostConfig& config,
                                                           const HostedWorld* world, const api::ApiPtr& api) {
  if (!plan) return std::unique_ptr<admin::HttpServer>();
  PageEndpoint endpoint{.websocket_port = websocket_port(*world)};
  if (plan->tokens != web::TokenKind::none) endpoint.tokens = while_open(own_tokens(world->token_issuer()), api);
  return open_web_address(*plan, config, std::move(endpoint));
}

// --- Agones ----------------------------------------------------------------------------------------------------------

constexpr core::Nanoseconds address_wait = 30 * core::second;
constexpr std::string_view game_port = "game";  // name in the GameServer

core::Result<std::string> sidecar() { return agones::sidecar_url(std::getenv("AGONES_SDK_HTTP_PORT")); }

// Agones chooses the address at which clients reach the server. A configured one replaces it.
core::Status learn_address(HostConfig& config) {
  if (!config.agones) return core::Done{};
  const core::Result<std::string> url = sidecar();
  if (!url) return core::Error{url.error().reason, "--agones: " + url.error().message};
  if (!config.public_addresses.empty()) return core::Done{};
  core::Result<std::string> address = agones::wait_for_address(*url, game_port, address_wait);
  if (!address) return core::Error{address.error().reason, "--agones: " + address.error().message};
  config.public_addresses.push_back(std::move(*address));
  return core::Done{};
}

agones::LifeCycleConfig life_cycle_config(const HostConfig& config) {
  const std::uint64_t worlds = config.cluster.empty() ? 1 : parse_capacity(config.capacity).value();
  agones::LifeCycleConfig life{.players_max = worlds * std::min(config.clients_max, config.players_max),
                               .worlds_max = worlds,
                               .allocate_when_joined = config.agones_allocate,
                               .reserve_seconds = config.agones_reserve_seconds};
  life.sidecar.url = sidecar().value();
  return life;
}

// Called in each turn of the loop.
void report(agones::LifeCycle& life, Worlds& worlds, core::Nanoseconds now) {
  life.tick_ran(worlds.players(), worlds.all().size(), now);
  if (life.drain_wanted(now) && !worlds.draining()) worlds.drain("the server is shutting down");
}

int serve(const HostConfig& config, const OpenWorlds& open) {
  if (const core::Status raised = net::raise_open_files_limit(); !raised) return refuse(config, raised.error());
  Worlds worlds;
  bool stopping = false;
  api::ApiPtr api;
  std::optional<SiteReloader> site;
  // Signals that arrive during the start wait for the first run of the loop.
  worlds.events().on_stop_signal([&] {
    stopping = true;
    api->pulse->draining = true;
    worlds.drain("the server is shutting down");
  });
  worlds.events().on_reload_signal([&] {
    worlds.reload_levels();
    if (site) site->request();
  });
  if (!config.service_links.empty())
    core::log_info("server", "ignored {} of Kubernetes services, such as {}",
                   core::counted(config.service_links.size(), "environment variable", "environment variables"),
                   config.service_links.front());
  if (const core::Status good = check_node_settings(config); !good) return refuse(config, good.error());
  core::Result<admin::HttpServerConfig> admin = admin_config(config);
  if (!admin) return refuse(config, admin.error());
  const core::Result<std::optional<WebPlan>> web = plan_web_address(config);
  if (!web) return refuse(config, web.error());
  if (const core::Status opened = open(worlds, config); !opened) return refuse(config, opened.error());
  MOBULA_CHECK(!worlds.all().empty() || worlds.supervised(), "no world was opened");
  const HostedWorld* const first = worlds.all().empty() ? nullptr : worlds.all().front().get();
  api = make_api(worlds, first);
  if (const std::optional<WebPlan>& plan = *web; plan) site.emplace(*plan, config);
  const auto web_server = start_web(*web, config, first, api);
  if (!web_server) return refuse(config, web_server.error());
  const auto admin_server = start_admin(std::move(*admin), config, first, api);
  if (!admin_server) return refuse(config, admin_server.error());
  worlds.admin_listens((*admin_server)->local_port());
  std::optional<agones::LifeCycle> life;
  if (config.agones) life.emplace(worlds.events(), life_cycle_config(config)).ready();
  worlds.on_tick([&] {
    api->pulse->ticked_at = core::monotonic_now();
    api->pulse->not_ready = worlds.not_ready();
    (*admin_server)->serve(answers_per_tick_max);
    if (life) report(*life, worlds, api->pulse->ticked_at);
  });
  worlds.events().run_until(0);
  if (stopping) {
    core::log_info("server", "stopped by a signal before the first tick; nothing was saved");
    return 0;
  }
  const bool saved = worlds.run(config.ticks);
  if (life) life->shut_down();
  return saved ? 0 : failed;
}

int check_health(const HostConfig& config) {
  const core::Result<std::string> answer =
      net::http_get(net::url_below(config.health_target, "/live"), {.timeout = 2 * core::second});
  process::print(config.health_target +
                 (answer ? ": a server answers\n" : ": no answer: " + answer.error().message + "\n"));
  return process::end_output(config.program, answer ? 0 : failed);
}

}  // namespace

int run(int argc, char** argv, const OpenWorlds& open, std::vector<process::Setting> settings) {
  std::signal(SIGPIPE, SIG_IGN);  // readers of standard output may end first
  std::signal(SIGXFSZ, SIG_IGN);  // a limit of file sizes is an error of the write
  int status = 0;
  std::optional<HostConfig> config = parse_command_line(argc, argv, environ, status, std::move(settings));
  if (!config) return status;
  core::set_log_levels(core::LogLevels::parse(config->log_level).value());
  process::set_log_format(process::parse_log_format(config->log_format).value_or(process::LogFormat::text));
  if (config->job == HostConfig::Job::check_health) return check_health(*config);
  process::log_in_background();
  if (const core::Status learned = learn_address(*config); !learned) return refuse(*config, learned.error());
  return serve(*config, open);
}

namespace {

core::Status open_main(Worlds& worlds, const HostConfig& config, Game& game) {
  const core::Result<HostedWorld*> world = worlds.open("main", config, game);
  if (world && config.db.empty()) core::log_info("store", "the world is not saved: --db FILE saves it");
  return world ? core::Status(core::Done{}) : world.error();
}

}  // namespace

int run(int argc, char** argv, Game& game, std::vector<process::Setting> settings) {
  const auto open = [&](Worlds& worlds, const HostConfig& config) -> core::Status {
    if (!config.cluster.empty())
      return core::Error{
          "bad configuration",
          "--cluster: this program runs one world; its main() must give run() a function that makes games"};
    return open_main(worlds, config, game);
  };
  return run(argc, argv, OpenWorlds(open), std::move(settings));
}

int run(int argc, char** argv, MakeGame make_game, std::vector<process::Setting> settings) {
  std::unique_ptr<Game> game;         // outlives its world
  std::unique_ptr<ClusterHost> host;  // outlives the worlds that it opens
  const auto open = [&](Worlds& worlds, const HostConfig& config) -> core::Status {
    if (config.cluster.empty()) {
      game = make_game();
      MOBULA_CHECK(game != nullptr, "the function that makes games has returned none");
      return open_main(worlds, config, *game);
    }
    core::Result<std::unique_ptr<ClusterHost>> started = ClusterHost::start(worlds, config, make_game);
    if (!started) return started.error();
    host = std::move(*started);
    return core::Done{};
  };
  return run(argc, argv, OpenWorlds(open), std::move(settings));
}

}  // namespace mobula::server
