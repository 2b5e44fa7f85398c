#include <gtest/gtest.h>

#include <mobula/server/cluster/attempts.hpp>

namespace mobula::cluster {
namespace attempts_test {

constexpr core::Nanoseconds retry = Directory::retry_interval;

TEST(Attempts, AKeyHasOneCommitAtATime) {
  Attempts attempts;
  EXPECT_TRUE(attempts.allow("a", 5, 0));
  attempts.add("a", 5, 1);
  EXPECT_FALSE(attempts.allow("a", 5, 100 * retry));
  EXPECT_FALSE(attempts.allow("a", 6, 100 * retry));
  EXPECT_TRUE(attempts.allow("b", 5, 0));
}

TEST(Attempts, TheSameRevisionWaitsAfterAnAnswer) {
  Attempts attempts;
  attempts.add("a", 5, 1);
  EXPECT_FALSE(attempts.on_reply({.request = 2}, 0));
  EXPECT_TRUE(attempts.on_reply({.request = 1}, 10));
  EXPECT_FALSE(attempts.allow("a", 5, 10 + retry - 1));
  EXPECT_TRUE(attempts.allow("a", 5, 10 + retry));
  EXPECT_TRUE(attempts.allow("a", 6, 10)) << "the directory shows another state";
}

TEST(Attempts, CountsCommitsThatEndWithAnError) {
  Attempts attempts;
  attempts.add("a", 5, 1);
  attempts.add("b", 5, 2);
  attempts.add("c", 5, 3);
  EXPECT_TRUE(attempts.on_reply({.request = 1, .error = core::Error{"no space", "database space exceeded"}}, 0));
  EXPECT_EQ(attempts.failed(), 1u);
  EXPECT_EQ(attempts.trouble(), "database space exceeded");
  EXPECT_TRUE(attempts.on_reply({.request = 2, .committed = false}, 0)) << "a condition did not hold";
  EXPECT_TRUE(attempts.on_reply({.request = 3, .committed = true}, 0));
  EXPECT_EQ(attempts.failed(), 1u);
  EXPECT_EQ(attempts.trouble(), "");
}

TEST(Attempts, ForgettingOldOnesChangesNothing) {
  Attempts attempts;
  attempts.add("answered", 5, 1);
  attempts.add("unanswered", 5, 2);
  EXPECT_TRUE(attempts.on_reply({.request = 1}, 0));
  attempts.forget_old(retry - 1);
  EXPECT_FALSE(attempts.allow("answered", 5, retry - 1));
  attempts.forget_old(retry);
  EXPECT_TRUE(attempts.allow("answered", 5, retry));
  EXPECT_FALSE(attempts.allow("unanswered", 5, retry));
}

}  // namespace attempts_test
}  // namespace mobula::cluster
