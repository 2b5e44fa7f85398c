// Worlds of one node with a real etcd. Each run of the process opens them again.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <mobula/server/cluster/placer.hpp>
#include <mobula/server/host/cluster_host.hpp>
#include <mobula/server/session/server.hpp>
#include <server/cluster/etcd_members.hpp>
#include <server/host/counting_game.hpp>
#include <server/store/test_folder.hpp>

namespace mobula::test {

class ClusterWorldsTest : public testing::Test {
 protected:
  // With a map, its zones are the worlds, named MAP.ZONE.
  explicit ClusterWorldsTest(std::vector<std::string> all, std::string map = {}, std::string map_json = {})
      : names(std::move(all)), map_(std::move(map)), map_json_(std::move(map_json)) {}

  void SetUp() override {
    if (!fs::exists(etcd_program)) GTEST_SKIP() << "needs Debian's etcd-server";
    members.emplace(1);
    key = (fs::path(folder.file()).parent_path() / "key").string();
    std::ofstream(key) << std::string(64, 'a');
    fs::permissions(key, fs::perms::owner_read | fs::perms::owner_write);
  }
  // Runs a process with the worlds, until the script returns true.
  void run(const std::function<bool(server::Worlds&)>& script) {
    using std::chrono::steady_clock;
    server::Worlds worlds;
    server::HostConfig config = quick();
    config.tick_rate = 60;
    config.public_addresses = {"127.0.0.1"};
    config.cluster = members->urls().front();
    config.node = "n" + std::to_string(++runs);
    config.db = fs::path(folder.file()).parent_path().string();
    config.checkpoint_seconds = 0.1;
    config.entities_max = 1024;
    if (!map_.empty()) config.key_file = key;
    auto host = server::ClusterHost::start(worlds, config, make_game);
    ASSERT_TRUE(host);
    etcd.emplace(worlds.events(), cluster::EtcdConfig{.members = members->urls()});
    placer.emplace("mobula/");
    const auto end = steady_clock::now() + std::chrono::seconds(20);
    bool created = false;
    worlds.on_tick([&] {
      placer->update(*etcd, core::monotonic_now());
      const cluster::Directory& directory = placer->directory();
      if (!created && directory.complete() && directory.nodes().contains(config.node)) {
        created = true;
        game = directory.nodes().at(config.node).record.game;
        if (!map_.empty()) set_map(map_json_);
        for (const std::string& world : names) create(world);
      }
      const bool all = std::ranges::all_of(names, [&](const auto& each) { return worlds.find(each) != nullptr; });
      if ((all && script(worlds)) || steady_clock::now() > end) worlds.stop();
    });
    EXPECT_EQ(worlds.run(), !fails);
    etcd.reset();
    ASSERT_LT(steady_clock::now(), end) << "the script did not end";
  }
  // In a script.
  void set_map(const std::string& json) {
    map_json_ = json;
    static_cast<void>(etcd->commit({{}, {{"mobula/maps/" + map_, map_json_, 0}}, {}}));
  }
  void create(const std::string& world) { placer->create(*etcd, world, game); }
  static std::vector<std::string> accounts(server::Worlds& worlds, const char* world) {
    std::vector<std::string> all;
    for (const server::KnownPlayer& each : worlds.find(world)->server().known_players()) all.push_back(each.account);
    return all;
  }
  static server::World& world(server::Worlds& worlds, const char* name) { return worlds.find(name)->server().world(); }

  server::MakeGame make_game = [] { return std::make_unique<CountingGame>(); };
  store::TestFolder folder;
  std::optional<Members> members;
  std::optional<cluster::Placer> placer;
  std::optional<cluster::Etcd> etcd;  // while a process runs
  std::string game;
  std::vector<std::string> names;
  std::string key;
  int runs = 0;
  bool fails = false;  // whether a world is to fail

 private:
  std::string map_;
  std::string map_json_;
};

}  // namespace mobula::test
