// The model test of the whole: clients come, break off, come back, fall silent and leave, over a bad network, while
// anything happens to the world and its level is rebuilt. At every tick each entity of each mirror is what the server
// had at that entity's own tick; when all that has ended, every mirror has what its player may see.
#include <gtest/gtest.h>

#include <mobula/client/temporary_folder.hpp>
#include <mobula/core/log.hpp>
#include <seeds.hpp>
#include <server/replica.hpp>
#include <server/upheaval.hpp>

namespace mobula::server {
namespace {

using client::Connection;
using ecs::Entity;

constexpr transport::NetworkConditions lossy{.latency = 40 * core::millisecond,
                                             .jitter = 30 * core::millisecond,
                                             .loss_ppm = 60'000,
                                             .duplicate_ppm = 20'000,
                                             .reorder_ppm = 50'000};

class Upheaval {
 public:
  explicit Upheaval(std::uint64_t seed)
      : random_(seed), game_(seed), store_(*client::ResourceStore::open(folder_.path())) {
    game_.hides = random_.chance(1, 2);
    ServerConfig config{.level = test::hamlet()};
    config.seed = seed;
    config.rejoin_grace = 8 * core::second;
    config.history_bytes = random_.chance(1, 3) ? 2048 : 1u << 20;
    config.delta_bytes_per_tick_max = random_.chance(1, 3) ? 500 : 24 * 1024;
    village_ = std::make_unique<test::Village>(game_, std::move(config), lossy, seed);
    rebuilt_at_ = static_cast<int>(random_.chance(1, 2) ? 100 + random_.below(200) : ~0u >> 1);
  }

  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      if (i == rebuilt_at_) {
        ASSERT_TRUE(village_->server->reload_level(test::rebuilt_hamlet()).ok());
      }
      while (village_->clients.size() < 3) join();
      for (std::size_t which = village_->clients.size(); which-- > 0;) something_happens(*village_->clients[which]);
      tick();
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  void settle() {
    game_.changes_max = 0;
    village_->network.set_conditions({});
    village_->full = {};
    for (const auto& client : village_->clients) {
      village_->network.heal(client->port.from);
      client->mute = false;
    }
    const auto settled = [&] {
      if (village_->server->players() != village_->clients.size()) return false;  // who is away will go
      return std::ranges::all_of(village_->clients, [](const auto& client) {
        return client->connection.state() == Connection::State::playing && client->connection.complete();
      });
    };
    for (int quiet = 0, i = 0; quiet < 20; ++i) {
      ASSERT_LT(i, 1000) << "after so many ticks without change or loss";
      for (std::size_t which = village_->clients.size(); which-- > 0;) come_back(*village_->clients[which]);
      while (village_->clients.size() < 3) join();
      tick();
      if (testing::Test::HasFatalFailure()) return;
      quiet = settled() ? quiet + 1 : 0;
    }
    for (const auto& client : village_->clients) expect_current(*client);
  }

 private:
  using Client = test::Village::Client;

  void join() {
    client::ConnectionConfig config;
    config.name = "somebody";
    if (random_.chance(1, 2)) config.resources = &store_;
    if (random_.chance(1, 4)) config.schema = test::game_schema();
    village_->join(std::move(config));
  }
  // Client's way back, by its rejoin token or as a new one.
  void come_back(Client& client) {
    if (client.connection.state() != Connection::State::closed) return;
    if (client.connection.can_rejoin()) return client.connection.rejoin(village_->now);
    village_->remove(client);
  }
  void something_happens(Client& client) {
    if (random_.chance(1, 3))
      client.connection.set_command(random_.chance(1, 3) ? core::Bytes(3, std::byte{1})
                                                         : test::move_command(random_.uniform(0, 100), 0));
    switch (random_.below(300)) {
      case 0:
      case 1:
        client.connection.pipe_closed("lost", village_->now);
        if (random_.chance(1, 2)) village_->server->pipe_closed(client.port.from, village_->now);
        break;
      case 2: village_->network.cut(client.port.from); break;
      case 3: client.connection.close(client.port); return village_->remove(client);
      case 4: return village_->remove(client);  // without a word
      case 5: client.mute = true; break;
      case 6: village_->full = client.port.from; break;
      default: break;
    }
    if (random_.chance(1, 60)) village_->network.heal(client.port.from);
    if (random_.chance(1, 40)) client.mute = false;
    if (random_.chance(1, 40)) village_->full = {};
    if (random_.chance(1, 10)) come_back(client);
  }

  void tick() {
    village_->tick();
    Published& published = village_->server->published();
    now_ = village_->server->world().tick() - 1;
    changed_.clear();
    for (std::uint32_t index = 0; index < published.index_end(); ++index)
      if (published.entity(index).entity && published.changed(index, true) == now_) changed_.push_back(index);
    history_.note(published, changed_, now_);
    for (const auto& client : village_->clients) expect_true(*client);
  }
  void expect_true(Client& client) {
    const client::ConnectionStats& stats = client.connection.stats();
    ASSERT_EQ(stats.mismatched_ticks + stats.unreadable_deltas + stats.corrections, 0u);
    const transport::ReasonCode code = client.connection.reason().code;
    ASSERT_TRUE(code != transport::ReasonCode::protocol_error && code != transport::ReasonCode::kicked)
        << to_string(client.connection.reason());
    if (client.connection.mirror() == nullptr) return;
    client::Mirror& mirror = *client.connection.mirror();
    mirror.check();
    mirror.registry().entities().each([&](Entity entity) {
      const ecs::Tick tick = mirror.tick_of(entity);
      if (tick == 0) return;  // stale
      const std::vector<std::uint32_t>* then = history_.at(entity, tick);
      ASSERT_NE(then, nullptr) << to_string(entity) << " at tick " << tick;
      expect_words(mirror, entity, *then);
    });
  }
  void expect_words(client::Mirror& mirror, Entity entity, std::vector<std::uint32_t> expected) {
    std::vector<std::uint32_t> there = test::mirrored_words(mirror, entity);
    ASSERT_EQ(there.size(), expected.size()) << to_string(entity) << " at tick " << mirror.tick_of(entity);
    // The hashes that are compared on line have the owner's too.
    test::forget_owned(there, mirror, entity);
    test::forget_owned(expected, mirror, entity);
    ASSERT_EQ(there, expected) << to_string(entity) << " at tick " << mirror.tick_of(entity);
  }
  // What is in view is there, and as it is now.
  void expect_current(Client& client) {
    Published& published = village_->server->published();
    client::Mirror& mirror = *client.connection.mirror();
    std::uint32_t there = 0;
    mirror.registry().entities().each([&](Entity entity) {
      if (mirror.tick_of(entity) == 0) return;
      ++there;
      ASSERT_EQ(published.entity(entity.index).entity, entity);
      std::vector<std::uint32_t> words(published.codecs().entity(published.entity(entity.index).prototype).words);
      published.words_now(entity.index, words.data());
      expect_words(mirror, entity, std::move(words));
    });
    ASSERT_EQ(there, mirror.size());
    if (!game_.hides) {
      ASSERT_EQ(there, published.size());
    }
  }

  core::Random random_;
  test::UpheavalGame game_;
  client::TemporaryFolder folder_ = std::move(*client::TemporaryFolder::make());
  client::ResourceStore store_;
  std::unique_ptr<test::Village> village_;
  test::PublishedHistory history_;
  std::vector<std::uint32_t> changed_;
  ecs::Tick now_ = 0;
  int rebuilt_at_ = 0;
};

TEST(Replication, EveryMirrorIsTrueWhateverHappens) {
  core::set_log_level(core::LogLevel::off);
  test::for_each_seed(1, 2, 400, [](std::uint64_t seed) {
    Upheaval upheaval(seed);
    upheaval.run(400);
    if (!testing::Test::HasFatalFailure()) upheaval.settle();
  });
  core::set_log_level(core::LogLevel::info);
}

}  // namespace
}  // namespace mobula::server
