#include <mobula/server/cluster/node.hpp>
#include <mobula/server/host/world_crossings.hpp>

#include "zones/strip.hpp"
#include "zones/zone_bench.hpp"
#include "zones/zone_server.hpp"

namespace mobula::bench {
namespace {

constexpr const char* one_zone = R"({"zones": [{"name": "all"}], "entities_per_zone": 65536})";
constexpr const char* world_name = "land.all";

// A server with clients that see all its entities, and what a cluster adds if it is a zone.
class Lone {
 public:
  Lone(std::uint32_t entities, std::uint32_t clients, const std::shared_ptr<server::ZonePlace>& place)
      : game_(entities), server_(start_zone(game_, place, {})) {
    for (std::uint32_t i = 1; i <= clients; ++i)
      clients_.push_back(std::make_unique<Client>(transport::Address::v4(10, 2, 0, 1, static_cast<std::uint16_t>(i)),
                                                  client_config(i, {}, false)));
    if (place == nullptr) return;
    const auto never = [](const net::Destination&) -> core::Result<std::unique_ptr<net::ClientPipe>> {
      return core::Error{"no neighbours", "a zone alone opens no links"};
    };
    zone_.emplace(server::LinkNetwork{.open = never, .now = [this] { return now_; }, .unix_now = [] { return 0; }},
                  place, *server_, test::test_transport().private_key, node_);
    crossings_.emplace(world_name, 1, *server_, nullptr, node_, &*zone_);
    MOBULA_CHECK(crossings_->begin({.world = world_name, .epoch = 1}, now_).ok(), "a zone begins");
  }

  // Returns the CPU time of the simulation thread.
  core::Nanoseconds tick() {
    now_ += tick_length;
    const core::Nanoseconds spent = cpu_time([&] {
      for (const auto& client : clients_)
        for (const auto& [to, datagram] : client->wire.waiting) server_->receive(client->address, datagram, now_, out_);
      server_->tick(now_, out_);
      if (crossings_) crossings_->update(now_);
    });
    for (const auto& client : clients_) client->wire.waiting.clear();
    for (const auto& [to, datagram] : out_.waiting)
      clients_[to.port - 1u]->connection->receive(test::village_address, datagram, now_);
    out_.waiting.clear();
    for (const auto& client : clients_) client->connection->update(now_, client->wire);
    return spent;
  }

 private:
  core::Nanoseconds now_ = core::second;
  StripGame game_;
  std::unique_ptr<server::Server> server_;
  cluster::Node node_{{.cluster = "c/", .name = "a", .offer = {.game = "game", .worlds_max = 1}}};
  std::optional<server::ZoneHost> zone_;
  std::optional<server::WorldCrossings> crossings_;
  std::vector<std::unique_ptr<Client>> clients_;
  Wire out_;
};

}  // namespace

AloneCost measure_alone(std::uint32_t entities, std::uint32_t clients, std::uint32_t ticks) {
  constexpr std::uint32_t warm_up = 100;
  Lone zone(entities, clients, place_of(one_zone, 0));
  Lone world(entities, clients, nullptr);
  for (std::uint32_t i = 0; i < warm_up; ++i) static_cast<void>(zone.tick() + world.tick());
  core::Nanoseconds in_zone = 0;
  core::Nanoseconds in_world = 0;
  for (std::uint32_t i = 0; i < ticks; ++i) {  // in turns: speed and caches are the same for both
    if (i % 2 == 0) in_zone += zone.tick();
    in_world += world.tick();
    if (i % 2 == 1) in_zone += zone.tick();
  }
  const auto us = [&](core::Nanoseconds time) { return static_cast<double>(time) / 1000 / ticks; };
  return {.clients = clients, .world_us = us(in_world), .zone_us = us(in_zone)};
}

}  // namespace mobula::bench
