// The C interface makes the same client as Connection: in the session vectors, in recordings and in live sessions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <conformance/twin.hpp>
#include <examples/demo/demo_game.hpp>
#include <fstream>
#include <headless/temporary_folder.hpp>
#include <mobula/client/connection/recorded_connection.hpp>
#include <mobula/client/files/recording_file.hpp>
#include <mobula/core/hex.hpp>
#include <mobula/core/log.hpp>
#include <seeds.hpp>
#include <server/fleet_game.hpp>
#include <server/upheaval.hpp>
#include <vectors/session_replay.hpp>

namespace mobula::conformance {
namespace {

using test::Village;

// Millions of states are compared in ./dev test all.
constexpr std::uint64_t states_wanted = 1'000'000;
constexpr std::uint64_t few_states = 20'000;

class Conformance : public testing::Test {
 protected:
  Conformance() { core::set_log_level(core::LogLevel::off); }
  ~Conformance() override { core::set_log_level(core::LogLevel::info); }
};

TEST_F(Conformance, SessionVectorsMakeEqualClients) {
  std::ifstream text(MOBULA_SOURCE_DIR "/schema/session_vectors.json");
  const test::Json file = test::Json::parse(text);
  ASSERT_FALSE(file.at("sessions").empty());
  for (const test::Json& session : file.at("sessions")) {
    SCOPED_TRACE(session.at("name").get<std::string>());
    test::SessionReplay replay(file, session);
    core::Bytes level;
    if (session.at("has_level").get<bool>()) level = *core::from_hex(file.at("level").get<std::string>());
    Twin twin(replay.connection(), replay.now(), level);
    replay.decorate(twin);
    EXPECT_EQ(replay.run(), "");
    EXPECT_EQ(twin.difference(), "");
    EXPECT_GT(twin.compared(), 100u);
    EXPECT_GT(twin.sampled(), 100u);
  }
}

// --- Recordings ----------------------------------------------------------------------------------------------------

struct Nowhere final : transport::Output {
  void send(const transport::Address& /*to*/, core::ByteView /*datagram*/) override {}
};

void play(const client::RecordingReader& reader, const client::RecordedInput& input, client::Connection& connection,
          Twin& twin) {
  using Kind = client::RecordedKind;
  Nowhere nowhere;
  const std::string_view text(reinterpret_cast<const char*>(input.body.data()), input.body.size());
  switch (input.kind) {
    case Kind::datagram: return twin.receive(reader.from(), input.body, input.now);
    case Kind::update: return twin.update(input.now, nowhere);
    case Kind::command: return twin.set_command(input.body);
    case Kind::pipe_closed: return twin.pipe_closed(text, input.now);
    case Kind::rejoin: ASSERT_TRUE(connection.can_rejoin()); return twin.rejoin(input.now);
    case Kind::close: return twin.close(nowhere);
    default: FAIL() << "an input that these recordings do not have";
  }
}

// Plays a recording to a connection and to the C interface. Returns the number of states that were compared.
std::uint64_t play(const std::string& path) {
  const auto opened = client::open_recording(path);
  EXPECT_TRUE(opened.ok());
  if (!opened) return 0;
  client::RecordingReader& reader = **opened;
  client::Connection connection(reader.config(), reader.begin());
  Twin twin(connection, reader.begin());
  client::RecordedInput input;
  for (core::Result<bool> more = reader.next(input); more && *more; more = reader.next(input)) {
    play(reader, input, connection, twin);
    if (testing::Test::HasFailure() || !twin.difference().empty()) break;
  }
  EXPECT_EQ(twin.difference(), "");
  return twin.compared();
}

TEST_F(Conformance, AKeptRecordingMakesEqualClients) {
  EXPECT_GT(play(MOBULA_SOURCE_DIR "/tests/fuzz/corpus/recording/rejoined"), 20u);
}

TEST_F(Conformance, ARecordingOfTheDemoMakesEqualClients) {
  const client::TemporaryFolder folder = std::move(*client::TemporaryFolder::make());
  const std::string path = folder.path() + "/demo.rec";
  {
    const auto writer = client::create_recording(path);
    ASSERT_TRUE(writer.ok());
    demo::DemoGame game;
    Village village(game, {.level = test::hamlet()}, {.latency = 40 * core::millisecond, .loss_ppm = 50'000});
    Village::Client& client =
        village.join(client::ConnectionConfig{.transport = {}, .name = "recorded", .schema = nullptr});
    client::RecordedConnection recorded(client.connection, **writer, village.now);
    client.input = &recorded;
    village.ticks(60);
    recorded.set_command(test::move_command(1, 0));
    village.ticks(60);
    recorded.close(client.port);
    ASSERT_TRUE((*writer)->finish().ok());
  }
  EXPECT_GT(play(path), 1'000u);
}

// --- Live sessions -------------------------------------------------------------------------------------------------

constexpr int ticks_live = 200;
constexpr int ticks_away = 5;
constexpr std::uint32_t clients_live = 2;
constexpr std::uint64_t pictures_each_live = 16;

// An upheaval that also sends events.
class EventfulGame final : public test::UpheavalGame {
 public:
  using UpheavalGame::UpheavalGame;
  void tick(server::World& world) override {
    UpheavalGame::tick(world);
    server::Reliability reliability =
        random.chance(1, 2) ? server::Reliability::reliable : server::Reliability::unreliable;
    const server::Audience audience =
        things.empty() ? server::Audience::everyone()
                       : server::Audience::seers_of(things[random.below(static_cast<std::uint32_t>(things.size()))]);
    static_cast<void>(world.events().send(core::Bytes(random.below(60), std::byte{7}), audience, reliability));
  }
};

transport::NetworkConditions network_of(core::Random& random) {
  return {.latency = random.below(100) * core::millisecond,
          .jitter = random.below(80) * core::millisecond,
          .loss_ppm = random.below(3) * 40'000,
          .duplicate_ppm = random.below(2) * 50'000};
}

// Clients of one village, each twice: in C++ and by the C interface.
class Twins {
 public:
  Twins(Village& village, std::uint64_t seed, bool has_level) : village_(village), random_(seed) {
    if (has_level) store_.emplace(test::hamlet()->clients_bytes());
    for (std::uint32_t i = 0; i < clients_live; ++i) join(i);
  }
  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      for (std::uint32_t twin = 0; twin < clients_live; ++twin)
        if (random_.chance(1, 10)) twins_[twin]->set_command(test::move_command(random_.uniform(-1, 1), 0));
      village_.tick();
    }
  }
  void lose_and_resume() {
    for (const auto& twin : twins_) twin->pipe_closed("the cable was pulled", village_.now);
    village_.ticks(ticks_away);
    for (std::uint32_t i = 0; i < clients_live; ++i) {
      if (!clients_[i]->connection.can_rejoin()) continue;
      clients_[i]->port.from.port = 6000;
      twins_[i]->rejoin(village_.now);
    }
  }
  void close() {
    for (std::uint32_t i = 0; i < clients_live; ++i) twins_[i]->close(clients_[i]->port);
  }
  template <class Function>
  void each(Function&& function) const {
    for (const auto& twin : twins_) function(*twin);
  }

 private:
  void join(std::uint32_t number) {
    client::ConnectionConfig config{.transport = {}, .name = "twin", .schema = nullptr};
    const bool has_level = store_ && number == 0;
    if (has_level) config.resources = &store_->store;
    Village::Client& client = village_.join(std::move(config));
    const core::ByteView level = has_level ? test::hamlet()->clients_bytes() : core::ByteView();
    twins_.push_back(std::make_unique<Twin>(client.connection, village_.now, level));
    twins_.back()->set_pictures_each(pictures_each_live);
    client.input = twins_.back().get();
    clients_.push_back(&client);
  }

  Village& village_;
  core::Random random_;
  std::optional<test::LevelStore> store_;
  std::vector<Village::Client*> clients_;
  std::vector<std::unique_ptr<Twin>> twins_;
};

struct Played {
  std::uint64_t compared = 0;
  std::uint64_t sampled = 0;
  std::uint64_t changes = 0;
  std::uint64_t events = 0;
};

// Plays a session with a loss in its middle, and adds what was compared.
void play(server::Game& game, server::ServerConfig config, std::uint64_t seed, Played& played) {
  core::Random random(seed);
  const bool has_level = config.level != nullptr;
  Village village(game, std::move(config), network_of(random), seed);
  Twins twins(village, seed, has_level);
  twins.run(ticks_live);
  twins.lose_and_resume();
  twins.run(ticks_live / 2);
  twins.close();
  twins.each([&](const Twin& twin) {
    EXPECT_EQ(twin.difference(), "");
    played.compared += twin.compared();
    played.sampled += twin.sampled();
    played.changes += twin.changes();
    played.events += twin.events();
  });
}

TEST_F(Conformance, LiveSessionsInAnUpheavalAreEqual) {
  Played played;
  test::for_each_seed(1, test::few_or_all(1, 14), ticks_live, [&](std::uint64_t seed) {
    EventfulGame game(seed);
    game.hides = seed % 2 == 0;
    play(game, {.level = seed % 3 == 0 ? nullptr : test::hamlet()}, seed, played);
  });
  if (test::soaks()) return;
  EXPECT_GE(played.compared, test::few_or_all(few_states, states_wanted));
  EXPECT_GT(played.sampled, played.compared / 4);
  EXPECT_GT(played.changes, 1'000u);
  EXPECT_GT(played.events, 100u);
}

// Values of courses change in every tick, with and without a delta.
TEST_F(Conformance, LiveSessionsWithCoursesAreEqual) {
  constexpr std::size_t ships = 100;
  Played played;
  test::for_each_seed(1, test::few_or_all(1, 12), ticks_live, [&](std::uint64_t seed) {
    test::FleetGame game(ships);
    game.fly = [](std::size_t ship, ecs::Tick tick) {
      const double age = static_cast<double>(tick) * 0.05;
      const double half = 0.3 * age;
      return test::Ship{.position = {static_cast<float>(ship), static_cast<float>(std::sin(age) * 40), 0},
                        .rotation = {0, static_cast<float>(std::sin(half)), 0, static_cast<float>(std::cos(half))},
                        .aim = static_cast<float>(age)};
    };
    play(game, {}, seed, played);
  });
  if (test::soaks()) return;
  EXPECT_GE(played.compared, test::few_or_all(few_states, states_wanted / 2));
  EXPECT_GT(played.changes, played.compared / 2) << "ships move in each tick";
}

}  // namespace
}  // namespace mobula::conformance
