#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kitchen/components.hpp>
#include <mobula/reflect/describe.hpp>
#include <reflect/compile_schema.hpp>

namespace mobula::reflect {
namespace {

using testing::ElementsAre;

std::vector<std::string> paths(const Component& component) {
  std::vector<std::string> result;
  for (const Field& field : component.fields) result.push_back(field.path);
  return result;
}

class Kitchen : public testing::Test {
 protected:
  const std::shared_ptr<const Schema> schema_ = *Schema::load(kitchen::schema_bytes());
  const Component& nested_ = *schema_->find("Nested");
  const Component& flags_ = *schema_->find("Flags");
  const Component& plain_ = *schema_->find("Plain");
};

TEST_F(Kitchen, NestedStructsAreFlattenedByOffset) {
  EXPECT_THAT(paths(nested_),
              ElementsAre("one.weight", "one.flag", "one.angle", "as_is.weight", "as_is.flag", "as_is.angle",
                          "several.weight", "several.flag", "several.angle", "texts_count", "several_count", "colors"));
  EXPECT_EQ(nested_.find_field("as_is.angle")->offset, 12u);
  EXPECT_EQ(nested_.find_field("nothing"), nullptr);
}

TEST(Describe, AToleranceIsHandedDownToFloats) {
  const auto schema = test::load_schema(R"(
    struct Sail { at:mobula.engine.Vec3; angle:float (range:"0 7", step:"0.5", dead_reckoning:"2"); }
    struct Boat (component) { sail:Sail (range:"-8 8", step:"0.25", dead_reckoning:"0.5"); mast:float; })");
  const Component& boat = *schema->find("Boat");
  for (const char* path : {"sail.at.x", "sail.at.z", "sail.angle"})
    EXPECT_EQ(boat.find_field(path)->tolerance, 0.5) << path << ": outer attributes override inner ones";
  EXPECT_EQ(boat.find_field("mast")->tolerance, 0);
}

TEST_F(Kitchen, AnArrayOfStructsGivesArraysOfLeaves) {
  const Field& angle = *nested_.find_field("several.angle");
  EXPECT_EQ(angle.count, 3u);
  EXPECT_EQ(angle.stride, sizeof(kitchen::Inner));
  EXPECT_EQ(angle.size, 4u);
  EXPECT_EQ(angle.offset, offsetof(kitchen::Nested, several) + offsetof(kitchen::Inner, angle));
}

TEST_F(Kitchen, ACountFieldIsKnownAndRanged) {
  const Field& weight = *nested_.find_field("several.weight");
  const Field& counter = nested_.fields[static_cast<std::size_t>(weight.count_field)];
  EXPECT_EQ(counter.path, "several_count");
  EXPECT_TRUE(counter.ranged);
  EXPECT_EQ(counter.high, 3);
  EXPECT_EQ(counter.bits, 2u);
  EXPECT_EQ(nested_.find_field("one.weight")->count_field, -1);
}

TEST(Describe, TheCountOfAReadOnlyArrayIsReadOnlyToo) {
  const auto schema = test::load_schema("struct A (component) { all:[ushort:4] (count:\"n\", read_only); n:ubyte; }");
  EXPECT_TRUE(schema->find("A")->find_field("n")->read_only);
}

TEST_F(Kitchen, ARangeOnAStructAppliesToItsFloats) {
  const Field& angle = *nested_.find_field("one.angle");
  EXPECT_TRUE(angle.ranged);
  EXPECT_EQ(angle.low, -1);
  EXPECT_EQ(angle.step, 0.25);
  EXPECT_EQ(angle.steps, 8u);
  EXPECT_EQ(angle.bits, 4u);
  EXPECT_FALSE(nested_.find_field("one.weight")->ranged);
  EXPECT_FALSE(nested_.find_field("as_is.angle")->ranged);
}

TEST_F(Kitchen, OuterAttributesOverrideInnerOnes) {
  const auto schema = test::load_schema(
      "struct I { f:float (range:\"0 1\", bits:\"4\"); }"
      "struct C (component) { inner:I; outer:I (range:\"-8 8\", step:\"1\"); }");
  EXPECT_EQ(schema->find("C")->find_field("inner.f")->high, 1);
  EXPECT_EQ(schema->find("C")->find_field("outer.f")->high, 8);
  EXPECT_EQ(schema->find("C")->find_field("outer.f")->step, 1);
}

TEST_F(Kitchen, DefaultsOfElementsAndStructsAreWritten) {
  const auto value = core::load<kitchen::Nested>(nested_.default_value.data());
  EXPECT_EQ(value.one.weight, 0);
  EXPECT_TRUE(value.one.flag);
  EXPECT_EQ(value.one.angle, 0.5f);
  EXPECT_EQ(value.as_is.weight, 7);
  for (const kitchen::Inner& inner : value.several) EXPECT_EQ(inner.weight, 7);
}

TEST_F(Kitchen, FlagsAreRead) {
  EXPECT_TRUE(flags_.not_saved);
  EXPECT_FALSE(flags_.not_sent);
  EXPECT_TRUE(schema_->find("Hidden")->not_sent);
  EXPECT_TRUE(flags_.find_field("own")->owner_only);
  EXPECT_TRUE(flags_.find_field("secret")->not_sent);
  EXPECT_TRUE(flags_.find_field("guessed")->predicted);
  EXPECT_TRUE(flags_.find_field("fresh")->not_saved);
  EXPECT_TRUE(flags_.find_field("fresh")->read_only);
  EXPECT_FALSE(flags_.find_field("seen")->owner_only || flags_.find_field("seen")->not_sent);
}

TEST_F(Kitchen, FlagsOnAStructReachItsLeaves) {
  const auto schema =
      test::load_schema("struct I { a:int; b:int (not_saved); } struct C (component) { i:I (owner_only); }");
  EXPECT_TRUE(schema->find("C")->find_field("i.a")->owner_only);
  EXPECT_FALSE(schema->find("C")->find_field("i.a")->not_saved);
  EXPECT_TRUE(schema->find("C")->find_field("i.b")->owner_only);
  EXPECT_TRUE(schema->find("C")->find_field("i.b")->not_saved);
}

TEST_F(Kitchen, LeavesHaveTheirKinds) {
  EXPECT_EQ(plain_.find_field("a_quaternion")->kind, FieldKind::unit_quaternion);
  EXPECT_EQ(plain_.find_field("an_entity")->kind, FieldKind::entity);
  EXPECT_EQ(plain_.find_field("a_text")->kind, FieldKind::fixed_string);
  EXPECT_EQ(plain_.find_field("a_text")->size, 10u);
  EXPECT_EQ(plain_.find_field("a_text")->count, 1u);
  EXPECT_EQ(plain_.find_field("a_name")->kind, FieldKind::string_id);
  EXPECT_EQ(plain_.find_field("entities")->kind, FieldKind::entity);
  EXPECT_EQ(plain_.find_field("entities")->count, 2u);
  EXPECT_EQ(plain_.find_field("entities")->stride, 8u);
  EXPECT_EQ(plain_.find_field("a_uint8")->bits, 0u);
}

TEST_F(Kitchen, EnumsAreSortedByValue) {
  const Field& small = *schema_->find("Ranged")->find_field("small");
  ASSERT_EQ(small.enum_values.size(), 4u);
  EXPECT_EQ(small.enum_values[0].name, "minus");
  EXPECT_EQ(small.enum_values[0].value, -5);
  EXPECT_EQ(small.enum_values[3].value, 127);
  EXPECT_EQ(small.bits, 2u);
  EXPECT_EQ(schema_->find("Ranged")->find_field("only")->bits, 0u);
}

}  // namespace
}  // namespace mobula::reflect
