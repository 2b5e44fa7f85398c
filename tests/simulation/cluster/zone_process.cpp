#include <mobula/core/base64.hpp>
#include <mobula/server/store/epoch_files.hpp>
#include <simulation/cluster/zone_process.hpp>
#include <utility>

namespace mobula::sim {
namespace {

constexpr std::uint16_t first_port = 7000;
constexpr core::Nanoseconds leave_time = core::second / 2;  // for the request to end the lease
constexpr core::Nanoseconds grace = 8 * core::second;

const core::SecretKey& key() {
  static const core::SecretKey shared = test::test_transport().private_key;
  return shared;
}

cluster::NodeConfig node_config(const ZoneProcess::Cluster& cluster, std::uint32_t machine) {
  return {.cluster = "c/",
          .name = ZoneProcess::node_name(machine),
          .offer = {.game = WalkerGame::hash(), .worlds_max = cluster.zones},
          .schema = core::to_base64(test::game_schema()->bytes())};
}

void add(server::ZoneStats& sum, const std::optional<server::ZoneStats>& more) {
  if (!more) return;
  sum.ghost_checks += more->ghost_checks;
  sum.ghosts_corrected += more->ghosts_corrected;
  sum.mirror_checks += more->mirror_checks;
  sum.mirror_mismatches += more->mirror_mismatches;
  sum.crossings_in += more->crossings_in;
  sum.crossings_out += more->crossings_out;
}

}  // namespace

struct ZoneProcess::Port final : transport::Output {
  Port(Wires& all, const transport::Address& from) : wires(all), own(from) {}
  ~Port() override { wires.detach(own); }
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;
  void send(const transport::Address& to, core::ByteView datagram) override { wires.send(own, to, datagram); }

