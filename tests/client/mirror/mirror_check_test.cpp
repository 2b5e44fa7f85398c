#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <client/mirror_tamper.hpp>
#include <examples/demo/demo_game.hpp>
#include <headless/temporary_folder.hpp>
#include <mobula/client/files/resource_folder.hpp>
#include <mobula/core/log.hpp>
#include <mobula/core/random.hpp>
#include <mobula/schema/components.hpp>
#include <seeds.hpp>
#include <server/fleet_game.hpp>
#include <server/hamlet.hpp>

namespace mobula::client {
namespace {

using testing::HasSubstr;

constexpr transport::NetworkConditions lossy{.latency = 60 * core::millisecond,
                                             .jitter = 30 * core::millisecond,
                                             .loss_ppm = 80'000,
                                             .duplicate_ppm = 20'000,
                                             .reorder_ppm = 50'000};

// The hamlet with its demo game, and a client with a complete and verified mirror.
class MirrorCheckTest : public testing::Test {
 protected:
  using Client = test::Village::Client;

  void begin(const transport::NetworkConditions& conditions, std::uint64_t seed = 1, ResourceStore* store = nullptr) {
    server::ServerConfig config;
    config.level = test::hamlet();
    village = std::make_unique<test::Village>(game, std::move(config), conditions, seed);
    join(store);
  }
  void join(ResourceStore* store) {
    ConnectionConfig config;
    config.name = "ada";
    config.resources = store;
    client = &village->join(std::move(config));
    ASSERT_TRUE(village->tick_until([&] { return stats().verified_ticks > 40 && client->connection.complete(); }));
    ASSERT_EQ(stats().mismatched_ticks, 0u);
  }
  [[nodiscard]] const ConnectionStats& stats() const { return client->connection.stats(); }
  Mirror& mirror() { return *client->connection.mirror(); }
  // Returns an entity that does not move, so that the test knows which fields differ.
  ecs::Entity standing() {
    for (const ecs::Entity entity : MirrorTamper::with_id(mirror())) {
      const ecs::Registry& registry = village->server->world().registry();
      if (registry.has<demo::Pickup>(entity) && !registry.has<demo::Velocity>(entity)) return entity;
    }
    return {};
  }
  // Expects that the verification finds a mismatch, and finds no more once it is corrected.
  void expect_healed(int ticks = 400) {
    const auto wrong = [&] { return stats().mismatched_ticks + stats().unreadable_deltas; };
    const std::uint64_t before = wrong();
    ASSERT_TRUE(village->tick_until([&] { return wrong() > before; }, ticks)) << "no mismatch was found";
    std::uint64_t last = 0;
    int quiet = 0;
    for (int tick = 0; tick < ticks && quiet < 120; ++tick) {
      quiet = wrong() == last ? quiet + 1 : 0;
      last = wrong();
      village->tick();
    }
    ASSERT_EQ(client->connection.state(), Connection::State::playing) << to_string(client->connection.reason());
    EXPECT_EQ(quiet, 120) << "there are still mismatches";
    const std::uint64_t verified = stats().verified_ticks;
    village->ticks(40);
    EXPECT_GT(stats().verified_ticks, verified);
    mirror().check();
  }

  demo::DemoGame game;
  std::unique_ptr<test::Village> village;
  Client* client = nullptr;
};

// Returns the index of word n of the component with an instance name, in the entity's words.
std::size_t word_of(Mirror& mirror, ecs::Entity entity, std::string_view component, std::size_t n) {
  ecs::Registry& registry = mirror.registry();
  for (const ecs::PoolId pool :
       registry.prototypes().pools(registry.prototypes().canonical(registry.prototype(entity)))) {
    if (registry.pool(pool).instance_name() == component) return n;
    n += wire::RowCodec(*test::game_schema()->find(registry.pool(pool).type().id)).words();
  }
  return n;
}

TEST_F(MirrorCheckTest, ADifferenceIsLoggedOnBothSidesAndCorrected) {
  begin({});
  const ecs::Entity entity = standing();
  ASSERT_TRUE(entity);
  testing::internal::CaptureStderr();
  MirrorTamper::flip(mirror(), entity, word_of(mirror(), entity, "Pickup", 1), 8);
  expect_healed();
  const std::string log = testing::internal::GetCapturedStderr();
  const std::string named = "entity " + to_string(entity);
  EXPECT_THAT(log, HasSubstr("mirror of player 1: " + named + " has other values"));
  EXPECT_THAT(log, HasSubstr("Pickup amount: 9 in the mirror, 1 on the server"));
  EXPECT_THAT(log, HasSubstr(named + ", Pickup amount: 9 in the mirror, 1 on the server"));
  EXPECT_EQ(village->server->stats().corrections, 1u);
  EXPECT_EQ(stats().corrections, 1u);
}

TEST_F(MirrorCheckTest, AnInvalidValueIsLogged) {
  begin({});
  const ecs::Entity entity = standing();
  testing::internal::CaptureStderr();
  MirrorTamper::flip(mirror(), entity, word_of(mirror(), entity, "Pickup", 0), 0x40);
  expect_healed();
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("Pickup kind: not a value (word 00000040) in the mirror, \"coin\" on the server"));
}

constexpr std::size_t velocity_word = 7;  // after a position and a rotation

TEST_F(MirrorCheckTest, FlippedWordsAreCorrectedOverALossyPath) {
  core::set_log_level(core::LogLevel::off);
  std::uint64_t unreadable = 0;  // deltas encoded against a flipped state of a moving entity
  test::for_each_seed(1, 12, 400, [&](std::uint64_t seed) {
    core::Random random(seed);
    begin(lossy, seed);
    const std::vector<ecs::Entity> all = MirrorTamper::with_id(mirror());
    for (std::uint32_t left = 1 + random.below(20); left > 0;)
      left -= MirrorTamper::flip_value(mirror(), all[random.below(static_cast<std::uint32_t>(all.size()))],
                                       random.below(64), 1u << random.below(seed % 2 == 0 ? 8 : 32))
                  ? 1
                  : 0;
    // Courses that lead out of the range: the deltas that follow cannot be read.
    for (const ecs::Entity entity : all) {
      if (seed % 3 != 0 || !mirror().registry().has<demo::Velocity>(entity)) continue;
      MirrorTamper::flip_value(mirror(), entity, word_of(mirror(), entity, "Transform", velocity_word), 1u << 25);
      village->server->world().registry().get<engine::Transform>(entity).position.x += 1;
    }
    expect_healed(1000);
    unreadable += stats().unreadable_deltas;
  });
  core::set_log_level(core::LogLevel::info);
  if (test::soaks()) return;
  EXPECT_GT(unreadable, 0u);
}

// Words that only the owner or only the others receive are zeros for the rest, and may be no value.
TEST_F(MirrorCheckTest, AnotherOwnerIsTheDifference) {
  begin({});
  const ecs::Entity entity = standing();
  const auto correct = [&](bool other_owner) {
    MirrorCheck check;
    check.suspect(0);
    const wire::MirrorHashes part = *check.next(mirror(), 0);
    const auto sent = std::ranges::find(part.hashes, entity, &wire::MirrorHash::entity);
    const MirroredEntity& known = *mirror().state().find(entity);
    const wire::MirrorCorrection correction{
        .place = sent->place,
        .entity = entity,
        .tick = sent->tick,
        .prototype = mirror().state().codecs.prototype_hash(known.prototype),
        .owner = known.owner != other_owner,
        .words = std::vector<std::uint32_t>(mirror().state().codecs.entity(known.prototype).words)};
    return check.on_correction(mirror(), correction);
  };
  const auto same = correct(false);
  ASSERT_FALSE(same.ok()) << "zeros are no rotation";
  EXPECT_EQ(std::string_view(same.error().reason), "malformed correction");
  const auto other = correct(true);
  ASSERT_TRUE(other.ok());
  ASSERT_EQ(other->size(), 1u);
  EXPECT_EQ(other->front().component + " " + other->front().field, "entity owner");
  EXPECT_EQ(other->front().client, "false");
  EXPECT_EQ(other->front().server, "true");
}

// The ship has left the range, so both courses have the value of its end. No field differs.
TEST(MirrorCheckCourses, ADifferenceOfACourseIsLogged) {
  test::FleetGame game(1);
  test::Village village(game);
  game.fly = [](std::size_t /*ship*/, ecs::Tick tick) {
    return test::Ship{.position = {511 + 0.05f * static_cast<float>(tick), 1, 2}};
  };
  test::Village::Client& client = village.join("ada");
  const auto verified = [&] { return client.connection.stats().verified_ticks > 40; };
  ASSERT_TRUE(village.tick_until(verified));
  Mirror& mirror = *client.connection.mirror();
  const wire::RowCodec codec(*mirror.schema().find("Ship"));
  const wire::CourseUnit& unit = codec.courses()[0];
  testing::internal::CaptureStderr();
  MirrorTamper::flip(mirror, game.ships[0], unit.course, 3);  // its velocity
  ASSERT_TRUE(village.tick_until([&] { return client.connection.stats().corrections == 1; }));
  const std::string log = testing::internal::GetCapturedStderr();
  const std::string course = "a course since tick [0-9]+ by [0-9]+ 0 0 0 0 0";
  EXPECT_THAT(log, testing::ContainsRegex("Ship position: " + course + " in the mirror, " + course + " on the server"));
  EXPECT_THAT(log, testing::Not(HasSubstr("Ship position."))) << "the value is the same";
  village.ticks(100);
  const std::uint64_t mismatches = client.connection.stats().mismatched_ticks;
  village.ticks(100);
  EXPECT_EQ(client.connection.stats().mismatched_ticks, mismatches) << "it was corrected";
}

TEST_F(MirrorCheckTest, AMissingEntityIsSentAgain) {
  begin(lossy);
  testing::internal::CaptureStderr();
  const ecs::Entity entity = standing();
  MirrorTamper::lose(mirror(), entity);
  EXPECT_FALSE(mirror().registry().valid(entity));
  expect_healed();
  EXPECT_TRUE(mirror().registry().valid(entity));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("entity " + to_string(entity) + " was missing"));
}

TEST_F(MirrorCheckTest, AnEntityUnknownToTheServerIsRemoved) {
  begin(lossy);
  testing::internal::CaptureStderr();
  const ecs::Entity ghost{3000, 77};
  MirrorTamper::add_ghost(mirror(), standing(), ghost);
  EXPECT_TRUE(mirror().registry().valid(ghost));
  expect_healed();
  EXPECT_FALSE(mirror().registry().valid(ghost));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("entity " + to_string(ghost) + ", entity exists: true in the mirror, false on the server"));
  EXPECT_EQ(village->server->stats().corrections, 0u);  // nothing had to be sent again
}

