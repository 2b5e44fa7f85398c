#include "rewind/shooting.hpp"

#include <cmath>
#include <mobula/schema/engine.hpp>

#include "bench_secrets.hpp"

namespace mobula::bench {
namespace {

constexpr float side = 200;
const transport::Address server_address = transport::Address::v4(10, 0, 0, 1, 7777);
const transport::Address client_address = transport::Address::v4(10, 0, 0, 2, 5000);

std::optional<server::CommandTable::Opened> open(core::ByteView bytes) {
  return server::CommandTable::Opened{1, bytes.data()};
}

}  // namespace

std::optional<server::RewindConfig> Shooting::rewind() const { return rewind_; }

server::CommandTable Shooting::commands() {
  server::CommandTable table(&open);
  table.add(
      1, "Shoot",
      [this](server::World& world, const server::Player& player, const void* /*body*/,
             const server::CommandContext& context) { return judge_(world, player, context); },
      server::RateLimit{.per_second = 1000, .burst = 1000});
  return table;
}

core::Status Shooting::start(server::World& world) {
  for (std::uint32_t i = 0; i < count_; ++i)
    targets_.push_back(*world.create(engine::Transform{
        .position = {.x = world.random(-side, side), .y = 0, .z = world.random(-side, side)}, .rotation = {.w = 1}}));
  return core::Done{};
}

core::Result<ecs::Entity> Shooting::join(server::World& world, const server::Player& /*player*/) {
  return world.create(engine::Transform{.rotation = {.w = 1}});
}

void Shooting::tick(server::World& world) {
  for (const ecs::Entity target : targets_) {
    auto& transform = world.registry().get<engine::Transform>(target);
    const float angle = 0.03f * static_cast<float>(world.tick() + 7 * target.index);
    transform.position.x += 0.15f * std::cos(angle);
    transform.position.z += 0.15f * std::sin(angle);
    if (world.random().chance(1, 20)) transform.position.y = world.random(-1, 1);
    transform.rotation = {.x = 0, .y = std::sin(angle / 2), .z = 0, .w = std::cos(angle / 2)};
  }
}

ShootingWorld::ShootingWorld(const ShootingPace& pace, std::uint64_t seed)
    : frames_per_tick_(pace.frames_per_tick),
      frame_length_(core::second / pace.ticks_per_second / pace.frames_per_tick),
      network_(seed, pace.conditions),
      server_port_(*this, server_address),
      client_port_(*this, client_address) {}

core::Result<std::unique_ptr<ShootingWorld>> ShootingWorld::make(Shooting& game, const ShootingPace& pace,
                                                                 std::uint64_t seed) {
  std::unique_ptr<ShootingWorld> world(new ShootingWorld(pace, seed));
  server::ServerConfig config;
  config.ticks_per_second = pace.ticks_per_second;
  config.seed = seed;
  config.verify_one_in = 0;
  set_bench_secrets(config, server_address);
  core::Result<std::unique_ptr<server::Server>> server = server::Server::start(std::move(config), game);
  if (!server) return server.error();
  world->server_ = std::move(*server);
  world->server_->set_unix_time(bench_unix_time);
  client::ConnectionConfig client;
  client.transport.token = bench_token(0, server_address);
  client.name = "shooter";
  world->connection_.emplace(client, world->now_);
  return world;
}

void ShootingWorld::tick(bool shoot) {
  for (std::uint32_t frame = 1; frame <= frames_per_tick_; ++frame) {
    run_frame(shoot);
    if (frame == frames_per_tick_) server_->tick(now_, server_port_);
    now_ += frame_length_;
  }
}

void ShootingWorld::run_frame(bool shoot) {
  network_.deliver(now_, [&](const transport::Address& from, const transport::Address& to, core::ByteView datagram) {
    if (to == server_address) return server_->receive(from, datagram, now_, server_port_);
    connection_->receive(from, datagram, now_);
  });
  constexpr std::byte command{1};
  if (shoot) connection_->set_command({&command, 1});
  connection_->update(now_, client_port_);
}

bool ShootingWorld::join() {
  for (int i = 0; i < 2000; ++i) {
    tick(false);
    if (connection_->mirror() != nullptr) connection_->mirror()->set_view_tick(0);  // as with first pictures
    if (connection_->player_entity() && connection_->complete()) return true;
  }
  return false;
}

}  // namespace mobula::bench
