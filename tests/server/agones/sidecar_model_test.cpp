// The stand-in itself, against what Agones publishes about its sidecar.
#include <gtest/gtest.h>

#include <server/agones/sidecar_model.hpp>

namespace mobula::agones::test {
namespace sidecar_model_test {

class SidecarModelTest : public testing::Test {
 protected:
  int post(const std::string& path, const std::string& body = "{}") {
    return model.answer({"POST", path, body}).status;
  }
  ModelAnswer patch(const std::string& body, const std::string& name = "rooms") {
    return model.answer({"PATCH", "/v1beta1/counters/" + name, body});
  }

  SidecarModel model;
};

TEST_F(SidecarModelTest, StatesFollowTheRequests) {
  EXPECT_EQ(post("/ready"), 200);
  EXPECT_EQ(model.state, "Ready");
  EXPECT_EQ(post("/reserve", R"({"seconds":"5"})"), 200);
  EXPECT_EQ(model.state, "Reserved");
  EXPECT_EQ(model.reserved_seconds, 5);
  EXPECT_EQ(post("/allocate"), 200);
  EXPECT_EQ(model.state, "Allocated");
  EXPECT_EQ(post("/shutdown"), 200);
  EXPECT_EQ(model.state, "Shutdown");
  EXPECT_EQ(post("/ready"), 200);
  EXPECT_EQ(model.state, "Shutdown");
}

TEST_F(SidecarModelTest, NothingLeadsOutOfUnhealthy) {
  model.state = "Unhealthy";
  EXPECT_EQ(post("/ready"), 200);
  EXPECT_EQ(model.state, "Unhealthy");
}

TEST_F(SidecarModelTest, WrongRequestsHaveTheStatusOfTheGateway) {
  EXPECT_EQ(post("/health", ""), 400);
  EXPECT_EQ(post("/ready", "{"), 400);
  EXPECT_EQ(post("/redy"), 404);
  EXPECT_EQ(model.answer({"GET", "/ready", ""}).status, 501);
  EXPECT_EQ(model.pings, 0);
}

TEST_F(SidecarModelTest, CountersHaveARangeAndMustBeDeclared) {
  model.counters["rooms"] = {1, 10};
  EXPECT_EQ(patch(R"({"count":"5","capacity":"11"})").body, R"({"capacity":"11","count":"5","name":"rooms"})");
  EXPECT_EQ(patch(R"({"countDiff":"-2"})").body, R"({"capacity":"11","count":"3","name":"rooms"})");
  EXPECT_EQ(patch(R"({"count":"12"})").status, 500);
  EXPECT_EQ(patch(R"({"countDiff":"-4"})").status, 500);
  EXPECT_EQ(patch(R"({})").status, 500);
  EXPECT_EQ(patch(R"({"count":"1"})", "seats").status, 500);
  EXPECT_EQ(model.counters["rooms"], (ModelCounter{3, 11}));
}

}  // namespace sidecar_model_test
}  // namespace mobula::agones::test
