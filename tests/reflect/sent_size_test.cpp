#include <gtest/gtest.h>

#include <mobula/ecs/sent_size.hpp>
#include <mobula/reflect/sent_size.hpp>
#include <reflect/compile_schema.hpp>

namespace mobula::reflect {
namespace {

std::uint32_t sent_bits_of(std::string_view fields) {
  const auto schema = test::load_schema("struct One (component) { " + std::string(fields) + " }");
  const Component& one = *schema->find("One");
  EXPECT_EQ(one.sent_bits_max, sent_bits_max(one));
  return one.sent_bits_max;
}

TEST(SentSize, CountsValuesAndWhetherTheyChanged) {
  EXPECT_EQ(sent_bits_of("a:bool;"), 1u + 1 + (1 + 1 + 1));
  EXPECT_EQ(sent_bits_of("a:uint;"), 1u + 1 + (1 + 32 + 1));
  EXPECT_EQ(sent_bits_of("a:[ubyte:900];"), 1u + 1 + (1 + 8 + 1) * 900);
  EXPECT_EQ(sent_bits_of("a:[ubyte:24] (fixed_string);"), 1u + 1 + (5 + 24 * 8 + 1));
}

TEST(SentSize, IgnoresValuesThatAreNotSent) {
  EXPECT_EQ(sent_bits_of("a:bool; b:[ubyte:900] (not_sent);"), sent_bits_of("a:bool;"));
  const auto schema = test::load_schema("struct Hidden (component, not_sent) { a:[ubyte:900]; }");
  EXPECT_EQ(schema->find("Hidden")->sent_bits_max, 0u);
}

TEST(SentSize, OwnerOnlyValuesCount) { EXPECT_EQ(sent_bits_of("a:uint (owner_only);"), sent_bits_of("a:uint;")); }

// So no schema needs to be refused for the size of a component.
TEST(SentSize, TheLargestComponentFitsAnEntity) {
  EXPECT_LE(sent_bits_of("a:[ubyte:4096];"), ecs::SentSize::bits_max);
  EXPECT_LE(sent_bits_of("a:[bool:4096];"), ecs::SentSize::bits_max);
  EXPECT_LE(sent_bits_of("a:[mobula.engine.EntityRef:512];"), ecs::SentSize::bits_max);
  EXPECT_LE(sent_bits_of("a:[float:1024] (range:\"0 1\", bits:\"20\");"), ecs::SentSize::bits_max);
}

}  // namespace
}  // namespace mobula::reflect
