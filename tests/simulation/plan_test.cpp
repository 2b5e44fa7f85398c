#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <simulation/plan.hpp>

namespace mobula::sim {
namespace {

TEST(Plan, TheSameSeedDrawsTheSamePlan) {
  EXPECT_EQ(to_string(draw_plan(5, "all", {})), to_string(draw_plan(5, "all", {})));
  EXPECT_NE(to_string(draw_plan(5, "all", {})), to_string(draw_plan(6, "all", {})));
}

TEST(Plan, AScenarioHasOnlyItsFaultsAndEachKindIsDrawn) {
  const std::set<Fault::Kind> of_the_store{Fault::Kind::crash,     Fault::Kind::stop,        Fault::Kind::reload,
                                           Fault::Kind::disk_full, Fault::Kind::disk_errors, Fault::Kind::no_memory,
                                           Fault::Kind::reader};
  std::set<Fault::Kind> of_all;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    for (const char* const scenario : {"all", "zones"})
      for (const Fault& fault : draw_plan(seed, scenario, {}).faults) of_all.insert(fault.kind);
    for (const Fault& fault : draw_plan(seed, "store", {}).faults)
      EXPECT_TRUE(of_the_store.contains(fault.kind)) << to_string(fault);
    EXPECT_TRUE(draw_plan(seed, "calm", {}).faults.empty());
    EXPECT_GT(draw_plan(seed, "hostile", {}).unauthenticated_peers, 0u);
  }
  EXPECT_EQ(of_all.size(), fault_kinds().size());
}

TEST(Plan, EveryKindOfFaultHasANameOfItsOwnAndIsExplained) {
  std::set<Fault::Kind> kinds;
  std::set<std::string_view> names;
  for (const FaultKind& each : fault_kinds()) {
    kinds.insert(each.kind);
    names.insert(each.name);
    EXPECT_NE(each.about, "") << each.name;
  }
  EXPECT_EQ(kinds.size(), static_cast<std::size_t>(Fault::Kind::map) + 1);  // the last kind
  EXPECT_EQ(names.size(), kinds.size());
}

TEST(Plan, FaultsAreInOrderAndOfExistingPlayers) {
  const Plan plan = draw_plan(7, "all", {.ticks = 500, .players = 3, .entities = 10});
  EXPECT_TRUE(std::ranges::is_sorted(plan.faults, {}, &Fault::at));
  for (const Fault& fault : plan.faults) {
    EXPECT_LT(fault.who, 3u);
    EXPECT_LT(fault.at, 500u);
  }
}

}  // namespace
}  // namespace mobula::sim
