#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/server/interest/interest_owners.hpp>
#include <set>

namespace mobula::server {
namespace {

TEST(InterestOwners, AgreeWithAReferenceModel) {
  InterestOwners owners;
  std::vector<std::uint32_t> model(60, 0);  // the owner, by index
  core::Random random(1);
  for (int step = 0; step < 20000; ++step) {
    const std::uint32_t index = random.below(60);
    const std::uint32_t owner = random.below(8);
    owners.change(index, model[index], owner);
    model[index] = owner;
    const std::uint32_t asked = 1 + random.below(8);
    std::set<std::uint32_t> expected;
    for (std::uint32_t i = 0; i < model.size(); ++i)
      if (model[i] == asked) expected.insert(i);
    std::set<std::uint32_t> found;
    owners.each(asked, [&](std::uint32_t own) { EXPECT_TRUE(found.insert(own).second) << "none twice"; });
    ASSERT_EQ(found, expected) << step;
  }
}

TEST(InterestOwners, NobodyOwnsNothing) {
  InterestOwners owners;
  owners.change(3, 0, 0);
  owners.change(4, 0, 9);
  owners.change(4, 9, 0);
  for (const std::uint32_t owner : {0u, 9u}) owners.each(owner, [](std::uint32_t /*index*/) { FAIL(); });
}

}  // namespace
}  // namespace mobula::server
