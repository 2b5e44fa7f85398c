// mobula-server as a game server of Agones: the real program, and a stand-in for the sidecar.
#include <client/programs.hpp>
#include <server/agones/sidecar_twin.hpp>

namespace mobula {
namespace {

class AgonesPrograms : public Programs {
 protected:
  void SetUp() override {
    sidecar_.with_model([](auto& model) { model.counters = {{"players", {0, 100}}, {"worlds", {0, 10}}}; });
    set_port(sidecar_.url().substr(sidecar_.url().rfind(':') + 1));
  }
  void TearDown() override { ::unsetenv("AGONES_SDK_HTTP_PORT"); }
  static void set_port(const std::string& port) { ::setenv("AGONES_SDK_HTTP_PORT", port.c_str(), 1); }
  template <class Condition>
  static bool wait(Condition condition) {
    for (const auto end = steady_clock::now() + patience; steady_clock::now() < end;) {
      if (condition()) return true;
      std::this_thread::sleep_for(milliseconds(10));
    }
    return false;
  }
  bool has_state(const std::string& state) {
    return wait([&] { return sidecar_.state() == state; });
  }

  agones::test::SidecarTwin sidecar_;
};

TEST_F(AgonesPrograms, AServerIsReadyHealthyAndEndsByRequest) {
  Program& server = serve({"--agones", "--max-players", "7"});
  EXPECT_TRUE(has_state("Ready")) << server.err();
  EXPECT_TRUE(wait([&] { return !sidecar_.bodies("/health").empty(); })) << server.err();
  EXPECT_TRUE(wait([&] {
    return sidecar_.with_model([](auto& model) {
      return model.counters["worlds"] == agones::test::ModelCounter{1, 1} && model.counters["players"].capacity == 7;
    });
  }));
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  EXPECT_TRUE(has_state("Shutdown")) << server.err();
}

TEST_F(AgonesPrograms, AServerAllocatesItselfForItsPlayers) {
  Program& server = serve({"--agones", "--agones-allocate", "--agones-reserve-seconds", "40", "--public-address",
                           "127.0.0.1", "--rejoin-grace-seconds", "0"});
  Program& client = start("mobula-client", in({"--json"}));
  EXPECT_TRUE(has_state("Allocated")) << server.err();
  client.signal(SIGTERM);
  client.wait();
  EXPECT_TRUE(has_state("Reserved")) << server.err();
  EXPECT_EQ(sidecar_.with_model([](auto& model) { return model.reserved_seconds; }), 40);
}

TEST_F(AgonesPrograms, AServerDrainsWhenAgonesEndsIt) {
  Program& server = serve({"--agones"});
  ASSERT_TRUE(has_state("Ready")) << server.err();
  sidecar_.with_model([](auto& model) { model.state = "Shutdown"; });
  EXPECT_EQ(server.wait(), 0) << server.err();
}

TEST_F(AgonesPrograms, WrongOptionsAreRefused) {
  expect_refusal("mobula-server", {"--agones-allocate"}, "--agones-allocate: requires --agones");
  set_port("70000");
  expect_refusal("mobula-server", {"--agones", "--level", level()}, "70000");
}

}  // namespace
}  // namespace mobula
