// The whole of Mobula in one process, on one thread and one clock: a server with the demo game, clients that come,
// walk about and go, and a network that delays, loses, doubles and reorders. After each tick every mirror is
// compared, entity by entity, with what the server had published at that entity's own tick.
#include <gtest/gtest.h>

#include <map>
#include <mobula/core/log.hpp>
#include <mobula/server/game/demo_game.hpp>
#include <mobula/wire/entity_hash.hpp>
#include <server/hamlet.hpp>

namespace mobula {
namespace {

// The demo, until it is told to hold still.
class FreezableGame final : public server::Game {
 public:
  [[nodiscard]] core::ByteView schema() const override { return demo_.schema(); }
  core::Status start(server::World& world) override { return demo_.start(world); }
  [[nodiscard]] std::vector<server::Layer> layers() const override { return demo_.layers(); }
  core::Result<ecs::Entity> join(server::World& world, const server::Player& player) override {
    return demo_.join(world, player);
  }
  void leave(server::World& world, const server::Player& player) override { demo_.leave(world, player); }
  server::CommandTable commands() override { return demo_.commands(); }
  void systems(server::World& world, ecs::Schedule& /*schedule*/) override {
    own_ = std::make_unique<ecs::Schedule>(world.registry());
    demo_.systems(world, *own_);
  }
  void tick(server::World& /*world*/) override {
    if (!frozen) own_->run();
  }

  bool frozen = false;

 private:
  demo::DemoGame demo_;
  std::unique_ptr<ecs::Schedule> own_;  // the server's would run on
};

// What the server has published, of each index at each tick.
class PublishedHistory {
 public:
  struct State {
    ecs::Entity entity;  // null: nothing there
    std::uint64_t hash = 0;
    bool operator==(const State&) const = default;
  };

  void note(const server::Published& published, ecs::Tick tick) {
    if (states_.size() < published.index_end()) states_.resize(published.index_end());
    for (std::uint32_t index = 0; index < states_.size(); ++index) {
      const server::PublishedEntity& now = published.entity(index);
      const State state{now.entity, now.hash};
      std::map<ecs::Tick, State>& history = states_[index];
      if (history.empty() || !(history.rbegin()->second == state)) history[tick] = state;
    }
  }
  [[nodiscard]] State at(std::uint32_t index, ecs::Tick tick) const {
    if (index >= states_.size()) return {};
    const auto after = states_[index].upper_bound(tick);
    return after == states_[index].begin() ? State{} : std::prev(after)->second;
  }

 private:
  std::vector<std::map<ecs::Tick, State>> states_;  // by index, each change by tick
};

// The hash of what a mirror's registry has of an entity, by the schema's own codec.
std::uint64_t hash_of(client::Mirror& mirror, ecs::Entity entity) {
  static std::map<core::StringId32, wire::RowCodec> codecs;
  const ecs::Registry& registry = mirror.registry();
  const ecs::PrototypeId prototype = mirror.registry().prototypes().canonical(registry.prototype(entity));
  std::uint64_t hash = wire::base_hash(entity, index::prototype_hash(index::components(registry, prototype)));
  for (const ecs::PoolId id : registry.prototypes().pools(prototype)) {
    const ecs::Pool& pool = registry.pool(id);
    const auto& codec = codecs.try_emplace(pool.type().id, *test::game_schema()->find(pool.type().id)).first->second;
    std::vector<std::uint32_t> words(codec.words());
    codec.to_words(registry.try_read(entity, id), words.data());
    hash += wire::public_hash(codec, words.data(), wire::row_seed(entity, wire::pool_key(pool)));
  }
  return hash;
}

constexpr std::size_t clients_max = 6;

class Simulation {
 public:
  explicit Simulation(std::uint64_t seed) : random_(seed), village_(game_, config(seed), bad_network(), seed) {}

  void run(int ticks) {
    for (int i = 0; i < ticks && !testing::Test::HasFailure(); ++i) {
      come_and_go();
      for (const auto& client : village_.clients) command(*client);
      // Latency differs from moment to moment, 20 to 150 ms.
      if (random_.chance(1, 20)) village_.network.set_conditions(bad_network());
      tick();
    }
  }
  // The network is perfect and the game holds still: everyone must come to see what is.
  void settle(int ticks_max) {
    village_.network.set_conditions({.latency = 10 * core::millisecond});
    game_.frozen = true;
    while (village_.clients.size() < clients_max) village_.join("latecomer");
    int ticks = 0;
    while (!all_mirror() && ++ticks < ticks_max && !testing::Test::HasFailure()) tick();
    for (const auto& client : village_.clients) {
      EXPECT_EQ(client->connection.state(), client::Connection::State::playing)
          << to_string(client->connection.reason());
      EXPECT_TRUE(village_.mirrors(*client)) << "not within " << ticks_max << " ticks";
      EXPECT_GT(client->connection.stats().verified_ticks, 0u);
    }
    check_all();
  }
  [[nodiscard]] std::uint64_t hash() const { return village_.published_hash(); }
  [[nodiscard]] std::uint64_t joined() const { return joined_; }
  [[nodiscard]] std::uint64_t verified() const { return verified_; }
  [[nodiscard]] std::uint64_t compared() const { return compared_; }
  [[nodiscard]] const transport::NetworkCounters& network() const { return village_.network.counters(); }

