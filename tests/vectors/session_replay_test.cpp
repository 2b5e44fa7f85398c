// The committed session vectors lead to the states that they list, on every platform.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <mobula/core/log.hpp>
#include <vectors/session_replay.hpp>

namespace mobula::test {
namespace {

Json committed() {
  constexpr const char* path = MOBULA_SOURCE_DIR "/schema/session_vectors.json";
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path << " is missing: make-session-vectors writes it";
  return file.good() ? Json::parse(file) : Json{{"sessions", Json::array()}};
}

class SessionReplays : public testing::Test {
 protected:
  SessionReplays() { core::set_log_level(core::LogLevel::off); }
  ~SessionReplays() override { core::set_log_level(core::LogLevel::info); }
};

TEST_F(SessionReplays, CommittedSessionsReachTheirStates) {
  const Json file = committed();
  EXPECT_GT(file.at("sessions").size(), 5u);
  for (const Json& session : file.at("sessions")) {
    SessionReplay replay(file, session);
    EXPECT_EQ(replay.run(), "") << "; if the wire format has changed, make-session-vectors writes the file anew";
    EXPECT_GT(replay.connection().stats().verified_ticks, 30u);
    EXPECT_EQ(replay.connection().stats().mismatched_ticks, 0u);
  }
}

TEST_F(SessionReplays, AStateThatIsNotListedIsNoticed) {
  const Json file = committed();
  Json session = file.at("sessions").at(0);
  session.at("entities").at(0).at("rows").at(0).at("words").at(0) = 77;
  EXPECT_THAT(SessionReplay(file, session).run(), testing::HasSubstr("at its end"));
}

}  // namespace
}  // namespace mobula::test
