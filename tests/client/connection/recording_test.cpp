#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <examples/demo/demo_game.hpp>
#include <fstream>
#include <headless/replay.hpp>
#include <map>
#include <mobula/client/connection/recorded_connection.hpp>
#include <mobula/client/files/recording_file.hpp>
#include <mobula/client/files/resource_folder.hpp>
#include <mobula/core/log.hpp>
#include <mobula/core/random.hpp>
#include <server/hamlet.hpp>
#include <sstream>

namespace mobula::client {
namespace {

constexpr std::size_t head_bytes = 16;

std::unique_ptr<RecordingSource> source_of(const std::string& bytes) {
  const core::ByteView view = core::as_bytes(bytes.data(), bytes.size());
  return std::make_unique<RecordedBytes>(core::Bytes(view.begin(), view.end()));
}

std::unique_ptr<Replay> replay_of(const std::string& bytes) {
  auto reader = RecordingReader::read(source_of(bytes));
  EXPECT_TRUE(reader.ok()) << reader.error().message;
  auto replay = Replay::make(std::move(*reader));
  EXPECT_TRUE(replay.ok());
  return std::move(*replay);
}

core::Status run(Replay& replay) {
  return replay.run([](const Connection& /*connection*/) { return false; });
}

// Returns the reason with which a recording is refused, at its start or while it is read. "" if it is not.
std::string refusal(const std::string& bytes) {
  auto reader = RecordingReader::read(source_of(bytes));
  if (!reader) return reader.error().reason;
  RecordedInput input;
  for (;;) {
    const core::Result<bool> more = (*reader)->next(input);
    if (!more) return more.error().reason;
    if (!*more) return (*reader)->cut_off() ? "cut off" : "";
  }
}

void expect_same(const Connection& live, Connection& replayed) {
  EXPECT_EQ(replayed.state(), live.state());
  EXPECT_EQ(to_string(replayed.reason()), to_string(live.reason()));
  EXPECT_EQ(replayed.stats().ticks, live.stats().ticks);
  EXPECT_EQ(replayed.stats().deltas, live.stats().deltas);
  EXPECT_EQ(replayed.stats().late_deltas, live.stats().late_deltas);
  EXPECT_EQ(replayed.stats().verified_ticks, live.stats().verified_ticks);
  EXPECT_EQ(replayed.stats().mismatched_ticks, 0u);
  EXPECT_EQ(replayed.stats().bytes_received, live.stats().bytes_received);
  EXPECT_EQ(replayed.stats().rejoins, live.stats().rejoins);
  ASSERT_EQ(replayed.mirror() == nullptr, live.mirror() == nullptr);
  if (live.mirror() == nullptr) return;
  EXPECT_EQ(replayed.mirror()->tick(), live.mirror()->tick());
  EXPECT_EQ(replayed.mirror()->hash(), live.mirror()->hash());
  replayed.mirror()->check();
}

class RecordingTest : public testing::Test {
 protected:
  RecordingTest() : folder_(std::move(*TemporaryFolder::make())) {
    core::set_log_level(core::LogLevel::off);
    server::ServerConfig config;
    config.level = test::hamlet();
    village = std::make_unique<test::Village>(
        game_, config,
        transport::NetworkConditions{
            .latency = 30 * core::millisecond, .jitter = 10 * core::millisecond, .loss_ppm = 50'000});
    core::set_log_level(core::LogLevel::off);
  }
  ~RecordingTest() override { core::set_log_level(core::LogLevel::info); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  void join(ConnectionConfig config = {}) {
    writer = std::move(*create_recording(path("rec")));
    config.name = "ada";
    client = &village->join(std::move(config));
    recorded = std::make_unique<RecordedConnection>(client->connection, *writer, village->now);
    client->input = recorded.get();
  }
  void walk(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      if (i % 10 == 3) recorded->set_command(test::move_command(i % 20 == 3 ? 1.f : -1.f, 0.5f));
      village->tick();
    }
  }
  // Returns the content of the file.
  [[nodiscard]] std::string bytes() const {
    std::stringstream text;
    text << std::ifstream(path("rec"), std::ios::binary).rdbuf();
    return text.str();
  }
  std::string finished() {
    EXPECT_TRUE(writer->finish().ok());
    return bytes();
  }
  void expect_replayed() {
    const std::unique_ptr<Replay> replay = replay_of(finished());
    const core::Status played = run(*replay);
    ASSERT_TRUE(played.ok()) << played.error().message;
    EXPECT_FALSE(replay->cut_off());
    expect_same(client->connection, replay->connection());
  }

  std::unique_ptr<test::Village> village;
  std::unique_ptr<RecordingWriter> writer;
  test::Village::Client* client = nullptr;
  std::unique_ptr<RecordedConnection> recorded;

 private:
  demo::DemoGame game_;
  TemporaryFolder folder_;
};

TEST_F(RecordingTest, AReplayMakesTheSameVerifiedMirror) {
  join();
  walk(200);
  EXPECT_GT(client->connection.stats().verified_ticks, 20u);
  expect_replayed();
}

TEST_F(RecordingTest, HoldsTheSchemaOfACompiledClient) {
  join({.transport = {}, .name = {}, .schema = test::game_schema(), .resources = nullptr});
  walk(60);
  EXPECT_GT(client->connection.stats().verified_ticks, 0u);
  expect_replayed();
}

TEST_F(RecordingTest, HoldsTheResourcesReceivedDuringIt) {
  ResourceFolder store = *ResourceFolder::open(path("store"));
  join({.transport = {}, .name = {}, .schema = {}, .resources = &store});
  ASSERT_TRUE(village->tick_until([&] { return store.find(test::hamlet()->identity()) != nullptr; }));
  walk(20);
  expect_replayed();
}

TEST_F(RecordingTest, ContinuesOverALostConnectionAndAFullPipe) {
  join();
  walk(60);
  village->full = client->port.from;
  walk(10);
  village->full = {};
  // The connection is lost silently, and resumes from another port.
  village->network.cut(client->port.from);
  ASSERT_TRUE(village->tick_until([&] { return client->connection.can_rejoin(); }));
  client->port.from.port = 6000;
  recorded->rejoin(village->now);
  walk(100);
  ASSERT_EQ(client->connection.state(), Connection::State::playing);
  recorded->pipe_closed("the cable was pulled", village->now);
  walk(1);
  ASSERT_TRUE(client->connection.can_rejoin());
  client->port.from.port = 6001;
  village->ticks(250);
  recorded->rejoin(village->now);
  walk(100);
  ASSERT_EQ(client->connection.state(), Connection::State::playing);
  EXPECT_EQ(client->connection.stats().rejoins, 2u);
  recorded->close(client->port);
  expect_replayed();
}

TEST_F(RecordingTest, ARejoinTokenThatNeverLeftIsUsedAgain) {
  join();
  walk(60);
  recorded->pipe_closed("the cable was pulled", village->now);
  walk(1);
  const std::size_t tokens = client->connection.rejoin_tokens();
  ASSERT_GT(tokens, 1u);
  village->full = test::village_address;
  for (std::size_t i = 0; i < 2 * tokens; ++i) {
    recorded->rejoin(village->now);
    walk(2);
    EXPECT_FALSE(client->connection.has_sent());
    recorded->pipe_closed("there is no network", village->now);
    walk(1);
    ASSERT_EQ(client->connection.rejoin_tokens(), tokens);
    ASSERT_TRUE(client->connection.can_rejoin());
  }
  village->full = {};
  client->port.from.port = 6000;
  recorded->rejoin(village->now);
  walk(100);
  EXPECT_EQ(client->connection.state(), Connection::State::playing) << to_string(client->connection.reason());
  EXPECT_TRUE(client->connection.has_sent());
  EXPECT_EQ(village->server->players(), 1u);
  recorded->close(client->port);
  expect_replayed();
}

TEST_F(RecordingTest, ContinuesAfterAReconnectWithANewToken) {
  join();
  walk(60);
  recorded->pipe_closed("the cable was pulled", village->now);
  walk(1);
  client->port.from.port = 6000;
  recorded->reconnect(test::test_token(4711), village->now);
  walk(100);
  ASSERT_EQ(client->connection.state(), Connection::State::playing);
  EXPECT_GT(client->connection.stats().verified_ticks, 50u);
  EXPECT_EQ(village->server->players(), 2u) << "the first player is disconnected";
  recorded->close(client->port);
  expect_replayed();
}

TEST_F(RecordingTest, ACutOffFileIsReplayedToItsLastEntry) {
  join();
  walk(20);
  const std::string full = finished();
  const std::size_t step = 61;
  std::uint64_t bytes_before = 0;
  for (std::size_t cut = 0; cut < full.size(); ++cut) {
    const std::string part = full.substr(0, cut);
    const std::string why = refusal(part);
    ASSERT_EQ(why, cut < head_bytes ? "no recording" : "cut off") << cut;
    if (cut % step != 0 || !RecordingReader::read(source_of(part))) continue;
    const std::unique_ptr<Replay> replay = replay_of(part);
    ASSERT_TRUE(run(*replay).ok()) << cut;
    EXPECT_TRUE(replay->cut_off());
    EXPECT_EQ(replay->connection().stats().mismatched_ticks, 0u);
    EXPECT_GE(replay->connection().stats().bytes_received, bytes_before) << "a longer file replays at least as much";
    bytes_before = replay->connection().stats().bytes_received;
  }
  EXPECT_GT(bytes_before, 0u);
}

TEST_F(RecordingTest, IsWrittenToTheFileWithinASecond) {
  join();
  walk(60);
  const std::string early = bytes();
  EXPECT_EQ(refusal(early), "cut off");
  const std::unique_ptr<Replay> replay = replay_of(early);
  ASSERT_TRUE(run(*replay).ok());
  EXPECT_GE(replay->time(), 2 * core::second);
}

TEST_F(RecordingTest, ADamagedFileIsRefused) {
  join();
  walk(20);
  const std::string full = finished();
  core::Random random(3);
  std::map<std::string, int> reasons;
  for (std::size_t place = 0; place < full.size(); ++place) {
    std::string flipped = full;
    flipped[place] ^= static_cast<char>(1 << random.below(8));
    const std::string why = refusal(flipped);
    ASSERT_NE(why, "") << place;
    ++reasons[why];
  }
  EXPECT_THAT(reasons, testing::UnorderedElementsAre(testing::Key("no recording"), testing::Key("other version"),
                                                     testing::Key("cut off"), testing::Key("damaged")));
  EXPECT_EQ(refusal(full + '\0'), "damaged") << "a byte follows the end";
}

// Checksums do not stop an attacker from writing arbitrary entries.
TEST_F(RecordingTest, AForgedFileIsRefused) {
  join();
  writer->pipe_closed("lost", 0);
  writer->rejoined(1);
  const std::unique_ptr<Replay> replay = replay_of(finished());
  const core::Status played = run(*replay);
  ASSERT_FALSE(played.ok());
  EXPECT_STREQ(played.error().reason, "damaged");
  EXPECT_THAT(played.error().message, testing::HasSubstr("rejoins a connection that was not lost"));
}

TEST_F(RecordingTest, UnusualInputsAreReplayed) {
  join();
  const core::Bytes long_datagram(100'000, std::byte{7});
  recorded->receive(transport::Address::any(1), long_datagram, 0);
  recorded->receive(test::village_address, {}, 5 * core::second);
  recorded->set_command(long_datagram);
  core::Nanoseconds late = core::Nanoseconds{1} << 60;
  recorded->update(late, client->port);
  recorded->receive(test::village_address, core::ByteView(long_datagram).first(1225), late);
  const std::unique_ptr<Replay> replay = replay_of(finished());
  ASSERT_TRUE(run(*replay).ok());
  EXPECT_EQ(replay->time(), late);
  EXPECT_EQ(to_string(replay->connection().reason()), to_string(client->connection.reason()));
  EXPECT_EQ(replay->connection().stats().bytes_received, recorded_bytes_max + 1225) << "the maximum that is recorded";
}

}  // namespace
}  // namespace mobula::client
