#include <mobula/server/zones/zone_pass.hpp>

#include "zones/strip.hpp"
#include "zones/zone_bench.hpp"
#include "zones/zone_server.hpp"

namespace mobula::bench {
namespace {

const server::ServerConfig verifying{.verify_one_in = 1};

struct Times {
  core::Nanoseconds send = 0;
  core::Nanoseconds mirror = 0;
  core::Nanoseconds copy = 0;
  core::Nanoseconds publish = 0;
};

class Border {
 public:
  // Without a link the east has no ghosts.
  Border(std::uint32_t entities, bool is_linked)
      : is_linked_(is_linked),
        west_game_(entities),
        west_(start_zone(west_game_, place_of(two_zones, 0), verifying)),
        east_(start_zone(east_game_, place_of(two_zones, 1), verifying)),
        ghosts_(east_->world().registry(), 0),
        link_(transport::Address::v4(10, 2, 0, 1, 5000),
              client_config(1, server::zone_pass(1, 1, test::test_transport().private_key), true)),
        player_(transport::Address::v4(10, 2, 0, 2, 5000), client_config(2, {}, false)) {}

  Times tick() {
    now_ += tick_length;
    Times times;
    for (Client* client : {&link_, &player_}) deliver_to_west(*client);
    times.send = cpu_time([&] { west_->tick(now_, west_out_); });
    for (const auto& [to, datagram] : west_out_.waiting) receive(to, datagram, times);
    west_out_.waiting.clear();
    if (is_linked_) times.mirror += cpu_time([&] { link_.connection->update(now_, link_.wire); });
    player_.connection->update(now_, player_.wire);
    if (is_linked_) times.copy = cpu_time([&] { ghosts_.update(*link_.connection, now_); });
    times.publish = cpu_time([&] { east_->tick(now_, east_out_); });
    return times;
  }
  [[nodiscard]] std::uint32_t ghosts() { return east_->world().registry().pool<server::Ghost>().size(); }
  [[nodiscard]] const client::ConnectionStats& mirror() const { return link_.connection->stats(); }
  [[nodiscard]] const server::Neighbour& neighbour() const { return ghosts_; }
  void reset_bytes() { link_.bytes = player_.bytes = 0; }
  [[nodiscard]] std::uint64_t link_bytes() const { return link_.bytes; }
  [[nodiscard]] std::uint64_t player_bytes() const { return player_.bytes; }

 private:
  void deliver_to_west(Client& client) {
    for (const auto& [to, datagram] : client.wire.waiting) west_->receive(client.address, datagram, now_, west_out_);
    client.wire.waiting.clear();
  }
  void receive(const transport::Address& to, core::ByteView datagram, Times& times) {
    Client& client = to == link_.address ? link_ : player_;
    client.bytes += datagram.size();
    const core::Nanoseconds spent =
        cpu_time([&] { client.connection->receive(test::village_address, datagram, now_); });
    if (&client == &link_) times.mirror += spent;
  }

  bool is_linked_;
  StripGame west_game_;
  StripGame east_game_{0};
  std::unique_ptr<server::Server> west_;
  std::unique_ptr<server::Server> east_;
  server::Neighbour ghosts_;
  Client link_;
  Client player_;
  Wire west_out_;
  Wire east_out_;
  core::Nanoseconds now_ = core::second;
};

}  // namespace

BorderCost measure_border(std::uint32_t entities, std::uint32_t ticks) {
  constexpr std::uint32_t warm_up = 100;
  Border border(entities, true);
  for (std::uint32_t i = 0; i < warm_up; ++i) static_cast<void>(border.tick());
  Border alone(entities, false);
  for (std::uint32_t i = 0; i < warm_up; ++i) static_cast<void>(alone.tick());
  border.reset_bytes();
  Times sum;
  for (std::uint32_t i = 0; i < ticks; ++i) {
    const Times with = border.tick();
    const Times without = alone.tick();
    sum.send += with.send - without.send;
    sum.mirror += with.mirror - without.mirror;
    sum.copy += with.copy - without.copy;
    sum.publish += with.publish - without.publish;
  }
  const auto per_tick = [&](std::uint64_t bytes) { return static_cast<double>(bytes) / ticks; };
  const auto per_ghost = [&](core::Nanoseconds time) { return static_cast<double>(time) / ticks / entities; };
  const server::Ghosts::Stats& ghosts = border.neighbour().stats();
  return {.ghosts = border.ghosts(),
          .link_bytes = per_tick(border.link_bytes()),
          .client_bytes = per_tick(border.player_bytes()),
          .mirror_ns = per_ghost(sum.mirror),
          .copy_ns = per_ghost(sum.copy),
          .publish_ns = per_ghost(sum.publish),
          .send_ns = per_ghost(sum.send),
          .checks = ghosts.checked + border.mirror().verified_ticks,
          .mismatches = ghosts.corrected + border.mirror().mismatched_ticks};
}

}  // namespace mobula::bench
