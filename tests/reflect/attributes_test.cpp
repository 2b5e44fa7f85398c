#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mobula/reflect/attributes.hpp>
#include <reflect/compile_schema.hpp>

namespace mobula::reflect {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Misuse {
  const char* schema;
  const char* where;
  const char* what;
};

constexpr Misuse misuses[] = {
    {"struct C (component) { f:float (range:\"1\", step:\"1\"); }", "test.C.f", "range must be two numbers"},
    {"struct C (component) { f:float (range:\"1 two\", step:\"1\"); }", "test.C.f", "range must be two numbers"},
    {"struct C (component) { f:float (range:\"0 1 2\", step:\"1\"); }", "test.C.f", "range must be two numbers"},
    {"struct C (component) { f:float (range:\"1 0\", step:\"1\"); }", "test.C.f", "range must be two numbers"},
    {"struct C (component) { f:float (range:\"0 nan\", step:\"1\"); }", "test.C.f", "range must be two numbers"},
    {"struct C (component) { f:float (range, step:\"1\"); }", "test.C.f", "range must be two numbers"},
    {"struct C (component) { f:float (range:\"0 1e39\", step:\"1e38\"); }", "test.C.f", "beyond"},
    {"struct C (component) { f:float (range:\"0 1\"); }", "test.C.f", "either a step or bits"},
    {"struct C (component) { f:float (range:\"0 1\", step:\"0.5\", bits:\"1\"); }", "test.C.f", "either a step or"},
    {"struct C (component) { f:float (step:\"1\"); }", "test.C.f", "needs a range"},
    {"struct C (component) { f:float (bits:\"4\"); }", "test.C.f", "needs a range"},
    {"struct C (component) { f:float (range:\"0 1\", step:\"0\"); }", "test.C.f", "step must be a number above"},
    {"struct C (component) { f:float (range:\"0 1\", step:\"-1\"); }", "test.C.f", "step must be a number above"},
    {"struct C (component) { f:float (range:\"0 1\", step:\"0.3\"); }", "test.C.f", "whole number of steps"},
    {"struct C (component) { f:float (range:\"0 1\", step:\"2\"); }", "test.C.f", "steps"},
    {"struct C (component) { f:double (range:\"0 1\", step:\"1e-12\"); }", "test.C.f", "2^32 - 1 steps"},
    {"struct C (component) { f:float (range:\"0 100000\", step:\"0.001\"); }", "test.C.f", "finer than the type"},
    {"struct C (component) { f:float (range:\"0 1\", bits:\"25\"); }", "test.C.f", "finer than the type"},
    {"struct C (component) { f:float (range:\"0 1e-40\", bits:\"2\"); }", "test.C.f", "finer than the type"},
    {"struct C (component) { f:float (range:\"0 1\", bits:\"33\"); }", "test.C.f", "bits must be 1 to 32"},
    {"struct C (component) { n:int (step:\"2\"); }", "test.C.n", "attribute step belongs on a float"},
    {"struct C (component) { n:int (range:\"0 5\", bits:\"3\"); }", "test.C.n", "a range or bits, not both"},
    {"struct C (component) { n:int (range:\"0 1.5\"); }", "test.C.n", "integers that the type can hold"},
    {"struct C (component) { n:ubyte (range:\"0 256\"); }", "test.C.n", "integers that the type can hold"},
    {"struct C (component) { n:ubyte (range:\"-1 5\"); }", "test.C.n", "integers that the type can hold"},
    {"struct C (component) { n:long (range:\"0 1e17\"); }", "test.C.n", "integers that the type can hold"},
    {"struct C (component) { n:int (bits:\"32\"); }", "test.C.n", "bits must be 1 to 31"},
    {"struct C (component) { n:ulong (bits:\"60\"); }", "test.C.n", "bits must be 1 to 53"},
    {"struct C (component) { n:int (bits:\"many\"); }", "test.C.n", "bits must be 1 to 31"},
    {"struct C (component) { b:bool (range:\"0 1\"); }", "test.C.b", "attribute range belongs on"},
    {"struct C (component) { n:int (default:\"x\"); }", "test.C.n", "default \"x\" is not an integer"},
    {"struct C (component) { n:ubyte (default:\"256\"); }", "test.C.n", "default \"256\" is not an integer"},
    {"struct C (component) { n:ubyte (default:\"0x100\"); }", "test.C.n", "default \"0x100\" is not an integer"},
    {"struct C (component) { n:int (default:\"1 2\"); }", "test.C.n", "too many values"},
    {"struct C (component) { n:int (range:\"5 9\"); }", "test.C.n", "the default, 0, is outside of 5 to 9"},
    {"struct C (component) { n:int (range:\"5 9\", default:\"10\"); }", "test.C.n", "outside of 5 to 9"},
    {"struct C (component) { f:float (range:\"1 2\", step:\"0.5\"); }", "test.C.f", "outside of 1 to 2"},
    {"struct C (component) { f:float (default:\"inf\"); }", "test.C.f", "is not a number"},
    {"struct C (component) { b:bool (default:\"1\"); }", "test.C.b", "is not true or false"},
    {"enum E:ubyte { a = 0, b } struct C (component) { e:E (default:\"c\"); }", "test.C.e", "not a name of the enum"},
    {"enum E:ubyte (bit_flags) { a, b } struct I { e:E; } struct C (component) { i:I; }", "test.C.i.e", "bit_flags"},
    {"struct C (component) { e:mobula.engine.EntityRef (default:\"1 1\"); }", "test.C.e", "anything but an entity"},
    {"struct C (component) { v:mobula.engine.Vec3 (default:\"1 2\"); }", "test.C.v", "default \"\" is not a number"},
    {"struct C (component) { v:mobula.engine.Vec3 (default:\"1 2 3 4\"); }", "test.C.v", "too many values"},
    {"struct C (component) { q:mobula.engine.Quat (unit_quaternion); }", "test.C.q", "must be a unit quaternion"},
    {"struct C (component) { q:mobula.engine.Quat (unit_quaternion, default:\"1 1 0 0\"); }", "test.C.q",
     "must be a unit quaternion"},
    {"struct C (component) { q:mobula.engine.Quat (unit_quaternion, bits:\"1\", default:\"0 0 0 1\"); }", "test.C.q",
     "bits must be 2 to 16"},
    {"struct C (component) { v:mobula.engine.Vec3 (unit_quaternion); }", "test.C.v", "a struct of four floats"},
    {"struct C (component) { s:uint (fixed_string); }", "test.C.s", "an array of ubyte"},
    {"struct C (component) { s:[ubyte:3] (fixed_string, default:\"four\"); }", "test.C.s", "at most 3 bytes"},
    {"struct C (component) { s:ushort (string_id); }", "test.C.s", "belongs on a uint"},
    {"struct C (component) { a:[int:3] (default:\"1\"); }", "test.C.a", "an array has no default"},
    {"struct C (component) { a:int (count:\"n\"); n:int; }", "test.C.a", "count belongs on an array"},
    {"struct C (component) { a:[int:3] (count:\"m\"); n:int; }", "test.C.a", "no field m"},
    {"struct C (component) { a:[int:3] (count:\"n\"); n:int; }", "test.C.a", "must be one ubyte, ushort or uint"},
    {"struct C (component) { a:[int:300] (count:\"n\"); n:ubyte; }", "test.C.a", "cannot count so far"},
    {"struct C (component) { a:[int:3] (count:\"n\", owner_only); n:ubyte; }", "test.C.a", "like what it counts"},
    {"struct C (component) { a:[int:3] (count:\"n\"); n:ubyte (range:\"0 2\"); }", "test.C.a", "no other range"},
    {"struct C (component) { a:[int:3] (count:\"n\"); b:[int:4] (count:\"n\"); n:ubyte; }", "test.C.b",
     "no other range"},
    {"struct C (component) { a:[int:3] (count:\"n\"); n:ubyte (default:\"4\"); }", "test.C.n", "outside of 0 to 3"},
    {"struct C (component) { a:[int:3] (count:\"n\"); n:[ubyte:1] (count:\"m\"); m:ubyte; }", "test.C.a",
     "must be one ubyte, ushort or uint"},
    {"struct R { l:ubyte (range:\"0 3\"); a:ubyte (bits:\"2\"); b:ubyte (bits:\"2\"); c:ubyte (bits:\"2\"); } "
     "struct C (component) { r:R (smallest_three); a:[int:3] (count:\"r.l\"); }",
     "test.C.a", "must be one ubyte, ushort or uint"},
    {"struct R { l:ubyte (range:\"0 3\"); a:ubyte (bits:\"2\"); b:ubyte (bits:\"2\"); c:ubyte (bits:\"2\"); } "
     "struct C (component) { r:[R:1] (smallest_three); }",
     "test.C.r", "smallest_three are four integers"},
    {"struct I { a:ubyte (bits:\"2\"); b:ubyte (bits:\"2\"); c:ubyte (bits:\"2\"); } "
     "struct R { l:ubyte (range:\"0 3\"); i:I; } struct C (component) { r:R (smallest_three); }",
     "test.C.r", "smallest_three are four integers"},
    {"struct R { l:ubyte (range:\"0 2\"); a:ubyte (bits:\"2\"); b:ubyte (bits:\"2\"); c:ubyte (bits:\"2\"); } "
     "struct C (component) { r:R (smallest_three); }",
     "test.C.r", "smallest_three are four integers"},
    {"struct R { l:ubyte (range:\"0 3\"); a:ubyte (bits:\"2\"); b:ubyte (bits:\"2\"); c:ubyte (bits:\"3\"); } "
     "struct C (component) { r:R (smallest_three); }",
     "test.C.r", "smallest_three are four integers"},
    {"struct I { n:int; } struct C (component) { i:I (range:\"0 1\", step:\"0.5\"); }", "test.C.i", "no float in it"},
    {"struct I { a:[int:2]; } struct C (component) { i:[I:2]; }", "test.C.i.a", "an array inside an array"},
    {"struct C (component) { f:float (cut); }", "test.C.f", "attribute cut belongs on a bool, an integer"},
    {"struct C (component) { v:mobula.engine.Vec3 (cut); }", "test.C.v", "attribute cut belongs on a bool"},
    {"struct C (component) { a:[int:3] (cut); }", "test.C.a", "not in an array"},
    {"struct I { n:int (cut); } struct C (component) { i:[I:2]; }", "test.C.i.n", "not in an array"},
    {"struct R { l:ubyte (range:\"0 3\", cut); a:ubyte (bits:\"2\"); b:ubyte (bits:\"2\"); c:ubyte (bits:\"2\"); } "
     "struct C (component) { r:R (smallest_three); }",
     "test.C.r.l", "not in an array or a rotation"},
    {"struct C (component) { n:int (cut, owner_only); }", "test.C.n", "sent to all clients"},
    {"struct I { n:int (cut); } struct C (component) { i:I (owner_only); }", "test.C.i.n", "sent to all clients"},
    {"struct C (component) { n:int (cut, not_sent); }", "test.C.n", "sent to all clients"},
    {"struct C (component, not_sent) { n:int (cut); }", "test.C.n", "sent to all clients"},
    {"struct C (component) { n:int (predicted, not_sent); }", "test.C.n", "predicted is for fields that are sent"},
    {"struct C (component, not_sent) { n:int (predicted); }", "test.C.n", "predicted is for fields that are sent"},
    {"struct C (component) { n:int (dead_reckoning:\"1\"); }", "test.C.n",
     "attribute dead_reckoning belongs on a float, a struct of floats or a unit quaternion"},
    {"struct C (component) { v:mobula.engine.Vec3 (dead_reckoning:\"1\"); }", "test.C.v.x", "needs a range"},
    {"struct C (component) { f:float (range:\"0 1\", step:\"0.1\", dead_reckoning:\"0\"); }", "test.C.f",
     "a tolerance above zero, not \"0\""},
    {"struct C (component) { f:float (range:\"0 1\", step:\"0.1\", dead_reckoning); }", "test.C.f", "above zero"},
    {"struct C (component) { f:float (range:\"0 1\", step:\"0.1\", dead_reckoning:\"-1\"); }", "test.C.f",
     "above zero"},
    {"struct C (component) { f:float (range:\"0 1\", step:\"0.1\", dead_reckoning:\"inf\"); }", "test.C.f",
     "above zero"},
    {"struct C (component) { f:float (range:\"0 1\", step:\"0.1\", dead_reckoning:\"0.05\"); }", "test.C.f",
     "the tolerance, 0.05, is below 0.1"},
    {"struct C (component) { q:mobula.engine.Quat (unit_quaternion, default:\"0 0 0 1\", dead_reckoning:\"1\"); }",
     "test.C.q", "needs the bits of the quaternion"},
    {"struct C (component) { q:mobula.engine.Quat (unit_quaternion, default:\"0 0 0 1\", bits:\"10\", "
     "dead_reckoning:\"0.001\"); }",
     "test.C.q", "the tolerance, 0.001, is below 0.00138"},
    {"struct C (component) { f:float (range:\"-1 1\", step:\"0.1\", dead_reckoning:\"1e308\"); }", "test.C.f",
     "the tolerance, 1e+308, is above 2, the width of the range"},
    {"struct C (component) { f:float (range:\"-1 1\", step:\"0.1\", dead_reckoning:\"2.1\"); }", "test.C.f",
     "the tolerance, 2.1, is above 2"},
    {"struct C (component) { q:mobula.engine.Quat (unit_quaternion, default:\"0 0 0 1\", bits:\"10\", "
     "dead_reckoning:\"5\"); }",
     "test.C.q", "the tolerance, 5, is above 1.414"},
    {"struct C (component) { f:[float:2] (range:\"0 1\", step:\"0.1\", dead_reckoning:\"1\"); }", "test.C.f",
     "not for arrays"},
    {"struct C (component) { f:float (range:\"0 1\", step:\"0.1\", dead_reckoning:\"1\", owner_only); }", "test.C.f",
     "sent to all clients"},
    {"struct C (component, not_sent) { f:float (range:\"0 1\", step:\"0.1\", dead_reckoning:\"1\"); }", "test.C.f",
     "sent to all clients"},
    {"struct I { n:int; f:float; } struct C (component) { i:I (range:\"0 1\", step:\"0.1\", dead_reckoning:\"1\"); }",
     "test.C.i.n", "for floats and unit quaternions, not for i.n"},
    {"struct R { l:ubyte (range:\"0 3\"); a:ubyte (bits:\"2\"); b:ubyte (bits:\"2\"); c:ubyte (bits:\"2\"); } "
     "struct C (component) { r:R (smallest_three, dead_reckoning:\"1\"); }",
     "test.C.r.l", "for floats and unit quaternions, not for r.l"},
    {"struct C (component, dead_reckoning:\"1\") { n:int; }", "test.C:", "attribute dead_reckoning belongs on a field"},
    {"struct C (component) { f:float (range:\"0 1\", step:\"0.1\", dead_reckoning:\"nan\"); }", "test.C.f",
     "above zero"},
    {"struct C (component) { e:mobula.engine.EntityRef (dead_reckoning:\"1\"); }", "test.C.e", "belongs on a float"},
    {"struct C (component) { t:[ubyte:4] (fixed_string, dead_reckoning:\"1\"); }", "test.C.t", "belongs on a float"},
    {"struct C (component) { f:float (range:\"0 1\", step:\"0.1\", velocity:\"C.f\"); }", "test.C.f",
     "velocity is for fields with dead_reckoning"},
    {"struct I { a:float (dead_reckoning:\"1\"); b:float; } struct C (component) { i:I (range:\"0 1\", step:\"0.1\", "
     "velocity:\"C.i\"); }",
     "test.C.i.b", "velocity is for fields with dead_reckoning"},
    {"struct C (component) { n:int (velocity:\"C.n\"); }", "test.C.n", "attribute velocity belongs on a float"},
    {"struct C (component, velocity:\"C.n\") { n:int; }", "test.C:", "attribute velocity belongs on a field"},
    {"struct C (component, cut) { n:int; }", "test.C:", "attribute cut belongs on a field"},
    {"struct C (component, owner_only) { n:int; }", "test.C:", "attribute owner_only belongs on a field"},
    {"struct C (component, range:\"0 1\") { n:int; }", "test.C:", "attribute range belongs on a field"},
    {"struct C (component) { n:int (component); }", "test.C.n", "belongs on a struct"},
};

TEST(Attributes, AWrongUseIsRefusedWithComponentAndField) {
  for (const Misuse& misuse : misuses) {
    SCOPED_TRACE(misuse.schema);
    EXPECT_THAT(test::refusal(misuse.schema), AllOf(HasSubstr(misuse.where), HasSubstr(misuse.what)));
  }
}

TEST(Attributes, AttributesOfAGameAreIgnored) {
  EXPECT_EQ(test::refusal("attribute \"mine\"; struct C (component, mine) { n:int (mine:\"anything\"); }"), "");
}

TEST(Attributes, BitsOfAnIntegerGiveItsRange) {
  const auto schema = test::load_schema("struct C (component) { s:short (bits:\"9\"); u:uint (bits:\"24\"); }");
  const Field& s = *schema->find("C")->find_field("s");
  EXPECT_EQ(s.low, -256);
  EXPECT_EQ(s.high, 255);
  EXPECT_EQ(s.steps, 511u);
  EXPECT_EQ(s.bits, 9u);
  const Field& u = *schema->find("C")->find_field("u");
  EXPECT_EQ(u.low, 0);
  EXPECT_EQ(u.high, 0xffffff);
  EXPECT_EQ(u.bits, 24u);
}

TEST(Attributes, ARotationMayBeKeptAsItsSmallestThree) {
  const auto schema = test::load_schema(
      "struct R { l:ubyte (range:\"0 3\"); a:ushort (bits:\"9\"); b:ushort (bits:\"9\"); c:ushort (range:\"0 511\"); } "
      "struct C (component) { before:int; r:R (smallest_three); }");
  const Component& component = *schema->find("C");
  EXPECT_FALSE(component.find_field("before")->smallest_three);
  for (const char* path : {"r.l", "r.a", "r.b", "r.c"}) EXPECT_TRUE(component.find_field(path)->smallest_three);
}

TEST(Attributes, AToleranceMayBeTheWidthOfTheRange) {
  const auto schema =
      test::load_schema(R"(struct C (component) { f:float (range:"-1 1", step:"0.1", dead_reckoning:"2"); })");
  EXPECT_EQ(schema->find("C")->find_field("f")->tolerance, 2);
}

TEST(Attributes, AFullRangeOfFourBytesTakesThirtyTwoBits) {
  const auto schema = test::load_schema("struct C (component) { n:int (range:\"-2147483648 2147483647\"); }");
  EXPECT_EQ(schema->find("C")->find_field("n")->bits, 32u);
  EXPECT_EQ(schema->find("C")->find_field("n")->steps, 0xffffffffu);
}

TEST(Attributes, DefaultsAreReadInDecimalAndHexadecimal) {
  const auto schema = test::load_schema(
      "struct C (component) { a:uint (default:\"0xFFFFFF\"); b:short (default:\"-3\"); c:ulong "
      "(default:\"0xFFFFFFFFFFFFFFFF\"); }");
  const std::byte* value = schema->find("C")->default_value.data();
  EXPECT_EQ(core::load<std::uint32_t>(value), 0xffffffu);
  EXPECT_EQ(core::load<std::int16_t>(value + 4), -3);
  EXPECT_EQ(core::load<std::uint64_t>(value + 8), ~0ull);
}

}  // namespace
}  // namespace mobula::reflect
