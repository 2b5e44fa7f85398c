#include <array>
#include <memory>
#include <mobula/ecs/registry_guests.hpp>
#include <mobula/schema/components.hpp>
#include <mobula/schema/engine.hpp>
#include <mobula/server/cluster/crossing_schema.hpp>
#include <mobula/server/cluster/node.hpp>
#include <mobula/server/cluster/placer.hpp>
#include <mobula/server/game/zone_pack.hpp>
#include <server/cluster/coordinator_twin.hpp>

#include "zones/zone_bench.hpp"
#include "zones/zone_server.hpp"

namespace mobula::bench {
namespace {

using cluster::NodeTask;

constexpr std::array<const char*, 2> worlds{"land.west", "land.east"};
constexpr core::Nanoseconds step = 10 * core::millisecond;

class EmptyGame final : public server::Game {
 public:
  [[nodiscard]] core::ByteView schema() const override { return test::game_schema()->bytes(); }
  core::Result<ecs::Entity> join(server::World& world, const server::Player&) override { return world.create(); }
  void leave(server::World&, const server::Player&) override {}
};

// A node that opens what it is given at once.
struct BenchNode {
  BenchNode(test::StoreTwin& store, core::Random& random, const char* name, std::uint32_t worlds_max)
      : client(store, random),
        node({.cluster = "c/", .name = name, .offer = {.game = "game", .worlds_max = worlds_max}}) {
    client.network.delay = 0;
  }
  void update(core::Nanoseconds now) {
    client.advance(now);
    spent += cpu_time([&] {
      node.tick_ran(now);
      node.update(client, now);
    });
    while (const std::optional<NodeTask> task = node.poll_task()) {
      if (task->kind != NodeTask::Kind::open) continue;
      world = task->world;
      epoch = task->epoch;
      node.opened(world, epoch, {"udp://10.0.0.1:7777"});
    }
  }

  test::TwinClient client;
  cluster::Node node;
  std::string world{};
  std::uint64_t epoch = 0;
  core::Nanoseconds spent = 0;
};

class Cluster {
 public:
  Cluster() {
    placer_client_.network.delay = 0;
    run_until([&] { return placer_.directory().nodes().size() == nodes.size(); });
    for (const char* const world : worlds) placer_.create(placer_client_, world, "game");
    run_until([&] { return !nodes[0]->world.empty() && !nodes[1]->world.empty(); });
    for (const auto& each : nodes) each->node.saved(each->world, each->epoch, 0, {});
    if (nodes[0]->world != worlds[0]) std::swap(nodes[0], nodes[1]);
  }
  template <class Condition>
  void run_until(const Condition& condition) {
    for (int i = 0; i < 10'000 && !condition(); ++i) run();
    MOBULA_CHECK(condition(), "a cluster in one process answers");
  }
  void run() {
    now += step;
    store.advance(now);
    placer_client_.advance(now);
    placer_.update(placer_client_, now);
    for (const auto& each : nodes) each->update(now);
  }

  core::Random random{1};
  test::StoreTwin store;
  std::array<std::unique_ptr<BenchNode>, 3> nodes{std::make_unique<BenchNode>(store, random, "a", 1),
                                                  std::make_unique<BenchNode>(store, random, "b", 1),
                                                  std::make_unique<BenchNode>(store, random, "c", 0)};
  core::Nanoseconds now = core::second;

 private:
  test::TwinClient placer_client_{store, random};
  cluster::Placer placer_{"c/"};
};

// Counts the bytes and transactions that crossings add to the store after its present revision.
class StoreMeter {
 public:
  explicit StoreMeter(const test::StoreTwin& store) : store_(store), last_(store.revision()) {}
  void look() {
    while (const std::optional<cluster::Changes> next = store_.changes("c/", last_ + 1, INT64_MAX)) {
      last_ = next->revision;
      bool counts = false;
      for (const cluster::Change& change : next->changes) {
        const std::string& key = change.value.key;
        const bool is_record = key.starts_with("c/crossings/");
        if (!is_record && !key.starts_with("c/ledgers/")) continue;
        counts = true;
        const std::size_t bytes = change.erased ? 0 : key.size() + change.value.value.size();
        written += bytes;
        if (is_record && !change.erased) record = bytes;
      }
      commits += counts ? 1 : 0;
    }
  }
  std::uint64_t commits = 0;
  std::uint64_t written = 0;
  std::uint64_t record = 0;  // size of the last one

