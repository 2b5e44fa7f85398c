#include <server/cluster_program/watched_cluster.hpp>

namespace mobula::cluster {
namespace node_figures_test {

using nlohmann::json;

class NodeFiguresTest : public testing::Test {
 protected:
  json west() { return of.figures.world(of.west.url(), "land.w", now); }
  // Lets the nodes be asked, once a second of the figures' time.
  template <class Condition>
  bool wait(Condition condition) {
    return of.wait([&] {
      of.figures.update(now += 20 * core::millisecond);
      return condition();
    });
  }

  test::WatchedCluster of;
  core::Nanoseconds now = core::second;
};

TEST_F(NodeFiguresTest, ANodeIsAskedOnceSomebodyWantsThem) {
  of.figures.update(now);
  EXPECT_TRUE(west().is_null());
  ASSERT_TRUE(wait([&] { return !west().is_null(); }));
  EXPECT_EQ(west(), json::parse(R"({"tick": 7, "entities": 3, "players": 1, "sessions": 2, "load": 0.5,
      "zone": {"ghosts": 1}})"))
      << "other members are left out";
  EXPECT_TRUE(of.figures.world(of.west.url(), "land.e", now).is_null()) << "a world that the node does not have";
  EXPECT_TRUE(of.figures.world("", "land.w", now).is_null());
}

TEST_F(NodeFiguresTest, NobodyIsAskedOnceNobodyWantsThem) {
  ASSERT_TRUE(wait([&] { return !west().is_null(); }));
  const int asked = of.west.asked;
  now += NodeFigures::wanted_for + core::second;
  for (int i = 0; i < 3; ++i) of.figures.update(now += core::second);
  of.events.run_until(core::monotonic_now() + 50 * core::millisecond);
  EXPECT_EQ(of.west.asked, asked);
}

TEST_F(NodeFiguresTest, OldFiguresAreNotGiven) {
  ASSERT_TRUE(wait([&] { return !west().is_null(); }));
  now += NodeFigures::valid_for + core::second;
  EXPECT_TRUE(west().is_null());
}

TEST_F(NodeFiguresTest, ANodeThatDoesNotAnswerIsNamedAndAskedAgain) {
  const std::string url = of.east->url();
  of.east.reset();
  ASSERT_TRUE(wait([&] {
    (void)of.figures.world(url, "land.e", now);
    return !of.figures.trouble(url).empty();
  }));
  EXPECT_NE(of.figures.trouble(url).find(url), std::string::npos) << of.figures.trouble(url);
  EXPECT_EQ(of.figures.trouble(of.west.url()), "");
}

TEST_F(NodeFiguresTest, AnswersOfAnotherFormHaveNoFigures) {
  for (const char* answer : {"[]", "{}", R"({"worlds": 3})", R"({"worlds": [3, {"name": 4}, {}]})", "nonsense"}) {
    of.west.set(of.west.status, answer);
    const int asked = of.west.asked;
    ASSERT_TRUE(wait([&] { return west().is_null() && of.west.asked >= asked + 2; })) << answer;
  }
}

TEST_F(NodeFiguresTest, DeepNestingIsLeftOut) {
  constexpr std::size_t depth = 200'000;
  of.west.set(of.west.status, R"({"worlds": [{"name": "land.w", "tick": 8, "zone": )" + std::string(depth, '[') +
                                  std::string(depth, ']') + "}]}");
  ASSERT_TRUE(wait([&] { return !west().is_null() && west()["tick"] == 8; }));
  EXPECT_LT(west().dump().size(), 100u);
}

}  // namespace node_figures_test
}  // namespace mobula::cluster
