#include <gtest/gtest.h>

#include <mobula/net/event_loop.hpp>
#include <mobula/net/http_connection.hpp>
#include <mobula/server/cluster/etcd_messages.hpp>
#include <mobula/server/cluster/etcd_survey.hpp>
#include <optional>
#include <server/cluster/etcd_members.hpp>

namespace mobula::cluster {
namespace etcd_survey_test {

class EtcdSurveyTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(test::etcd_program)) GTEST_SKIP() << "needs Debian's etcd-server";
  }
  bool without_majority(const std::vector<std::string>& urls, std::uint64_t store = 0) {
    bool over = false;
    EXPECT_TRUE(survey->begin(urls, store, [&] { over = true; }));
    const core::Nanoseconds end = core::monotonic_now() + 10 * core::second;
    while (!over && core::monotonic_now() < end) events.run_until(core::monotonic_now() + core::millisecond);
    EXPECT_TRUE(over);
    return survey->without_majority();
  }
  bool becomes(bool without, const std::vector<std::string>& urls) {
    const core::Nanoseconds end = core::monotonic_now() + 20 * core::second;
    while (core::monotonic_now() < end)
      if (without_majority(urls) == without) return true;
    return false;
  }
  // Until each member has its leader.
  void start(const test::Members& members) {
    for (const std::string& url : members.urls()) ASSERT_TRUE(finds_leader(url)) << url;
    EXPECT_FALSE(without_majority(members.urls()));
  }
  bool finds_leader(const std::string& url) {
    const core::Nanoseconds end = core::monotonic_now() + 20 * core::second;
    net::HttpConnection connection(events, url);
    bool found = false;
    while (!found && core::monotonic_now() < end) {
      bool over = false;
      connection.post("/v3/maintenance/status", "{}", [&](const core::Result<std::string>& answer) {
        const core::Result<EtcdStatus> status = answer ? read_etcd_status(*answer) : answer.error();
        found = status && status->leader != 0;
        over = true;
      });
      while (!over) events.run_until(core::monotonic_now() + core::millisecond);
    }
    return found;
  }
  void forget() { survey.emplace(events, core::second / 2); }

  net::EventLoop events;
  std::optional<EtcdSurvey> survey{std::in_place, events, core::second / 2};
};

TEST_F(EtcdSurveyTest, MembersWithoutALeaderAreNoMajority) {
  test::Members members(3);
  start(members);
  members.kill(0);
  EXPECT_FALSE(without_majority(members.urls()));
  members.kill(1);
  EXPECT_TRUE(becomes(true, members.urls())) << "the last one has no leader after a while";
  members.kill(2);
  EXPECT_TRUE(without_majority(members.urls())) << "none runs";
  for (const std::size_t member : {0u, 1u}) members.start(member);
  EXPECT_TRUE(becomes(false, members.urls()));
}

// They may go on any time, and may answer others.
TEST_F(EtcdSurveyTest, SilentMembersMayBeAMajority) {
  test::Members members(3);
  start(members);
  for (const std::size_t member : {0u, 1u, 2u}) members.pause(member);
  EXPECT_FALSE(without_majority(members.urls()));
  members.kill(0);
  EXPECT_FALSE(without_majority(members.urls())) << "the other two";
  for (const std::size_t member : {1u, 2u}) members.resume(member);
}

TEST_F(EtcdSurveyTest, MembersThatAreNotNamedMayBeAMajority) {
  test::Members members(3);
  start(members);
  forget();
  const std::vector<std::string> two{members.urls()[0], members.urls()[0]};
  EXPECT_FALSE(without_majority(two));
  members.kill(0);
  EXPECT_FALSE(without_majority(two)) << "one member of three, by two names";
}

TEST_F(EtcdSurveyTest, WithoutAFormerSurveyAMajorityIsNotDenied) {
  test::Members members(1);
  members.kill(0);
  EXPECT_FALSE(without_majority(members.urls()));
}

TEST_F(EtcdSurveyTest, AnotherClusterIsLeftOut) {
  test::Members members(1);
  start(members);
  EXPECT_FALSE(without_majority(members.urls(), 77));
  forget();
  EXPECT_FALSE(without_majority(members.urls(), 77));
  members.kill(0);
  EXPECT_FALSE(without_majority(members.urls(), 77));
}

TEST_F(EtcdSurveyTest, UnknownAddressesAreNotAsked) {
  EXPECT_FALSE(survey->begin({"", ""}, 0, [] { FAIL(); }));
  EXPECT_FALSE(survey->is_under_way());
}

}  // namespace etcd_survey_test
}  // namespace mobula::cluster
