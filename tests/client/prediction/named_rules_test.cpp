#include <gtest/gtest.h>

#include <client/prediction/court_rules.hpp>
#include <mobula/client/prediction/named_rules.hpp>

namespace mobula::client {
namespace {

TEST(NamedRules, AreFoundByNameAlone) {
  add_rules("named court", test::court_rules());
  EXPECT_EQ(find_rules("named court"), &test::court_rules());
  EXPECT_EQ(find_rules("named"), nullptr);
  EXPECT_EQ(find_rules(""), nullptr);
}

TEST(NamedRules, TheSameAgainChangesNothing) {
  add_rules("court twice", test::court_rules());
  const std::string before = rules_names();
  add_rules("court twice", test::court_rules());
  EXPECT_EQ(rules_names(), before);
  EXPECT_NE(before.find("court twice"), std::string::npos);
}

TEST(NamedRulesDeathTest, ANameOfOtherRulesIsRefused) {
  static const prediction::Rules others{.step = test::court_rules().step};
  add_rules("taken", test::court_rules());
  EXPECT_DEATH(add_rules("taken", others), "belongs to other rules: taken");
}

TEST(NamedRulesDeathTest, RulesWithoutAStepAreRefused) {
  static const prediction::Rules none{};
  EXPECT_DEATH(add_rules("empty", none), "have a step");
}

}  // namespace
}  // namespace mobula::client
