#include <gmock/gmock.h>

#include <functional>
#include <mobula/net/event_loop.hpp>
#include <mobula/server/host/hosted_world.hpp>
#include <mobula/server/session/server.hpp>
#include <server/hamlet.hpp>
#include <thread>

namespace mobula::server {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

// A game whose ticks take a given time.
struct SlowGame : Game {
  [[nodiscard]] core::ByteView schema() const override { return test::game_schema()->bytes(); }
  core::Result<ecs::Entity> join(World& world, const Player&) override { return world.registry().create(); }
  void leave(World&, const Player&) override {}
  void tick(World&) override { std::this_thread::sleep_for(takes); }

  milliseconds takes{0};
};

// A world with 20 ticks per second.
class HostedWorldTest : public testing::Test {
 protected:
  explicit HostedWorldTest(std::uint32_t catch_up_ticks = HostConfig().catch_up_ticks) {
    HostConfig config;
    config.port = 0;
    config.catch_up_ticks = catch_up_ticks;
    config.public_addresses = {"127.0.0.1:7777"};
    world = std::move(*HostedWorld::open(events, "slow", config, game));
  }

  void tick(milliseconds takes = milliseconds(0)) {
    game.takes = takes;
    events.run_until(world->pacer().due());
    EXPECT_GE(core::monotonic_now(), world->pacer().due());
    world->tick();
  }
  // Ticks until the world is overloaded, or is not. On a busy machine this may take many ticks. Returns the log.
  std::string log_until(bool overloaded, milliseconds takes) {
    testing::internal::CaptureStderr();
    for (int i = 0; i < 600 && world->pacer().times().overloaded != overloaded; ++i) tick(takes);
    EXPECT_EQ(world->pacer().times().overloaded, overloaded);
    return testing::internal::GetCapturedStderr();
  }

  SlowGame game;
  net::EventLoop events;
  std::unique_ptr<HostedWorld> world;
};

TEST_F(HostedWorldTest, LogsBeginAndEndOfOverload) {
  const std::string begun = log_until(true, milliseconds(60));
  EXPECT_THAT(begun, HasSubstr(" overloaded: ticks take "));
  EXPECT_THAT(begun, HasSubstr(" warning "));
  EXPECT_THAT(begun, Not(HasSubstr("no longer")));
  const std::string ended = log_until(false, milliseconds(0));
  EXPECT_THAT(ended, HasSubstr("no longer overloaded: ticks take "));
  EXPECT_THAT(ended, Not(HasSubstr(" warning "))) << "the beginning is logged once";
}

TEST_F(HostedWorldTest, RefusesAMalformedRangeOfProxies) {
  HostConfig config;
  config.port = 0;
  config.trusted_proxies = {"10.0.0.0/8", "proxy.example"};
  const auto refused = HostedWorld::open(events, "other", config, game);
  ASSERT_FALSE(refused);
  EXPECT_STREQ(refused.error().reason, "bad range");
  EXPECT_THAT(refused.error().message, HasSubstr("--trusted-proxy: 'proxy.example'"));
}

struct WithMuchToCatchUp : HostedWorldTest {
  WithMuchToCatchUp() : HostedWorldTest(100) {}
};
TEST_F(WithMuchToCatchUp, ADelayLosesNoTime) {
  tick(milliseconds(300));
  tick();
  EXPECT_GE(world->pacer().times().start_delay_ns.max(), 250u * core::millisecond);
  EXPECT_EQ(world->pacer().times().lost, 0);
}

struct WithNothingToCatchUp : HostedWorldTest {
  WithNothingToCatchUp() : HostedWorldTest(0) {}
};
TEST_F(WithNothingToCatchUp, ADelayIsLostAndCounted) {
  tick(milliseconds(300));
  tick();
  EXPECT_GE(world->pacer().times().lost, 250 * core::millisecond);
}

}  // namespace
}  // namespace mobula::server