TEST_F(MirrorCheckTest, AWrongHashOfACorrectMirrorIsCorrected) {
  begin({});
  MirrorTamper::spoil_hash(mirror());
  expect_healed();
}

TEST_F(MirrorCheckTest, UnmodifiedEntitiesOfTheLevelAreCorrected) {
  TemporaryFolder folder = std::move(*TemporaryFolder::make());
  ResourceFolder store = std::move(*ResourceFolder::open(folder.path()));
  begin({}, 1, &store);
  ASSERT_TRUE(village->tick_until([&] { return client->connection.reception() == nullptr; }));
  client->connection.close(client->port);
  village->ticks(10);
  village->remove(*client);
  join(&store);
  const std::vector<ecs::Entity> all = MirrorTamper::as_loaded(mirror());
  ASSERT_GT(all.size(), 40u);
  MirrorTamper::lose(mirror(), all[7]);
  const auto pool = mirror().registry().find_pool(core::StringId32("Transform"), core::StringId32("Transform"));
  std::byte* transform = mirror().registry().try_write(all[9], pool);
  ASSERT_NE(transform, nullptr);
  auto broken = core::load<engine::Transform>(transform);
  const engine::Transform good = broken;
  broken.position.x += 3;
  core::store(transform, broken);
  expect_healed();
  EXPECT_TRUE(mirror().registry().valid(all[7]));
  EXPECT_EQ(core::load<engine::Transform>(mirror().registry().try_read(all[9], pool)).position, good.position);
  EXPECT_EQ(village->server->stats().corrections, 2u);
}

TEST_F(MirrorCheckTest, HashesAreSentAtMostOncePerPause) {
  MirrorCheck check;
  begin({});
  EXPECT_FALSE(check.next(mirror(), 0));
  check.suspect(0);
  EXPECT_TRUE(check.next(mirror(), 0));
  check.suspect(core::second);
  EXPECT_FALSE(check.next(mirror(), core::second));
  check.suspect(MirrorCheck::pause);
  EXPECT_TRUE(check.next(mirror(), MirrorCheck::pause));
  EXPECT_FALSE(check.next(mirror(), 3 * MirrorCheck::pause));  // reported hashes are forgotten
}

}  // namespace
}  // namespace mobula::client
