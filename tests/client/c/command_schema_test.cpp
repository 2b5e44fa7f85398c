#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <c/command_json.hpp>
#include <mobula/core/random.hpp>
#include <reflect/compile_schema.hpp>

namespace mobula::c {
namespace {

using testing::HasSubstr;

std::string problem_of(core::ByteView bfbs) {
  const core::Result<CommandSchema> schema = CommandSchema::load(bfbs);
  return schema ? "" : schema.error().message;
}
std::string problem_of(const char* text) { return problem_of(test::compile_schema(text)); }

TEST(CommandSchema, ARootTableIsNeeded) {
  EXPECT_THAT(problem_of("table A { x:int; }"), HasSubstr("has no root_type"));
  EXPECT_EQ(problem_of("table A { x:int; } root_type A;"), "");
}

TEST(CommandSchema, UnsupportedTypesAreNamed) {
  EXPECT_THAT(problem_of("table A {} union U { A } table R { us:[U]; } root_type R;"),
              HasSubstr("R.us is a vector of unions"));
  EXPECT_THAT(problem_of("struct S { x:[int:200]; } table R { s:S; } root_type R;"), HasSubstr("S has a wrong size"));
}

TEST(CommandSchema, BytesThatAreNoSchemaAreRefused) {
  EXPECT_THAT(problem_of(core::Bytes()), HasSubstr("not a FlatBuffers binary schema"));
  EXPECT_THAT(problem_of(core::Bytes(100)), HasSubstr("not a FlatBuffers binary schema"));
  EXPECT_THAT(problem_of(core::Bytes(1 << 20)), HasSubstr("at most"));
}

// A schema with random bytes in it is refused, or writes commands as if nothing were wrong with it.
TEST(CommandSchema, ADamagedSchemaIsRefusedOrUsable) {
  const core::Bytes good = test::compile_schema(R"(
    enum E:byte { a, b } struct S { x:int; e:E; n:[short:2]; } table T { s:S; t:T; }
    union U { T } table R { u:U; names:[string]; ss:[S]; d:double = 2; } root_type R;)");
  core::Random random(11);
  int usable = 0;
  for (int i = 0; i < 20'000; ++i) {
    core::Bytes bytes = good;
    for (std::uint32_t changes = 1 + random.below(3); changes > 0; --changes)
      bytes[random.below(static_cast<std::uint32_t>(bytes.size()))] = static_cast<std::byte>(random.below(256));
    if (random.chance(1, 20)) bytes.resize(random.below(static_cast<std::uint32_t>(bytes.size())));
    const core::Result<CommandSchema> schema = CommandSchema::load(bytes);
    if (!schema) continue;
    for (const char* json : {R"({"u_type": "T", "u": {"s": {"x": 1, "e": "b", "n": [1, 2]}, "t": {}}})",
                             R"({"names": ["a", "b"], "ss": [{"x": 5}, {"n": [7]}], "d": 3})"})
      if (const core::Result<core::Bytes> command = write_command(*schema, json); command) ++usable;
  }
  EXPECT_GT(usable, 1'000);
}

}  // namespace
}  // namespace mobula::c
