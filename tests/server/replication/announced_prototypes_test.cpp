#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/server/replication/announced_prototypes.hpp>
#include <set>

namespace mobula::server {
namespace {

constexpr std::uint32_t unknown = AnnouncedPrototypes::unknown;

std::vector<std::uint32_t> announce(AnnouncedPrototypes& client) {
  std::vector<std::uint32_t> ids;
  for (const auto& [prototype, id] : client.wanted()) ids.push_back(id);
  client.clear_wanted();
  return ids;
}

TEST(AnnouncedPrototypes, APrototypeIsKnownOnceDelivered) {
  AnnouncedPrototypes client;
  EXPECT_EQ(client.find_or_want(ecs::empty_prototype), 0u);
  EXPECT_EQ(client.find_or_want(70), unknown);
  EXPECT_EQ(client.find_or_want(70), unknown);
  ASSERT_EQ(client.wanted().size(), 1u) << "it is wanted once";
  EXPECT_EQ(client.wanted()[0].prototype, 70u);
  const std::uint32_t id = announce(client).at(0);
  EXPECT_EQ(id, 1u) << "ids are small, whatever the server's are";
  EXPECT_EQ(client.find_or_want(70), unknown);
  EXPECT_TRUE(client.wanted().empty());
  client.delivered(id);
  EXPECT_EQ(client.find_or_want(70), id);
}

TEST(AnnouncedPrototypes, AnIdIsReusedOnceNoDeltaRefersToIt) {
  AnnouncedPrototypes client;
  static_cast<void>(client.find_or_want(7));
  client.delivered(announce(client).at(0));
  const ecs::PrototypeId gone[] = {7, 900};
  client.forget(gone, 5);
  EXPECT_EQ(client.find_or_want(7), unknown) << "another composition has that id now";
  EXPECT_EQ(announce(client).at(0), 2u);
  client.resolved(4);
  static_cast<void>(client.find_or_want(8));
  EXPECT_EQ(announce(client).at(0), 3u);
  client.resolved(5);
  static_cast<void>(client.find_or_want(9));
  EXPECT_EQ(announce(client).at(0), 1u);
}

TEST(AnnouncedPrototypes, ForgottenInFlightItsIdIsFreeOnDelivery) {
  AnnouncedPrototypes client;
  static_cast<void>(client.find_or_want(7));
  const std::uint32_t id = announce(client).at(0);
  const ecs::PrototypeId gone[] = {7};
  client.forget(gone, 0);
  static_cast<void>(client.find_or_want(8));
  EXPECT_EQ(announce(client).at(0), 2u);
  client.delivered(id);
  EXPECT_EQ(client.find_or_want(7), unknown);
  EXPECT_EQ(announce(client).at(0), id);
}

TEST(AnnouncedPrototypes, ForgottenUnannouncedItIsNotWanted) {
  AnnouncedPrototypes client;
  static_cast<void>(client.find_or_want(7));
  static_cast<void>(client.find_or_want(8));
  const ecs::PrototypeId gone[] = {7};
  client.forget(gone, 3);
  ASSERT_EQ(client.wanted().size(), 1u);
  EXPECT_EQ(client.wanted()[0].prototype, 8u);
  static_cast<void>(client.find_or_want(9));
  EXPECT_EQ(client.wanted()[1].id, 1u);
}

// No two prototypes ever share an id, and there are no more ids than prototypes known or in flight.
TEST(AnnouncedPrototypes, RandomHistoriesNeverShareAnId) {
  constexpr std::uint64_t seed = 31;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  AnnouncedPrototypes client;
  std::vector<std::uint32_t> under_way;
  std::uint32_t sequence = 0;
  for (int step = 0; step < 30000; ++step) {
    const ecs::PrototypeId prototype = 1 + random.below(20);
    switch (random.below(5)) {
      case 0: {
        const ecs::PrototypeId gone[] = {prototype};
        client.forget(gone, sequence);
        break;
      }
      case 1:
        for (const std::uint32_t id : announce(client)) under_way.push_back(id);
        break;
      case 2:
        if (under_way.empty()) break;
        client.delivered(under_way.front());
        under_way.erase(under_way.begin());
        break;
      case 3: client.resolved(sequence - std::min(sequence, random.below(4))); break;
      default: static_cast<void>(client.find_or_want(prototype)); break;
    }
    sequence += random.below(2);
    std::set<std::uint32_t> ids(under_way.begin(), under_way.end());
    ASSERT_EQ(ids.size(), under_way.size());
    for (ecs::PrototypeId asked = 1; asked <= 20; ++asked) {
      AnnouncedPrototypes copy = client;
      const std::uint32_t id = copy.find_or_want(asked);
      if (id == unknown) continue;
      ASSERT_TRUE(ids.insert(id).second) << "step " << step;
      ASSERT_LT(id, 200u);
    }
  }
}

}  // namespace
}  // namespace mobula::server
