#include <algorithm>
#include <chrono>
#include <mobula/core/base64.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/net/origin.hpp>
#include <mobula/net/resolve.hpp>
#include <mobula/net/server_pipes.hpp>
#include <mobula/server/admin/http_server.hpp>
#include <mobula/server/admin/listen_address.hpp>
#include <mobula/server/api/process_facts.hpp>
#include <mobula/server/game/thrown.hpp>
#include <mobula/server/host/cluster_host.hpp>
#include <mobula/server/session/server.hpp>
#include <mobula/server/store/store.hpp>

namespace mobula::server {
namespace {

using cluster::NodeTask;
using transport::Pipe;

static_assert(store::epoch_max == cluster::epoch_max, "each owner of a world may have a file");
constexpr core::Nanoseconds report_interval = core::second;
// Returns the URL of the admin port for the other processes of the cluster. A port at all addresses has the host of the
// worlds. One at a loopback address counts if the worlds are at one too, as on a single machine. Empty otherwise, and
// while the port is not known.
std::string published_admin(const HostConfig& config) {
  const core::Result<transport::Address> listen = admin::listen_address(config.admin_address, config.admin_port);
  if (!listen || listen->port == 0) return {};
  std::string host = config.public_addresses.empty() ? std::string() : config.public_addresses.front();
  if (host.find(':') != std::string::npos) host = '[' + host + ']';
  const bool everywhere = listen->is_any() || *listen == transport::Address::v4(0, 0, 0, 0, listen->port);
  if (everywhere) return host.empty() ? host : core::format("http://{}:{}", host, listen->port);
  const bool here = admin::check_listen(*listen, {}).ok();
  return here && !net::is_local_origin("http://" + host) ? std::string() : admin_url(config);
}

// The function is the game's. A node goes on without a world whose game cannot be made.
core::Result<std::unique_ptr<Game>> make(const MakeGame& make_game) {
  constexpr const char* reason = "no game";
  std::unique_ptr<Game> game;
  if (const std::optional<Thrown> thrown = thrown_by([&] { game = make_game(); }))
    return core::Error{reason, "the function that makes games threw an exception: " + thrown->what};
  if (game == nullptr) return core::Error{reason, "the function that makes games has returned none"};
  return game;
}

// 0 takes any free port.
std::uint16_t plus(std::uint16_t port, std::size_t place) {
  return port == 0 ? port : static_cast<std::uint16_t>(port + place);
}

core::Result<std::shared_ptr<ZonePlace>> place_of(const std::string& world, const std::string& json) {
  core::Result<ZoneMap> map = ZoneMap::parse(json);
  if (!map) return map.error();
  const cluster::ZoneName name = cluster::zone_name(world);
  const std::uint32_t zone = map->find(name.zone);
  if (zone == ZoneMap::no_zone)
    return core::Error{"bad map", core::format("the map {} has no zone {}", name.map, name.zone)};
  return std::make_shared<ZonePlace>(ZonePlace{std::move(*map), std::string(name.map), zone});
}

LinkNetwork links_of(net::EventLoop& loop) {
  return {.open = [&loop](const net::Destination& server) { return net::ClientPipe::open(loop, server); },
          .now = core::monotonic_now,
          .unix_now = core::unix_now};
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

core::Result<std::unique_ptr<ClusterHost>> ClusterHost::start(Worlds& worlds, const HostConfig& config,
                                                              MakeGame make_game) {
  const core::Result<std::unique_ptr<Game>> first = make(make_game);
  if (!first) return first.error();
  const core::Result<std::shared_ptr<const reflect::Schema>> schema = reflect::Schema::load((*first)->schema());
  if (!schema) return schema.error();
  cluster::NodeConfig node{.cluster = config.cluster_name + "/", .name = config.node};
  node.schema = core::to_base64((*schema)->bytes());
  node.offer = {.game = to_string((*schema)->fingerprint()),
                .version = std::string(api::version()),
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
      joins_as_(std::move(node)) {}

void ClusterHost::join() {
  joins_as_.offer.admin = published_admin(config_);
  node_ = std::make_unique<cluster::NodeThread>(
      std::move(joins_as_), cluster::EtcdConfig{.members = cluster::parse_members(config_.cluster).value()});
}

// A node that has not joined yet has no world to serve.
bool ClusterHost::may_serve() const {
  return !node_ || (!node_->ended() && (worlds_.all().empty() || node_->may_serve()));
}

void ClusterHost::drain() {
  drained_ = true;
  if (node_) node_->drain();
}

void ClusterHost::progress() {
  if (node_) node_->tick_ran();
}

void ClusterHost::update() {
  if (!node_ && drained_) return;
  if (!node_) join();
  node_->tick_ran();
  end_closed();
  while (const std::optional<NodeTask> task = node_->poll_task()) handle(*task);
  open_next();
  const core::Nanoseconds now = core::monotonic_now();
  update_crossings(now);
  if (now < report_due_) return;
  report_due_ = now + report_interval;
  note_saved();
  report_load();
}

void ClusterHost::handle(const NodeTask& task) {
  if (task.kind == NodeTask::Kind::open) {
    openings_.push_back({.task = task});
    return;
  }
  const auto same = [&](const std::string& world, std::uint64_t epoch) {
    return world == task.world && epoch == task.epoch;
  };
  for (Opening& opening : openings_) opening.dropped |= same(opening.task.world, opening.task.epoch);
  for (Hosted& hosted : places_) {
    if (!same(hosted.name, hosted.epoch)) continue;
    hosted.closing = true;
    task.kind == NodeTask::Kind::close ? close(hosted) : worlds_.drop(hosted.name);
  }
}

// Takes one step: begins to take over a file, or opens the world whose file is there. Worlds tick between two steps.
void ClusterHost::open_next() {
  std::erase_if(openings_, [](const Opening& each) { return each.dropped && !each.file.valid(); });
  if (openings_.empty()) return;
  Opening& next = openings_.front();
  if (!next.file.valid()) {
    const auto take = [folder = config_.db, task = next.task] {
      return folder.empty() ? store::EpochFile{} : store::take_over(folder, task.world, task.epoch);
    };
    next.file = std::async(config_.db.empty() ? std::launch::deferred : std::launch::async, take);
    return;
  }
  if (next.file.wait_for(std::chrono::seconds(0)) == std::future_status::timeout) return;
  Opening opening = std::move(next);
  openings_.pop_front();
  if (!opening.dropped && node_->may_serve()) finish(opening.task, opening.file.get());
  for (const cluster::CrossingEvent& event : opening.crossings) on_crossing(event);
  node_->tick_ran();
}

void ClusterHost::finish(const NodeTask& task, const core::Result<store::EpochFile>& file) {
  if (!file) return refuse(task, file.error());
  const core::Status opened = open_world(task, file->path);
  if (opened) return;
  if (file->is_new && !config_.db.empty()) store::discard(config_.db, task.world, task.epoch);
  core::Error error = opened.error();
  // The copy is removed, and its former owner's file is to be replaced.
  if (!file->former.empty())
    for (std::size_t at; (at = error.message.find(file->path)) != std::string::npos;)
      error.message.replace(at, file->path.size(), file->former);
  refuse(task, error);
}

void ClusterHost::refuse(const NodeTask& task, const core::Error& error) {
  core::log_error("cluster", "world {} is not opened: {}: {}", task.world, error.reason, error.message);
  if (error.reason == std::string_view("superseded"))
    node_->superseded(task.world, task.epoch, store::last_epoch(config_.db, task.world));
  else
    node_->failed(task.world, task.epoch, error.message);
}

HostConfig ClusterHost::config_at(std::size_t place) const {
  HostConfig config = config_;
  config.port = plus(config.port, place);
  if (config.tcp_port) config.tcp_port = plus(*config.tcp_port, place);
  if (config.ws_port) config.ws_port = plus(*config.ws_port, place);
  return config;
}

// A port that another program has is not tried in vain: another place has other ports.
core::Status ClusterHost::open_world(const NodeTask& task, const std::string& file) {
  core::Status opened = core::Error{"full", core::format("the node has all its {} worlds", places_.size())};
  for (std::size_t place = 0; place < places_.size(); ++place) {
    if (!places_[place].name.empty()) continue;
    opened = open_at(place, task, file);
    if (opened || opened.error().reason != std::string_view("port in use")) break;
  }
  return opened;
}

core::Status ClusterHost::open_at(std::size_t place, const NodeTask& task, const std::string& file) {
  HostConfig config = config_at(place);
  config.db = file;
  core::Result<std::unique_ptr<Game>> game = make(make_game_);
  if (!game) return game.error();
  if (!task.map.empty()) {
    core::Result<std::shared_ptr<ZonePlace>> zone = place_of(task.world, task.map);
    if (!zone) return zone.error();
    config.zone = std::move(*zone);
  }
  const core::Result<HostedWorld*> world = worlds_.open(task.world, config, **game);
  if (!world) return world.error();
  std::unique_ptr<ZoneHost> zone;
  if (config.zone != nullptr)
    zone = std::make_unique<ZoneHost>(links_of(worlds_.events()), config.zone, (*world)->server(),
                                      (*world)->token_issuer().key, *node_);
  if (zone != nullptr) (*world)->on_ending([host = zone.get()] { host->close(); });
  auto crossings = std::make_unique<WorldCrossings>(task.world, task.epoch, (*world)->server(), (*world)->store(),
                                                    *node_, zone.get());
  core::Status begun = core::Done{};
  if (core::Status ran = (*world)->run([&] { begun = crossings->begin(task, core::monotonic_now()); }); !ran)
    begun = ran;
  places_[place] = {.name = task.world,
                    .epoch = task.epoch,
                    .world = *world,
                    .game = std::move(*game),
                    .zone = std::move(zone),
                    .crossings = std::move(crossings)};
  if (!begun) {
    places_[place].refused = true;
    worlds_.drop(task.world);
    return begun;
  }
  core::log_info("cluster", "world {} is open, epoch {}", task.world, task.epoch);
  node_->opened(task.world, task.epoch, addresses_of(**world));
  return core::Done{};
}

// Events of a world that is being opened wait. Those of a world that is being closed are those of its next owner.
void ClusterHost::on_crossing(const cluster::CrossingEvent& event) {
  for (Opening& opening : openings_)
    if (opening.task.world == event.world && opening.task.epoch == event.epoch) opening.crossings.push_back(event);
  for (const Hosted& hosted : places_)
    if (hosted.name == event.world && hosted.epoch == event.epoch && !worlds_.is_closing(hosted.name))
      run(hosted, [&] { hosted.crossings->on_event(event); });
}

void ClusterHost::update_crossings(core::Nanoseconds now) {
  while (const std::optional<cluster::CrossingEvent> event = node_->poll_crossing()) on_crossing(*event);
  for (const Hosted& hosted : places_)
    if (!hosted.name.empty() && !worlds_.is_closing(hosted.name)) run(hosted, [&] { hosted.crossings->update(now); });
}

// A world whose game throws ends, and the others go on.
void ClusterHost::run(const Hosted& hosted, const std::function<void()>& code) {
  if (!hosted.world->run(code)) worlds_.close(hosted.name);
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
  if (hosted.closing) node_->closed(hosted.name, hosted.epoch);
  if (!hosted.closing && !hosted.refused)
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
  if (node_->serving()) not_ready_ = node_->status().draining ? "the node drains: it takes no more worlds" : nullptr;
}

}  // namespace mobula::server
