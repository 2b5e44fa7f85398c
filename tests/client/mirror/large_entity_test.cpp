// Deltas whose body was sent ahead (docs/protocol.md, Large entities).
#include <gtest/gtest.h>

#include <client/apply_delta.hpp>
#include <fstream>
#include <mobula/core/hex.hpp>
#include <mobula/index/prototype_hash.hpp>
#include <server/random_world.hpp>
#include <sstream>

namespace mobula::client {
namespace {

// Returns the bytes in hex of all lines of section "Large entities" that begin with this word. Words up to the first of
// more than seven digits are skipped.
std::vector<core::Bytes> specified_large(std::string_view first) {
  std::ifstream file(MOBULA_SOURCE_DIR "/docs/protocol.md");
  std::vector<core::Bytes> all;
  std::string line;
  while (std::getline(file, line) && !line.starts_with("### Large entities")) continue;
  while (std::getline(file, line) && !line.starts_with("### ")) {
    if (!line.starts_with(first)) continue;
    std::istringstream words(line);
    std::string hex;
    for (std::string word; words >> word;)
      if (word.size() >= 8 && word.find_first_not_of("0123456789abcdef") == std::string::npos) hex += word;
    if (!hex.empty()) all.push_back(core::from_hex(hex).value());
  }
  return all;
}

struct LargeExample {
  LargeExample() : mirror(std::move(*Mirror::make(test::game_schema(), 100))) {
    test::RandomWorld world(1);
    const ecs::Entity entity = world.create();
    world.registry.add<demo::Team>(entity);
    const std::vector<index::ComponentRef> components =
        index::components(world.registry, world.registry.prototype(entity));
    EXPECT_TRUE(mirror->add_prototypes({{{1, index::prototype_hash(components), components}}}).ok());
  }
  core::Status add(std::uint32_t offset, const core::Bytes& bytes, std::uint32_t number = 1) {
    return mirror->add_body({.number = number, .offset = offset, .size = 10, .bytes = bytes});
  }

  std::unique_ptr<Mirror> mirror;
  std::vector<core::Bytes> parts = specified_large("number 1");
  core::Bytes announced = specified_large("announced").at(0);
};

TEST(LargeEntity, TheExampleOfTheSpecificationIsApplied) {
  LargeExample example;
  ASSERT_EQ(example.parts.size(), 2u);
  ASSERT_TRUE(example.add(0, example.parts[0]).ok());
  EXPECT_FALSE(example.add(6, example.parts[1]).ok());
  ASSERT_TRUE(example.add(5, example.parts[1]).ok());
  ASSERT_TRUE(test::apply_delta(*example.mirror, example.announced).ok());
  example.mirror->check();
  EXPECT_EQ(example.mirror->size(), 1u);
  EXPECT_EQ(example.mirror->registry().get<const demo::Team>({0, 1}).color, demo::TeamColor::blue);
}

TEST(LargeEntity, ADeltaWithoutItsBodyIsSkippedAndChangesNothing) {
  LargeExample example;
  const core::Status none = test::apply_delta(*example.mirror, example.announced);
  ASSERT_FALSE(none.ok());
  EXPECT_STREQ(none.error().reason, "too late");
  ASSERT_TRUE(example.add(0, example.parts[0]).ok());
  EXPECT_FALSE(test::apply_delta(*example.mirror, example.announced).ok());
  EXPECT_EQ(example.mirror->size(), 0u);
  EXPECT_EQ(example.mirror->tick(), 0u);
  ASSERT_TRUE(example.add(5, example.parts[1]).ok());
  EXPECT_TRUE(test::apply_delta(*example.mirror, example.announced).ok());
}

TEST(LargeEntity, AMalformedBodyIsRefusedAsADeltaIs) {
  LargeExample example;
  core::Bytes wrong(10, std::byte{0xff});
  ASSERT_TRUE(example.add(0, wrong).ok());
  const core::Status applied = test::apply_delta(*example.mirror, example.announced);
  ASSERT_FALSE(applied.ok());
  EXPECT_STREQ(applied.error().reason, "malformed delta");
  EXPECT_EQ(example.mirror->size(), 0u);
}

}  // namespace
}  // namespace mobula::client