 private:
  const test::StoreTwin& store_;
  cluster::Revision last_;
};

}  // namespace

CrossingCost measure_crossings(std::uint32_t crossings) {
  EmptyGame game;
  const std::unique_ptr<server::Server> west = start_zone(game, place_of(two_zones, 0), {});
  const std::unique_ptr<server::Server> east = start_zone(game, place_of(two_zones, 1), {});
  Cluster cluster;
  BenchNode& source = *cluster.nodes[0];
  BenchNode& target = *cluster.nodes[1];
  for (const auto& each : cluster.nodes) each->spent = 0;
  StoreMeter meter(cluster.store);
  CrossingCost cost{.crossings = crossings};
  core::Nanoseconds release = 0;
  core::Nanoseconds receive = 0;
  ecs::Registry& registry = west->world().registry();
  const auto keep = [&](std::span<const ecs::Entity> all) {
    for (const ecs::Entity entity : all) ecs::Guests(registry).set_ghost(entity, true);
    registry.destroy(all);
  };
  const core::ByteView schema = test::game_schema()->bytes();
  std::uint64_t version = 0;
  for (std::uint32_t i = 0; i < crossings; ++i) {
    const ecs::Entity entity = *west->world().create(engine::Transform{.position = {.x = 1, .y = 0, .z = 0}},
                                                     demo::Health{}, demo::Avatar{}, demo::Velocity{}, demo::Team{});
    cluster::CrossingRecord record{.source = source.world, .target = target.world};
    release += cpu_time([&] {
      const auto left = west->crossing().release_to_zone({&entity, 1}, target.world, cluster::crossing_bytes_max, keep);
      record.pack = server::to_bytes(left->zone);
      record.entities = {ecs::to_string(entity)};
      cluster::cut_schema(record, "game", schema);
    });
    const std::string id = "0123456789abcdef-1-" + std::to_string(i);
    source.node.depart(source.world, source.epoch, id, record);
    std::optional<cluster::CrossingRecord> arrived;
    cluster.run_until([&] {
      while (source.node.poll_crossing()) {
      }
      while (const std::optional<cluster::CrossingEvent> event = target.node.poll_crossing())
        if (event->kind == cluster::CrossingEvent::Kind::arriving) arrived = event->record;
      return arrived.has_value();
    });
    receive += cpu_time([&] {
      const core::Result<server::ZonePack> pack = server::parse_zone_pack(cluster::whole_pack(*arrived, schema));
      const core::Status taken = east->crossing().take_in({.zone = *pack}, target.world);
      MOBULA_CHECK(taken.ok(), "the target takes an entity");
    });
    ++version;
    source.node.saved(source.world, source.epoch, version, {id});
    target.node.saved(target.world, target.epoch, version, {id});
    cluster.run_until([&] { return cluster.store.list("c/crossings/").values.empty(); });
    meter.look();
  }
  const auto us = [&](core::Nanoseconds time) { return static_cast<double>(time) / 1000 / crossings; };
  cost.record_bytes = static_cast<double>(meter.record);
  cost.commits = static_cast<double>(meter.commits) / crossings;
  cost.written_bytes = static_cast<double>(meter.written) / crossings;
  cost.release_us = us(release);
  cost.receive_us = us(receive);
  cost.source_us = us(source.spent);
  cost.target_us = us(target.spent);
  cost.bystander_us = us(cluster.nodes[2]->spent);
  return cost;
}

}  // namespace mobula::bench
