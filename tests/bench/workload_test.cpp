#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "entity_index/workload.hpp"

namespace mobula::bench {
namespace {

std::set<std::uint32_t> managers(const Workload& workload, std::uint32_t composition) {
  std::set<std::uint32_t> all;
  for (const Component& component : workload.composition(composition)) all.insert(component.manager);
  return all;
}

TEST(Workload, HasTheTextsCompositions) {
  const Workload workload;
  std::set<std::uint32_t> names;
  for (const Component& component : workload.components()) names.insert(component.name.value);
  EXPECT_EQ(names.size(), 48u) << "no two names have one hash";
  std::set<std::set<std::uint32_t>> sets;
  std::set<std::size_t> sizes;
  for (std::uint32_t i = 0; i < 75; ++i) {
    EXPECT_EQ(managers(workload, i).size(), workload.composition(i).size()) << "no component twice, composition " << i;
    sets.insert(managers(workload, i));
    sizes.insert(workload.composition(i).size());
  }
  EXPECT_EQ(sets.size(), 75u);
  EXPECT_THAT(sizes, testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
}

TEST(Workload, LetsTenThousandDieWheneverFortyThousandLive) {
  Workload workload;
  Step step;
  std::vector<std::size_t> deaths;
  for (int i = 0; i < 7; ++i) {
    workload.next(step);
    EXPECT_EQ(step.births.size(), 10'000u);
    deaths.push_back(step.deaths.size());
  }
  EXPECT_THAT(deaths, testing::ElementsAre(0, 0, 0, 10'000, 10'000, 10'000, 10'000));
}

TEST(Workload, NeedsANameThatOthersHave) {
  Workload workload;
  Step step;
  workload.next(step);
  std::set<std::uint32_t> known;
  for (const Component& component : workload.components()) known.insert(component.name.value);
  std::set<std::uint32_t> missed;
  for (const Birth& birth : step.births) {
    EXPECT_TRUE(known.contains(birth.missing.value));
    for (const Component& component : workload.composition(birth.composition)) EXPECT_NE(component.name, birth.missing);
    missed.insert(birth.missing.value);
  }
  EXPECT_EQ(missed.size(), 48u) << "each of them now and then";
}

TEST(Workload, IsTheSameForTheSameSeedAndAnotherForAnother) {
  Workload first({.seed = 5});
  Workload again({.seed = 5});
  Workload other({.seed = 6});
  Step a, b, c;
  for (int i = 0; i < 5; ++i) {
    first.next(a);
    again.next(b);
    other.next(c);
    const auto compositions = [](const Step& step) {
      std::vector<std::uint32_t> all;
      for (const Birth& birth : step.births) all.push_back(birth.composition);
      return all;
    };
    EXPECT_EQ(compositions(a), compositions(b));
    EXPECT_EQ(a.deaths, b.deaths);
    EXPECT_NE(compositions(a), compositions(c));
  }
}

// Everyone is as likely to die in a step as anyone else, the newest as the oldest.
TEST(Workload, ChoosesWhoDiesWithoutFavour) {
  Workload workload({.seed = 1, .live_max = 40, .step = 10});
  Step step;
  std::vector<int> ages;                   // ages of living entities, in steps
  std::map<int, std::pair<int, int>> met;  // by age: asked, died
  for (int i = 0; i < 20'000; ++i) {
    workload.next(step);
    for (int& age : ages) ++age;
    ages.insert(ages.end(), step.births.size(), 0);
    if (step.deaths.empty()) continue;
    for (const int age : ages) ++met[age].first;
    const std::span<int> dying = to_the_back(ages, step.deaths);
    for (const int age : dying) ++met[age].second;
    ages.resize(ages.size() - dying.size());
    ASSERT_EQ(ages.size(), 30u);
  }
  for (int age = 0; age < 8; ++age)
    EXPECT_NEAR(static_cast<double>(met[age].second) / met[age].first, 0.25, 0.01) << "age " << age;
}

TEST(ToTheBack, KeepsEveryoneAndReturnsTheChosen) {
  std::vector<char> living{'a', 'b', 'c', 'd', 'e'};
  const std::vector<std::uint32_t> deaths{1, 1, 2};  // b; then e, who took its place; then c, who is last of the rest
  const std::span<char> dying = to_the_back(living, deaths);
  EXPECT_THAT(std::vector(dying.begin(), dying.end()), testing::ElementsAre('c', 'e', 'b'));
  EXPECT_THAT(living, testing::ElementsAre('a', 'd', 'c', 'e', 'b'));
}

}  // namespace
}  // namespace mobula::bench
