// Processes whose worlds send players to each other, in one process: a store, a placer, and files on a shared volume.
// A world is its players' accounts.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <mobula/server/cluster/crossing_ledger.hpp>
#include <mobula/server/cluster/node.hpp>
#include <server/cluster/cluster_of_twins.hpp>
#include <utility>

namespace mobula::test {

using Accounts = std::set<std::string>;

struct TwinSave {
  Accounts players{};
  cluster::LedgerState ledger{};
};
/// Files by world and epoch.
using TwinVolume = std::map<std::string, std::map<std::uint64_t, TwinSave>>;

class TwinWorld final : public cluster::CrossingHome {
 public:
  TwinWorld(const std::string& name, std::uint64_t owner_epoch) : epoch(owner_epoch), ledger(name, *this) {}

  bool take(const cluster::CrossingRecord& player) override {
    if (players.size() >= room) return false;
    EXPECT_TRUE(players.insert(player.account).second) << player.account << " is there twice";
    return true;
  }
  void remove(const cluster::CrossingRecord& player) override { players.erase(player.account); }
  void leave(const cluster::CrossingRecord& player) override {
    EXPECT_FALSE(players.contains(player.account)) << player.account << " is here";
  }
  [[nodiscard]] bool has(const std::string& account) const override { return players.contains(account); }

  std::uint64_t epoch = 0;
  std::size_t room = 100;
  Accounts players{};
  cluster::CrossingLedger ledger;
  std::optional<TwinSave> writing{};  // a checkpoint that is not on the disk yet
  core::Nanoseconds written_at = 0;
};

/// A process with a node.
class CrossingHost {
 public:
  CrossingHost(StoreTwin& store, core::Random& random, TwinVolume& volume, std::string name)
      : client(store, random),
        node({.cluster = "c/", .name = std::move(name), .offer = {.game = "game", .worlds_max = 6}}),
        volume_(volume) {}

  void step(core::Nanoseconds now) {
    now_ = now;
    client.advance(now);
    if (paused) return;
    for (auto& [name, world] : worlds) finish_save(name, *world);  // a process may write late: nobody reads its file
    node.tick_ran(now);
    node.update(client, now);
    while (const std::optional<cluster::NodeTask> task = node.poll_task()) carry_out(*task);
    while (const std::optional<cluster::CrossingEvent> event = node.poll_crossing()) {
      const auto world = worlds.find(event->world);
      if (world == worlds.end()) continue;  // it was closed, and its last save counts
      EXPECT_EQ(world->second->epoch, event->epoch);
      world->second->ledger.on_event(*event);
      refused += event->kind == cluster::CrossingEvent::Kind::refused ? 1 : 0;
    }
  }
  [[nodiscard]] bool may_serve() const { return !paused && now_ < node.valid_until(); }

  /// Prepares a crossing of a player.
  // `bytes` of the game's data go with the player.
  std::string send(const std::string& from, const std::string& account, const std::string& to, std::size_t bytes = 0) {
    TwinWorld& world = *worlds.at(from);
    EXPECT_EQ(world.players.erase(account), 1u);
    const std::string id = from + "-" + std::to_string(world.epoch) + "-" + std::to_string(++number_);
    const cluster::CrossingRecord record{.source = from, .target = to, .account = account, .data = core::Bytes(bytes)};
    world.ledger.prepare(id, record);
    node.depart(from, world.epoch, id, record);
    return id;
  }
  void begin_save(const std::string& name, core::Nanoseconds takes = 0) {
    TwinWorld& world = *worlds.at(name);
    if (world.writing) return;
    world.writing = TwinSave{world.players, world.ledger.state()};
    world.written_at = now_ + takes;
  }

  TwinClient client;
  cluster::Node node;
  std::map<std::string, std::unique_ptr<TwinWorld>> worlds;
  bool paused = false;
  int refused = 0;
  std::string failure;  // why a world was not opened

 private:
  void finish_save(const std::string& name, TwinWorld& world) {
    if (!world.writing || now_ < world.written_at) return;
    const TwinSave save = *std::exchange(world.writing, std::nullopt);
    volume_[name][world.epoch] = save;
    node.saved(name, world.epoch, save.ledger.version, save.ledger.saved_ids());
  }
  void carry_out(const cluster::NodeTask& task) {
    using Kind = cluster::NodeTask::Kind;
    if (task.kind == Kind::open) return open(task);
    if (task.kind == Kind::close) {
      begin_save(task.world);
      finish_save(task.world, *worlds.at(task.world));
      node.closed(task.world, task.epoch);
    }
    worlds.erase(task.world);
  }
  void open(const cluster::NodeTask& task) {
    auto world = std::make_unique<TwinWorld>(task.world, task.epoch);
    std::map<std::uint64_t, TwinSave>& files = volume_[task.world];
    const TwinSave save = files.empty() ? TwinSave{} : files.rbegin()->second;
    files[task.epoch] = save;
    world->players = save.players;
    node.saved(task.world, task.epoch, save.ledger.version, save.ledger.saved_ids());
    const core::Status restored = world->ledger.restore(save.ledger, task.crossings, task.ledger.version);
    if (!restored) {
      failure = restored.error().reason;
      return node.failed(task.world, task.epoch, restored.error().message);
    }
    worlds[task.world] = std::move(world);
    node.opened(task.world, task.epoch, {"udp://host:7777"});
  }

  TwinVolume& volume_;
  core::Nanoseconds now_ = 0;
  int number_ = 0;
};

class CrossingTrial {
 public:
  explicit CrossingTrial(std::uint64_t seed = 1) : random(seed) {}

  CrossingHost& add_host() {
    const std::string name = "n" + std::to_string(named_++);
    return *hosts.emplace_back(std::make_unique<CrossingHost>(store, random, volume, name));
  }
  void step() {
    now += step_time;
    store.advance(now);
    for (const auto& each : hosts) each->step(now);
    placer.step(now);
  }
  void run(core::Nanoseconds time) {
    for (const core::Nanoseconds end = now + time; now < end;) step();
  }
  /// Makes a world whose file has these players.
  void create(const std::string& world, const Accounts& players) {
    volume[world][0] = {.players = players};
    placer.placer.create(placer.client, world, "game");
  }
  /// Returns the process that serves a world; null if there is none.
  CrossingHost* owner(const std::string& world) {
    const auto found = std::ranges::find_if(
        hosts, [&](const auto& each) { return each->may_serve() && each->worlds.contains(world); });
    return found == hosts.end() ? nullptr : found->get();
  }
  TwinWorld& world(const std::string& name) { return *owner(name)->worlds.at(name); }
  [[nodiscard]] std::vector<cluster::KeyValue> records() const { return store.list("c/crossings/").values; }

  core::Random random;
  StoreTwin store;
  TwinVolume volume;
  std::vector<std::unique_ptr<CrossingHost>> hosts;
  TwinPlacer placer{store, random};
  core::Nanoseconds now = 0;

 private:
  int named_ = 0;
};

}  // namespace mobula::test
