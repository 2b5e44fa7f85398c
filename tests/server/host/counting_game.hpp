// A game that counts its ticks and saves, and a configuration for quick worlds of it.
#pragma once

#include <functional>
#include <mobula/server/game/game.hpp>
#include <mobula/server/host/config.hpp>
#include <server/hamlet.hpp>

namespace mobula::test {

struct CountingGame : server::Game {
  [[nodiscard]] core::ByteView schema() const override { return game_schema()->bytes(); }
  core::Result<ecs::Entity> join(server::World& world, const server::Player&) override {
    return world.registry().create();
  }
  void leave(server::World&, const server::Player&) override {}
  void tick(server::World&) override {
    ++ticks;
    if (each_tick) each_tick();
  }
  core::Bytes save(const server::World&) override {
    ++saves;
    if (each_save) each_save();
    return {};
  }
  int ticks = 0;
  int saves = 0;
  std::function<void()> each_tick;
  std::function<void()> each_save;
};

inline server::HostConfig quick() {
  server::HostConfig config;
  config.port = 0;
  config.tick_rate = 240;
  config.public_addresses = {"127.0.0.1:7777"};
  return config;
}

}  // namespace mobula::test