  Wires& wires;
  transport::Address own;
};

// A machine's ports are not used again by its next process, whose datagrams those of the former one are not.
ZoneProcess::ZoneProcess(const Cluster& cluster, std::uint32_t machine, server::ZoneStats& totals)
    : cluster_(cluster),
      machine_(machine),
      totals_(totals),
      client_(cluster.store, cluster.random),
      node_(node_config(cluster, machine)),
      next_port_(static_cast<std::uint16_t>(first_port + cluster.random.below(50'000))) {}

ZoneProcess::~ZoneProcess() {
  while (!zones_.empty()) drop(zones_.begin()->first);
}

void ZoneProcess::step(core::Nanoseconds now, std::uint64_t date, bool ticks) {
  now_ = now;
  date_ = date;
  client_.advance(now);
  if (over_) return;
  if (left_at_ != 0) {
    over_ = now - left_at_ >= leave_time;
    return;
  }
  node_.tick_ran(now);
  node_.update(client_, now);
  while (const std::optional<cluster::NodeTask> task = node_.poll_task()) handle(*task);
  over_ = node_.ended() || (!zones_.empty() && !may_serve(now));
  if (over_) return;
  while (const std::optional<cluster::CrossingEvent> event = node_.poll_crossing()) {
    const auto zone = zones_.find(event->world);
    if (zone != zones_.end() && zone->second->epoch == event->epoch) zone->second->crossings->on_event(*event);
  }
  if (ticks)
    for (const auto& [name, zone] : zones_) tick(name, *zone);
  if (node_.serving() && zones_.empty() && node_.status(now).draining && node_.worlds() == 0) leave();
}

void ZoneProcess::leave() {
  static_cast<void>(node_.leave(client_));
  left_at_ = now_;
}

void ZoneProcess::handle(const cluster::NodeTask& task) {
  using Kind = cluster::NodeTask::Kind;
  if (task.kind == Kind::open) return open(task);
  const auto zone = zones_.find(task.world);
  if (zone == zones_.end() || zone->second->epoch != task.epoch) return;
  task.kind == Kind::close ? close(task) : drop(task.world);
}

void ZoneProcess::open(const cluster::NodeTask& task) {
  const core::Result<store::EpochFile> file = store::take_over(cluster_.folder, task.world, task.epoch);
  if (!file) return refuse(task, file.error());
  auto zone = std::make_unique<Zone>();
  zone->epoch = task.epoch;
  if (const core::Status opened = open_file(*zone, task, file->path); !opened) {
    zone.reset();
    if (file->is_new) store::discard(cluster_.folder, task.world, task.epoch);
    return refuse(task, opened.error());
  }
  node_.opened(task.world, task.epoch, {"udp://" + to_string(zone->address)});
  zones_[task.world] = std::move(zone);
}

void ZoneProcess::refuse(const cluster::NodeTask& task, const core::Error& error) {
  if (error.reason == std::string_view("superseded"))
    return node_.superseded(task.world, task.epoch, store::last_epoch(cluster_.folder, task.world));
  node_.failed(task.world, task.epoch, error.message);
}

core::Status ZoneProcess::open_file(Zone& zone, const cluster::NodeTask& task, const std::string& path) {
  core::Result<std::unique_ptr<store::Store>> opened =
      store::Store::open({.path = path, .schema = test::game_schema(), .finish_tries = 1});
  if (!opened) return opened.error();
  zone.store = std::move(*opened);
  return start(zone, task);
}

core::Status ZoneProcess::start(Zone& zone, const cluster::NodeTask& task) {
  core::Result<server::ZoneMap> map = server::ZoneMap::parse(task.map);
  if (!map) return map.error();
  const cluster::ZoneName name = cluster::zone_name(task.world);
  const std::uint32_t number = map->find(name.zone);
  if (number == server::ZoneMap::no_zone) return core::Error{"bad map", "there is no such zone"};
  const auto place = std::make_shared<server::ZonePlace>(
      server::ZonePlace{.map = std::move(*map), .world = std::string(name.map), .zone = number});
  zone.address = Wires::address(machine_, next_port_++);
  WalkerGame::Config game = cluster_.game;
  if (number >= cluster_.zones) game.walkers = 0;  // a split has made the zone
  zone.game = std::make_unique<WalkerGame>(cluster_.census, game);
  server::ServerConfig config;
  config.seed = task.epoch * 1024 + number;
  config.verify_one_in = 1;
  config.rejoin_grace = grace;
  config.players_max = cluster_.players_max;
  config.spectators_max = cluster_.zones + 100;
  config.checkpoint_ticks = cluster_.checkpoint_ticks;
  config.store = zone.store.get();
  config.transport = test::test_transport();
  config.transport.sessions_max = cluster_.players_max + 100;
  config.transport.public_addresses = {zone.address};
  config.token_servers = {zone.address};
  server::ZoneHost::configure(config, place, key());
  core::Result<std::unique_ptr<server::Server>> started = server::Server::start(std::move(config), *zone.game);
  if (!started) return started.error();
  zone.server = std::move(*started);
  zone.store->wait_for_writer();
  zone.server->set_unix_time(date_);
  zone.port = std::make_unique<Port>(cluster_.wires, zone.address);
  const auto open_pipe = [this](const net::Destination&) -> core::Result<std::unique_ptr<net::ClientPipe>> {
    return std::unique_ptr<net::ClientPipe>(
        std::make_unique<WirePipe>(cluster_.wires, Wires::address(machine_, next_port_++)));
  };
  zone.host = std::make_unique<server::ZoneHost>(
      server::LinkNetwork{
          .open = open_pipe, .now = [this] { return cluster_.wires.now; }, .unix_now = [this] { return date_; }},
      place, *zone.server, key(), node_);
  zone.crossings = std::make_unique<server::WorldCrossings>(task.world, task.epoch, *zone.server, zone.store.get(),
                                                            node_, zone.host.get());
  if (core::Status begun = zone.crossings->begin(task, now_); !begun) return begun;
  cluster_.wires.attach(zone.address, [this, &zone](const transport::Address& from, core::ByteView datagram) {
    zone.server->receive(from, datagram, cluster_.wires.now, *zone.port);
  });
  return core::Done{};
}

void ZoneProcess::tick(const std::string& name, Zone& zone) {
  zone.server->set_unix_time(date_);
  zone.server->tick(now_, *zone.port);
  zone.store->wait_for_writer();
  zone.crossings->update(now_);
  if (zone.was_saved || zone.store->status().checkpoints == 0) return;
  zone.was_saved = true;
  store::remove_former(cluster_.folder, name, zone.epoch);
}

void ZoneProcess::close(const cluster::NodeTask& task) {
  Zone& zone = *zones_.at(task.world);
  static_cast<void>(zone.server->finish_store());
  zone.server->shut_down(now_, *zone.port);
  drop(task.world);
  node_.closed(task.world, task.epoch);
}

void ZoneProcess::drop(const std::string& name) {
  Zone& zone = *zones_.at(name);
  add(totals_, zone.server->stats().zone);
  zone.crossings.reset();
  zone.host.reset();
  zones_.erase(name);
}

}  // namespace mobula::sim
