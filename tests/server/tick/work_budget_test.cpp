#include <gtest/gtest.h>

#include <mobula/server/tick/work_budget.hpp>
#include <utility>
#include <vector>

namespace mobula::server {
namespace {

using core::millisecond;
using core::Nanoseconds;

constexpr Nanoseconds period = 50 * millisecond;

// A tick whose work takes virtual time.
struct Ticks {
  Nanoseconds now = 0;
  std::uint32_t percent = 50;
  WorkBudget budget{{.period = period, .percent = percent, .clock = [this] { return now; }}};

  // Serves newcomers that each take `each`, up to `most`. Returns how many there was time for.
  std::uint32_t serve(Nanoseconds each, std::uint32_t most = 1000) {
    std::uint32_t served = 0;
    do {
      now += each;
      ++served;
    } while (served < most && budget.has_time());
    budget.end_serving();
    return served;
  }
  // Runs a tick in which the clients that play take `players`. Returns the number of admissions and of turns after
  // them.
  std::pair<std::uint32_t, std::uint32_t> tick(Nanoseconds players, Nanoseconds each, Nanoseconds of_admission = 0) {
    budget.begin_tick();
    budget.begin_admissions();
    const std::uint32_t admitted = serve(each, budget.admissions_max());
    now += players + admitted * of_admission;
    budget.begin_first_states();
    const std::uint32_t served = serve(each);
    budget.end_tick(admitted);
    return {admitted, served};
  }
};

TEST(WorkBudget, WithoutAClockLimitsNobody) {
  EXPECT_FALSE(WorkBudget({.period = period, .percent = 50}).limited());
  EXPECT_TRUE(Ticks().budget.limited());
}

TEST(WorkBudget, TicksEndWithTheirBudget) {
  Ticks ticks;
  for (int i = 0; i < 100; ++i) {
    ticks.tick(8 * millisecond, millisecond);
    EXPECT_LE(ticks.budget.last_tick(), 26 * millisecond) << "25 ms, and one newcomer that began before";
  }
}

TEST(WorkBudget, AdmissionsTakeAQuarterOfWhatPlayersLeave) {
  Ticks ticks;
  for (int i = 0; i < 20; ++i) ticks.tick(5 * millisecond, millisecond);
  const auto [admitted, served] = ticks.tick(5 * millisecond, millisecond);
  EXPECT_EQ(admitted, 5u);
  EXPECT_EQ(served, 15u);
}

TEST(WorkBudget, PlayersThatFillTheTickLeaveALeastTime) {
  Ticks ticks;
  for (int i = 0; i < 20; ++i) ticks.tick(40 * millisecond, millisecond / 2);
  const auto [admitted, served] = ticks.tick(40 * millisecond, millisecond / 2);
  EXPECT_EQ(admitted, 5u) << "a twentieth of the period";
  EXPECT_EQ(served, 5u);
}

TEST(WorkBudget, TheLeastPercentageIsTheLowestThatDiffers) {
  const auto served = [](std::uint32_t percent) {
    Ticks ticks{.percent = percent};
    std::vector<std::pair<std::uint32_t, std::uint32_t>> turns;
    for (int i = 0; i < 40; ++i) turns.push_back(ticks.tick(i % 7 * millisecond, millisecond / 10));
    return turns;
  };
  const auto least = served(WorkBudget::percent_least);
  EXPECT_EQ(served(1), least);
  EXPECT_EQ(served(WorkBudget::percent_least - 1), least);
  EXPECT_NE(served(3 * WorkBudget::percent_least), least);
}

TEST(WorkBudget, ANewcomerLongerThanTheBudgetIsServedAlone) {
  Ticks ticks;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(ticks.tick(0, period), (std::pair{1u, 1u}));
}

// Each admission makes as much work for those who play as the clock cannot show before.
TEST(WorkBudget, AdmissionsAdaptToTheWorkThatTheyCauseLater) {
  Ticks ticks;
  std::uint32_t admitted = 0;
  Nanoseconds longest = 0;
  for (int i = 0; i < 200; ++i) {
    admitted += ticks.tick(2 * millisecond, millisecond / 20, millisecond).first;
    if (i >= 20) longest = std::max(longest, ticks.budget.last_tick());
  }
  EXPECT_LE(longest, 40 * millisecond);
  EXPECT_GT(admitted, 200u * 8) << "most of what there is time for";
}

TEST(WorkBudget, MoreAreAdmittedWhileTicksKeepTheirBudget) {
  Ticks ticks;
  std::uint32_t most = ticks.budget.admissions_max();
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(ticks.tick(millisecond, 1).first, most);
    EXPECT_GT(ticks.budget.admissions_max(), most);
    most = ticks.budget.admissions_max();
  }
}

}  // namespace
}  // namespace mobula::server