 private:
  static server::ServerConfig config(std::uint64_t seed) {
    server::ServerConfig config;
    config.level = test::hamlet();
    config.seed = seed;
    return config;
  }
  transport::NetworkConditions bad_network() {
    return {.latency = (20 + random_.below(100)) * core::millisecond,
            .jitter = random_.below(31) * core::millisecond,
            .loss_ppm = 100'000,
            .duplicate_ppm = 50'000,
            .reorder_ppm = 50'000};
  }

  void come_and_go() {
    if (village_.clients.size() < clients_max && random_.chance(1, 15)) {
      village_.join("player " + std::to_string(++joined_));
    } else if (!village_.clients.empty() && random_.chance(1, 80)) {
      auto& client = *village_.clients[random_.below(static_cast<std::uint32_t>(village_.clients.size()))];
      verified_ += client.connection.stats().verified_ticks;
      if (random_.chance(1, 2)) client.connection.close(client.port);  // else it vanishes without a word
      village_.remove(client);
    }
  }

  void command(test::Village::Client& client) {
    if (!random_.chance(1, 10)) return;
    if (random_.chance(1, 10)) return client.connection.set_command(core::Bytes(random_.below(60), std::byte{0x11}));
    client.connection.set_command(test::move_command(random_.uniform(-0.7f, 0.7f), random_.uniform(-0.7f, 0.7f)));
  }

  void tick() {
    village_.tick();
    const ecs::Tick tick = village_.server->world().tick() - 1;
    history_.note(village_.server->published(), tick);
    for (const auto& client : village_.clients) compare(*client);
    if (tick % 100 == 0) check_all();
  }

  void compare(test::Village::Client& client) {
    EXPECT_EQ(client.connection.stats().mismatched_ticks, 0u) << "tick " << village_.server->world().tick();
    EXPECT_NE(client.connection.state(), client::Connection::State::closed) << to_string(client.connection.reason());
    client::Mirror* mirror = client.connection.mirror();
    if (mirror == nullptr) return;
    mirror->registry().entities().each([&](ecs::Entity entity) {
      const ecs::Tick tick = mirror->tick_of(entity);
      if (tick == 0) return;  // out of view
      ++compared_;
      const PublishedHistory::State state = history_.at(entity.index, tick);
      ASSERT_EQ(state.entity, entity) << "at its tick " << tick;
      ASSERT_EQ(state.hash, hash_of(*mirror, entity)) << to_string(entity) << " at its tick " << tick;
    });
  }

  void check_all() {
    for (const auto& client : village_.clients)
      if (client->connection.mirror() != nullptr) client->connection.mirror()->check();
    village_.server->published().check();
    village_.server->world().registry().check();
    village_.server->endpoint().check();
  }
  [[nodiscard]] bool all_mirror() {
    for (const auto& client : village_.clients)
      if (!village_.mirrors(*client) || client->connection.stats().verified_ticks == 0) return false;
    return true;
  }

  core::Random random_;
  FreezableGame game_;
  test::Village village_;
  PublishedHistory history_;
  std::uint64_t joined_ = 0;
  std::uint64_t verified_ = 0;
  std::uint64_t compared_ = 0;
};

class SimulationSeeds : public testing::TestWithParam<std::uint64_t> {};

TEST_P(SimulationSeeds, EveryMirroredEntityEqualsTheServersAtItsOwnTick) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  core::set_log_level(core::LogLevel::warn);
  Simulation simulation(GetParam());
  simulation.run(800);
  simulation.settle(200);
  EXPECT_GE(simulation.joined(), 8u);
  EXPECT_GT(simulation.verified(), 100u);
  EXPECT_GT(simulation.compared(), 100'000u);
  EXPECT_GT(simulation.network().lost, 100u);
  EXPECT_GT(simulation.network().reordered, 100u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SimulationSeeds, testing::Range<std::uint64_t>(1, 11));

TEST(Simulation, SameSeedSameWorld) {
  core::set_log_level(core::LogLevel::warn);
  const auto hash_after = [](std::uint64_t seed) {
    Simulation simulation(seed);
    simulation.run(150);
    return simulation.hash();
  };
  EXPECT_EQ(hash_after(11), hash_after(11));
  EXPECT_NE(hash_after(11), hash_after(12));
}

}  // namespace
}  // namespace mobula
