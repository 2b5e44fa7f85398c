// A host that has the socket.
#include <gmock/gmock.h>

#include <array>
#include <client/c/c_world.hpp>
#include <mobula/core/random.hpp>

namespace mobula::c {
namespace {

using testing::HasSubstr;

class CNetwork : public test::CWorld {};

TEST_F(CNetwork, NothingIsSentBeforeTheFirstUpdate) {
  join();
  std::array<std::byte, MOBULA_DATAGRAM_BYTES_MAX> buffer;
  std::uint32_t size = 0;
  EXPECT_EQ(mobula_client_next_datagram(client(), buffer.data(), buffer.size(), &size), MOBULA_NOTHING);
  EXPECT_EQ(mobula_client_update(client(), village.now), MOBULA_OK);
  EXPECT_EQ(mobula_client_next_datagram(client(), buffer.data(), buffer.size(), &size), MOBULA_OK);
  EXPECT_GT(size, 1000u) << "the request has a token";
}

TEST_F(CNetwork, ADatagramWaitsForABufferThatIsLargeEnough) {
  join();
  ASSERT_EQ(mobula_client_update(client(), village.now), MOBULA_OK);
  std::array<std::byte, MOBULA_DATAGRAM_BYTES_MAX> buffer;
  std::uint32_t size = 0;
  EXPECT_EQ(mobula_client_next_datagram(client(), buffer.data(), 10, &size), MOBULA_ERROR_BUFFER_TOO_SMALL);
  const std::uint32_t needed = size;
  EXPECT_EQ(mobula_client_next_datagram(client(), nullptr, 10, &size), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_client_next_datagram(client(), buffer.data(), needed, nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_client_next_datagram(client(), buffer.data(), needed, &size), MOBULA_OK);
  EXPECT_EQ(size, needed);
  EXPECT_EQ(mobula_client_next_datagram(client(), buffer.data(), needed, &size), MOBULA_NOTHING);
}

// A host that never sends what it is given.
TEST_F(CNetwork, DatagramsThatNobodySendsAreBounded) {
  play();
  for (int i = 0; i < 200; ++i) mobula_client_update(client(), village.now += 50 * core::millisecond);
  EXPECT_EQ(mobula_client_leave(client()), MOBULA_OK);
  std::array<std::byte, MOBULA_DATAGRAM_BYTES_MAX> buffer;
  std::uint32_t size = 0;
  int datagrams = 0;
  while (mobula_client_next_datagram(client(), buffer.data(), buffer.size(), &size) == MOBULA_OK) ++datagrams;
  EXPECT_GT(datagrams, 8) << "the farewell is among them";
  EXPECT_LE(datagrams, 32);
}

TEST_F(CNetwork, GarbageIsDroppedAndTheClientPlaysOn) {
  play();
  core::Random random(7);
  const std::uint64_t deltas = guest->statistics().deltas;
  for (int i = 0; i < 2'000; ++i) {
    core::Bytes garbage(random.below(1500));
    for (std::byte& byte : garbage) byte = static_cast<std::byte>(random.below(256));
    ASSERT_EQ(mobula_client_receive(client(), garbage.data() == nullptr ? "" : static_cast<void*>(garbage.data()),
                                    static_cast<std::uint32_t>(garbage.size()), village.now),
              MOBULA_OK);
  }
  village.ticks(20);
  EXPECT_EQ(guest->status().state, MOBULA_PLAYING);
  EXPECT_GT(guest->statistics().deltas, deltas + 15);
  EXPECT_EQ(guest->statistics().mismatched_ticks, 0u);
}

// A time that counted would be that of all later calls.
TEST_F(CNetwork, ARefusedCallNotesNoTime) {
  play();
  const std::int64_t later = village.now + 3600 * core::second;
  EXPECT_EQ(mobula_client_receive(client(), nullptr, 0, later), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_client_next_wakeup(client(), later, nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_client_rejoin(client(), later), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(mobula_client_reconnect(client(), "x", 1, later), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(mobula_client_clock(client(), later, nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
  mobula_clock unsized_clock{};
  EXPECT_EQ(mobula_client_clock(client(), later, &unsized_clock), MOBULA_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(mobula_client_update(client(), village.now), MOBULA_OK);
  std::int64_t wakeup = 0;
  ASSERT_EQ(mobula_client_next_wakeup(client(), village.now, &wakeup), MOBULA_OK);
  EXPECT_LE(wakeup, village.now + core::second);
}

// Keeps a copy of what a server sends.
struct Copying final : client::ConnectionInput {
  explicit Copying(test::Guest& guest) : inner(guest) {}
  void receive(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now) override {
    received.emplace_back(datagram.begin(), datagram.end());
    inner.receive(from, datagram, now);
  }
  void update(core::Nanoseconds now, transport::Output& output) override { inner.update(now, output); }
  void set_command(core::ByteView command) override { inner.set_command(command); }
  void pipe_closed(std::string_view why, core::Nanoseconds now) override { inner.pipe_closed(why, now); }
  void rejoin(core::Nanoseconds now) override { inner.rejoin(now); }
  void reconnect(const transport::ConnectToken& token, core::Nanoseconds now) override { inner.reconnect(token, now); }
  void close(transport::Output& output) override { inner.close(output); }

  test::Guest& inner;
  std::vector<core::Bytes> received;
};

TEST_F(CNetwork, DatagramsOfAnotherSessionAndOldOnesAreDropped) {
  play();
  test::Guest other(village);
  Copying copying(other);
  other.seat.input = &copying;
  ASSERT_TRUE(other.play());
  Copying own(*guest);
  guest->seat.input = &own;
  village.ticks(20);
  const std::uint64_t hash = guest->status().mirror_hash;
  const std::uint64_t deltas = guest->statistics().deltas;
  for (const auto* datagrams : {&copying.received, &own.received}) {
    ASSERT_GE(datagrams->size(), 20u);
    for (const core::Bytes& datagram : *datagrams)
      ASSERT_EQ(
          mobula_client_receive(client(), datagram.data(), static_cast<std::uint32_t>(datagram.size()), village.now),
          MOBULA_OK);
  }
  EXPECT_EQ(guest->status().mirror_hash, hash);
  EXPECT_EQ(guest->statistics().deltas, deltas);
  village.ticks(20);
  EXPECT_EQ(guest->status().state, MOBULA_PLAYING);
  guest->seat.input = guest.get();
}

TEST_F(CNetwork, ALostConnectionIsResumedAsTheSamePlayer) {
  play();
  EXPECT_EQ(guest->status().rejoin_tokens, 0u) << "they have not arrived yet";
  ASSERT_TRUE(village.tick_until([&] { return guest->status().player != 0 && guest->status().rejoin_tokens > 0; }));
  const mobula_status before = guest->status();
  EXPECT_EQ(mobula_client_rejoin(client(), village.now), MOBULA_ERROR_WRONG_STATE) << "it is not lost";
  guest->pipe_closed("the cable was pulled", village.now);
  village.tick();
  EXPECT_EQ(guest->updated(), MOBULA_ERROR_CLOSED);
  EXPECT_THAT(guest->reason().second, HasSubstr("the cable was pulled"));
  EXPECT_EQ(guest->reason().first, MOBULA_REASON_PIPE_LOST);
  ASSERT_EQ(guest->status().can_rejoin, 1u);
  guest->seat.port.from.port = 6000;  // a new socket: the server has not noticed the loss
  guest->rejoin(village.now);
  ASSERT_TRUE(guest->play()) << guest->reason().second;
  EXPECT_EQ(guest->status().player, before.player);
  EXPECT_EQ(guest->status().mirror, before.mirror) << "the mirror is continued";
  EXPECT_EQ(guest->status().rejoin_tokens, before.rejoin_tokens - 1) << "one of them was used";
  EXPECT_EQ(guest->statistics().rejoins, 1u);
}

TEST_F(CNetwork, ALossBeforeRejoinTokensCannotBeResumed) {
  play();
  ASSERT_EQ(guest->status().rejoin_tokens, 0u);
  guest->pipe_closed("too early", village.now);
  village.tick();
  EXPECT_EQ(guest->status().can_rejoin, 0u);
  EXPECT_EQ(guest->status().can_reconnect, 1u) << "a new token leads on";
}

TEST_F(CNetwork, ANewTokenMakesANewMirror) {
  play();
  EXPECT_EQ(mobula_client_reconnect(client(), "x", 1, village.now), MOBULA_ERROR_WRONG_STATE) << "it is open";
  guest->close(guest->seat.port);
  EXPECT_EQ(mobula_client_reconnect(client(), "x", 1, village.now), MOBULA_ERROR_BAD_TOKEN);
  EXPECT_EQ(mobula_client_reconnect(client(), nullptr, 0, village.now), MOBULA_ERROR_INVALID_ARGUMENT);
  guest->reconnect(test::test_token(50), village.now);
  ASSERT_TRUE(guest->play()) << guest->reason().second;
  EXPECT_EQ(guest->status().mirror, 2u);
}

// A rejoin uses the first token's addresses. A later token has addresses of its own.
TEST_F(CNetwork, ANewTokensAddressesReplaceThoseOfARejoin) {
  play();
  village.ticks(20);
  guest->pipe_closed("", village.now);
  village.tick();
  guest->rejoin(village.now);
  guest->close(guest->seat.port);
  const transport::Address elsewhere = transport::Address::v4(192, 0, 2, 7, 4000);
  guest->reconnect(test::test_token({.client_id = 70, .servers = {elsewhere}}, test::test_transport().private_key,
                                    test::test_unix_time),
                   village.now);
  std::array<char, 64> text{};
  std::uint32_t length = 0;
  ASSERT_EQ(mobula_client_server_address(client(), 0, text.data(), text.size(), &length), MOBULA_OK);
  EXPECT_STREQ(text.data(), "192.0.2.7:4000");
  EXPECT_EQ(mobula_client_server_address(client(), 1, text.data(), text.size(), &length), MOBULA_NOTHING);
}

TEST_F(CNetwork, TheNextServerOfATokenIsTriedAndNamed) {
  join();
  guest->close(guest->seat.port);
  const transport::Address silent = transport::Address::v4(10, 0, 0, 77, 1);
  guest->reconnect(test::test_token({.client_id = 71, .servers = {silent, test::village_address}, .timeout_seconds = 2},
                                    test::test_transport().private_key, test::test_unix_time),
                   village.now);
  EXPECT_EQ(guest->status().server, 0u);
  village.network.cut(test::village_address);
  village.ticks(30);
  EXPECT_EQ(guest->status().server, 0u);
  ASSERT_TRUE(village.tick_until([&] { return guest->status().server == 1; }));
  village.network.heal(test::village_address);
  EXPECT_TRUE(guest->play()) << guest->reason().second;
}

TEST_F(CNetwork, TimesThatGoBackCountAsTheLastOne) {
  play();
  EXPECT_EQ(mobula_client_update(client(), 0), MOBULA_OK);
  EXPECT_EQ(mobula_client_update(client(), -1), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_client_update(client(), std::numeric_limits<std::int64_t>::max()), MOBULA_ERROR_INVALID_ARGUMENT);
  village.ticks(10);
  EXPECT_EQ(guest->status().state, MOBULA_PLAYING);
}

TEST_F(CNetwork, AWakeupIsSoonAfterTheLastUpdate) {
  join();
  std::int64_t at = -1;
  EXPECT_EQ(mobula_client_next_wakeup(client(), village.now, &at), MOBULA_OK);
  EXPECT_LE(at, village.now) << "at once";
  village.tick();
  const core::Nanoseconds updated = village.now - test::Village::tick_length;
  EXPECT_EQ(mobula_client_next_wakeup(client(), village.now, &at), MOBULA_OK);
  EXPECT_GT(at, updated);
  EXPECT_LE(at, updated + test::Village::tick_length);
  EXPECT_EQ(mobula_client_next_wakeup(client(), village.now, nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
}

TEST_F(CNetwork, StatisticsCountWhatTheHostCarried) {
  play();
  village.ticks(60);
  const mobula_statistics statistics = guest->statistics();
  EXPECT_GT(statistics.deltas, 50u);
  EXPECT_GT(statistics.rtt, 0);
  EXPECT_GT(statistics.verified_ticks, 0u);
  EXPECT_EQ(statistics.mismatched_ticks, 0u);
  EXPECT_EQ(statistics.datagrams_sent, guest->carried().datagrams_sent);
  EXPECT_EQ(statistics.datagrams_received, guest->carried().datagrams_received);
  EXPECT_EQ(statistics.bytes_sent, guest->carried().bytes_sent);
  EXPECT_EQ(statistics.bytes_received, guest->carried().bytes_received);
}

TEST_F(CNetwork, ASocketOfTheLibraryLeavesNoneToTheHost) {
  join();
  ASSERT_EQ(mobula_client_connect_udp(client(), "127.0.0.1:9"), MOBULA_OK) << test::error_text();
  std::int64_t at = 0;
  EXPECT_EQ(mobula_client_receive(client(), "x", 1, 0), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(mobula_client_update(client(), 0), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(mobula_client_next_wakeup(client(), 0, &at), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(mobula_client_pipe_closed(client(), nullptr, 0), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(mobula_client_rejoin(client(), 0), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(mobula_client_connect_udp(client(), nullptr), MOBULA_ERROR_WRONG_STATE);
}

}  // namespace
}  // namespace mobula::c
