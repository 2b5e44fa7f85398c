// PATCH requests of a net::HttpConnection, to the stand-in for the sidecar.
#include <gtest/gtest.h>

#include <mobula/net/event_loop.hpp>
#include <mobula/net/http_connection.hpp>
#include <net/peers.hpp>
#include <optional>
#include <server/agones/sidecar_twin.hpp>

namespace mobula::agones {
namespace http_patch_test {

using test::SidecarTwin;
using test::Trouble;

class HttpPatchTest : public testing::Test {
 protected:
  void SetUp() override {
    twin.with_model([](test::SidecarModel& model) { model.counters["rooms"] = {1, 10}; });
  }
  // Sends a request and waits for its answer. Returns the body, or the reason of the error.
  std::string patch(const std::string& body = R"({"count":"2"})") {
    answer.reset();
    connection->patch("/v1beta1/counters/rooms", body,
                      [this](core::Result<std::string> given) { answer = std::move(given); });
    EXPECT_FALSE(answer.has_value()) << "the handler was called by the request";
    EXPECT_TRUE(net::run_until_true(events, [this] { return answer.has_value(); }));
    return !answer ? "none" : answer->ok() ? **answer : answer->error().reason;
  }
  void open(core::Nanoseconds timeout = 5 * core::second) {
    connection.emplace(events, twin.url(), net::HttpOptions{.timeout = timeout, .answer_bytes_max = 1024});
  }

  net::EventLoop events;
  SidecarTwin twin;
  std::optional<net::HttpConnection> connection;
  std::optional<core::Result<std::string>> answer;
};

TEST_F(HttpPatchTest, KeepsTheConnectionForTheNextRequest) {
  open();
  EXPECT_EQ(patch(), R"({"capacity":"10","count":"2","name":"rooms"})");
  EXPECT_EQ(patch(R"({"count":"3"})"), R"({"capacity":"10","count":"3","name":"rooms"})");
  EXPECT_EQ(twin.accepted(), 1);
}

TEST_F(HttpPatchTest, ConnectsAgainAfterAnAnswerThatCloses) {
  twin.set_trouble(Trouble::closes_after);
  open();
  EXPECT_NE(patch(), "bad answer");
  EXPECT_NE(patch(), "bad answer");
  EXPECT_EQ(twin.accepted(), 2);
}

TEST_F(HttpPatchTest, ARefusalHasStatusAndTextOfTheServer) {
  open();
  EXPECT_EQ(patch(R"({"count":"11"})"), "refused");
  EXPECT_NE(answer->error().message.find("/v1beta1/counters/rooms: 500 {\"code\":2"), std::string::npos)
      << answer->error().message;
  EXPECT_EQ(patch(), R"({"capacity":"10","count":"2","name":"rooms"})");
  EXPECT_EQ(twin.accepted(), 1);
}

TEST_F(HttpPatchTest, AServerThatIsAbsentDoesNotRun) {
  twin.stop();
  open();
  EXPECT_EQ(patch(), "not running");
  twin.start();
  EXPECT_EQ(patch(), R"({"capacity":"10","count":"2","name":"rooms"})");
}

TEST_F(HttpPatchTest, AMissingAnswerTimesOut) {
  twin.set_trouble(Trouble::silent);
  open(core::second / 5);
  EXPECT_EQ(patch(), "timed out");
  twin.set_trouble(Trouble::none);
  open();
  EXPECT_NE(patch(), "timed out");
}

TEST_F(HttpPatchTest, AnswersThatAreNoHttpAreBad) {
  twin.set_trouble(Trouble::no_http);
  open();
  EXPECT_EQ(patch(), "bad answer");
  twin.set_trouble(Trouble::lost_answer);
  EXPECT_EQ(patch(), "bad answer");
}

TEST_F(HttpPatchTest, AWrongUrlIsABadAddress) {
  for (const char* const url : {"127.0.0.1:9358", "http://", "http://127.0.0.1", "https://127.0.0.1:9358"}) {
    connection.emplace(events, url);
    EXPECT_EQ(patch(), "bad address") << url;
  }
}

TEST_F(HttpPatchTest, NothingIsCalledAfterTheDestructor) {
  twin.set_trouble(Trouble::silent);
  open();
  connection->patch("/v1beta1/counters/rooms", "{}", [](const core::Result<std::string>&) { ADD_FAILURE(); });
  ASSERT_TRUE(net::run_until_true(events, [this] { return !twin.bodies("/v1beta1/counters/rooms").empty(); }));
  connection.reset();
  net::run_for(events, 20 * core::millisecond);
}

}  // namespace http_patch_test
}  // namespace mobula::agones
