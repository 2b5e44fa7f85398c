// The committed session vectors lead to their states through the shared library of the C interface, on every platform.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <vectors/c_session_replay.hpp>

namespace mobula::test {
namespace {

Json committed() {
  std::ifstream file(MOBULA_SOURCE_DIR "/schema/session_vectors.json");
  EXPECT_TRUE(file.good());
  return Json::parse(file);
}

TEST(CSessionReplays, CommittedSessionsReachTheirStates) {
  ASSERT_EQ(mobula_set_log_level(MOBULA_LOG_OFF), MOBULA_OK);
  const Json file = committed();
  EXPECT_GT(file.at("sessions").size(), 5u);
  for (const Json& session : file.at("sessions"))
    EXPECT_EQ(replay_in_c(file, session), "") << session.at("name").get<std::string>();
}

TEST(CSessionReplays, AMissingDatagramIsNoticed) {
  const Json file = committed();
  Json session = file.at("sessions").at(0);
  Json& steps = session.at("steps");
  for (auto step = steps.begin(); step != steps.end(); ++step) {
    if (!step->contains("then")) continue;
    step->erase("receive");
    break;
  }
  EXPECT_THAT(replay_in_c(file, session), testing::HasSubstr("instead of"));
}

}  // namespace
}  // namespace mobula::test
