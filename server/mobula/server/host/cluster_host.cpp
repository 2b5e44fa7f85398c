#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/net/resolve.hpp>
#include <mobula/net/server_pipes.hpp>
#include <mobula/server/admin/http_server.hpp>
#include <mobula/server/admin/listen_address.hpp>
#include <mobula/server/api/process_facts.hpp>
#include <mobula/server/host/cluster_host.hpp>
#include <mobula/server/session/server.hpp>
#include <mobula/server/store/epoch_files.hpp>
#include <mobula/server/store/store.hpp>

namespace mobula::server {
namespace {

using cluster::NodeTask;
using transport::Pipe;

constexpr core::Nanoseconds report_interval = core::second;
constexpr std::uint32_t port_max = 65535;

core::Error wrong(std::string message) { return {"bad configuration", std::move(message)}; }

core::Status check_port(std::string_view flag, std::uint32_t port, std::uint32_t worlds) {
  if (port == 0 || port + worlds - 1 <= port_max) return core::Done{};
  return wrong(core::format("{} {}: the last of {} worlds would have port {}; the maximum is {}", flag, port, worlds,
                            port + worlds - 1, port_max));
}

// Whether an address is a URL, or has a port of its own instead of the default.
bool has_port(const std::string& text) {
  const auto port_with = [&](std::uint16_t otherwise) {
    const core::Result<net::WrittenAddress> written = net::parse_address(text, otherwise);
    return written ? written->at.port : std::uint16_t{0};
  };
  return text.find("://") != std::string::npos || port_with(1) == port_with(2);
}

core::Status check(const HostConfig& config, std::uint32_t worlds) {
  if (config.node.empty()) return wrong("--node: a node of a cluster has a name");
  if (config.web_port) return wrong("--web-port: a node of a cluster has no web address; serve the page elsewhere");
  for (const auto& [flag, port] : {std::pair("--port", std::uint32_t{config.port}),
                                   std::pair("--tcp-port", std::uint32_t{config.tcp_port.value_or(0)}),
                                   std::pair("--ws-port", std::uint32_t{config.ws_port.value_or(0)})})
    if (core::Status good = check_port(flag, port, worlds); !good) return good;
  for (const std::string& text : config.public_addresses) {
    if (worlds > 1 && has_port(text))
      return wrong(
          core::format("--public-address {}: the worlds of a node have a port each; give the host alone", text));
  }
  return core::Done{};
}

// Empty if other machines do not reach it, or the port is not known yet.
std::string reachable_admin(const HostConfig& config) {
  const core::Result<transport::Address> listen = admin::listen_address(config.admin_address, config.admin_port);
  return !listen || listen->is_any() || admin::check_listen(*listen, {}).ok() || listen->port == 0 ? ""
                                                                                                   : admin_url(config);
}

core::Result<std::string> hash_of(const Game& game) {
  const core::Result<std::shared_ptr<const reflect::Schema>> schema = reflect::Schema::load(game.schema());
  if (!schema) return schema.error();
  return to_string((*schema)->fingerprint());
}

// 0 takes any free port.
std::uint16_t plus(std::uint16_t port, std::size_t place) {
  return port == 0 ? port : static_cast<std::uint16_t>(port + place);
}

// Returns the addresses of clients as URLs. The WebSocket's has the configured host, since certificates have names.
std::vector<std::string> addresses_of(const HostedWorld& world) {
  std::vector<std::string> urls;
  const std::uint16_t tcp = world.pipes().local_port(Pipe::tcp);
  for (transport::Address address : world.token_issuer().public_addresses) {
    urls.push_back("udp://" + to_string(address));
    address.port = tcp;
    if (tcp != 0) urls.push_back("tcp://" + to_string(address));
  }
  const std::uint16_t websocket = world.pipes().local_port(Pipe::websocket);
  if (websocket == 0) return urls;
  const HostConfig& config = world.config();
  transport::Address address = world.token_issuer().public_addresses.front();
  address.port = websocket;
  const std::string host = config.public_addresses.empty()
                               ? to_string(address)
                               : core::format("{}:{}", config.public_addresses.front(), websocket);
  urls.push_back((config.certificate.empty() ? "ws://" : "wss://") + host);
  return urls;
}

}  // namespace

core::Status ClusterHost::check(const HostConfig& config) {
  if (config.cluster.empty()) return core::Done{};
  const core::Result<std::uint32_t> worlds = parse_capacity(config.capacity);
  return worlds ? server::check(config, *worlds) : worlds.error();
}

core::Result<std::unique_ptr<ClusterHost>> ClusterHost::start(Worlds& worlds, const HostConfig& config,
                                                              MakeGame make_game) {
  const core::Result<std::string> game = hash_of(*make_game());
  if (!game) return game.error();
  cluster::NodeConfig node{.cluster = config.cluster_name + "/", .name = config.node};
  node.offer = {.game = *game,
                .version = std::string(api::version()),
                .admin = reachable_admin(config),
                .worlds_max = *parse_capacity(config.capacity)};
  std::unique_ptr<ClusterHost> host(new ClusterHost(worlds, config, std::move(make_game), std::move(node)));
  worlds.supervise(*host);
  return host;
}

ClusterHost::ClusterHost(Worlds& worlds, HostConfig config, MakeGame make_game, cluster::NodeConfig node)
    : worlds_(worlds),
      config_(std::move(config)),
      make_game_(std::move(make_game)),
      places_(node.offer.worlds_max),
      node_(std::make_unique<cluster::NodeThread>(
          std::move(node), cluster::EtcdConfig{.members = cluster::parse_members(config_.cluster).value()})) {}

// A node that has not joined yet has no world to serve.
bool ClusterHost::may_serve() const { return !node_->ended() && (worlds_.all().empty() || node_->may_serve()); }

void ClusterHost::update() {
  node_->tick_ran();
  end_closed();
  while (const std::optional<NodeTask> task = node_->poll_task()) handle(*task);
  const core::Nanoseconds now = core::monotonic_now();
  if (now < report_due_) return;
  report_due_ = now + report_interval;
  note_saved();
  report_load();
}

void ClusterHost::handle(const NodeTask& task) {
  if (task.kind == NodeTask::Kind::open) return open(task);
  const auto found = std::ranges::find(places_, task.world, &Hosted::name);
  if (found == places_.end() || found->epoch != task.epoch) return;
  found->closing = true;
  task.kind == NodeTask::Kind::close ? close(*found) : worlds_.drop(found->name);
}

void ClusterHost::open(const NodeTask& task) {
  const auto free = std::ranges::find(places_, "", &Hosted::name);
  const auto place = static_cast<std::size_t>(free - places_.begin());
  core::Status opened = core::Error{"full", core::format("the node has all its {} worlds", places_.size())};
  if (free != places_.end()) opened = open_world(task, place);
  if (opened) return;
  core::log_error("cluster", "world {} is not opened: {}: {}", task.world, opened.error().reason,
                  opened.error().message);
  node_->failed(task.world, task.epoch, opened.error().message);
}

HostConfig ClusterHost::config_at(std::size_t place) const {
  HostConfig config = config_;
  config.port = plus(config.port, place);
  if (config.tcp_port) config.tcp_port = plus(*config.tcp_port, place);
  if (config.ws_port) config.ws_port = plus(*config.ws_port, place);
  return config;
}

core::Status ClusterHost::open_world(const NodeTask& task, std::size_t place) {
  HostConfig config = config_at(place);
  if (!config_.db.empty()) {
    core::Result<std::string> file = store::take_over(config_.db, task.world, task.epoch);
    if (!file) return file.error();
    config.db = std::move(*file);
  }
  std::unique_ptr<Game> game = make_game_();
  const core::Result<HostedWorld*> world = worlds_.open(task.world, config, *game);
  if (!world) return world.error();
  places_[place] = {.name = task.world, .epoch = task.epoch, .world = *world, .game = std::move(game)};
  core::log_info("cluster", "world {} is open, epoch {}", task.world, task.epoch);
  node_->opened(task.world, task.epoch, addresses_of(**world));
  return core::Done{};
}

// Clients have as long as in a process that ends.
void ClusterHost::close(Hosted& hosted) {
  HostedWorld* const world = worlds_.find(hosted.name);
  if (world == nullptr) return;
  if (config_.drain_seconds == 0) return worlds_.close(hosted.name);
  world->drain("the world moves to another server");
}

// Closes worlds whose clients have had their time, and gives back those that have ended. One that has ended without the
// cluster's wish has failed.
void ClusterHost::end_closed() {
  const bool has_lost = std::exchange(ended_, worlds_.ended()) != worlds_.ended();
  for (Hosted& hosted : places_) {
    if (hosted.name.empty()) continue;
    if (has_lost && !is_open(hosted)) {
      give_back(hosted);
    } else if (hosted.closing && hosted.world->server().drained()) {
      worlds_.close(hosted.name);
    }
  }
}

bool ClusterHost::is_open(const Hosted& hosted) const {
  return std::ranges::any_of(worlds_.all(), [&](const auto& world) { return world.get() == hosted.world; });
}

void ClusterHost::give_back(Hosted& hosted) {
  if (hosted.closing)
    node_->closed(hosted.name, hosted.epoch);
  else
    node_->failed(hosted.name, hosted.epoch, "its game has failed on node " + config_.node);
  hosted = {};
}

// A former owner's file is of no use once this owner has saved the world.
void ClusterHost::note_saved() {
  for (Hosted& hosted : places_) {
    const store::Store* const store = hosted.name.empty() || hosted.has_backup ? nullptr : hosted.world->store();
    if (store == nullptr || store->status().checkpoints == 0) continue;
    store::remove_former(config_.db, hosted.name, hosted.epoch);
    hosted.has_backup = true;
  }
}

void ClusterHost::report_load() {
  double share = 0;
  for (const std::unique_ptr<HostedWorld>& world : worlds_.all()) share += world->pacer().times().load;
  node_->set_load({.worlds = static_cast<std::uint32_t>(worlds_.all().size()),
                   .players = static_cast<std::uint32_t>(worlds_.players()),
                   .tick_percent = static_cast<std::uint32_t>(100 * share)});
}

}  // namespace mobula::server
