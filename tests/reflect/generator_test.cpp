#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <awkward/components.hpp>
#include <cstring>
#include <kitchen/components.hpp>
#include <mobula/reflect/generator.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/schema/components.hpp>
#include <mobula/schema/engine.hpp>
#include <reflect/compile_schema.hpp>

namespace mobula::reflect {
namespace {

using testing::HasSubstr;
using testing::Not;

// Checks that the generated initialisers make the schema's default, byte for byte.
template <class T>
void expect_default(const Schema& schema) {
  const Component* component = schema.find(T::component_name);
  ASSERT_NE(component, nullptr);
  ASSERT_EQ(component->size, sizeof(T));
  EXPECT_EQ(component->alignment, alignof(T));
  const T value{};
  EXPECT_EQ(std::memcmp(&value, component->default_value.data(), sizeof(T)), 0) << component->name;
}

template <class... Ts>
void expect_defaults(core::ByteView bytes) {
  const auto schema = *Schema::load(bytes);
  (expect_default<Ts>(*schema), ...);
}

TEST(Generator, DefaultsEqualTheSchemas) {
  expect_defaults<engine::Transform, engine::Parent>(engine::schema_bytes());
  expect_defaults<engine::Transform, demo::Velocity, demo::Health, demo::RenderData, demo::Team, demo::Name,
                  demo::Target, demo::Wander, demo::Pickup, demo::SpawnPoint, demo::Avatar, demo::Inventory>(
      demo::schema_bytes());
  expect_defaults<kitchen::Plain, kitchen::Ranged, kitchen::Nested, kitchen::Flags, kitchen::Hidden>(
      kitchen::schema_bytes());
}

TEST(Generator, MembersHaveUsefulTypes) {
  static_assert(std::is_same_v<decltype(demo::Target::entity), ecs::Entity>);
  static_assert(std::is_same_v<decltype(demo::RenderData::mesh), core::StringId32>);
  static_assert(std::is_same_v<decltype(demo::Name::text), std::array<char, 24>>);
  static_assert(std::is_same_v<decltype(demo::Velocity::linear), engine::Vec3>);
  static_assert(std::is_same_v<decltype(kitchen::Nested::several), std::array<kitchen::Inner, 3>>);
  static_assert(ecs::SchemaComponent<demo::Health> && !ecs::SchemaComponent<engine::Vec3>);
  EXPECT_EQ(kitchen::Plain{}.a_name, core::StringId32("crate"));
  EXPECT_STREQ(kitchen::Plain{}.a_text.data(), "two words");
  EXPECT_EQ(kitchen::Plain{}.an_int64, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(kitchen::Ranged{}.wide, kitchen::Wide::huge);
  EXPECT_EQ(demo::Pickup{}.kind, demo::PickupKind::coin);
}

TEST(Generator, ReservedWordsGetAnUnderscore) {
  using awkward::names_of::default_;
  using awkward::names_of::register_;
  const register_ value{};
  EXPECT_EQ(register_::component_name, "register") << "the name in the schema";
  EXPECT_EQ(value.class_, 3);
  EXPECT_EQ(value.class__, 0);
  EXPECT_EQ(value.component_name_, 0);
  EXPECT_EQ(value.has_predicted_fields_, 0);
  EXPECT_EQ(value.static_, default_::this_);
  EXPECT_EQ(value.while_.int_, 0.0f);
  expect_defaults<register_>(awkward::names_of::schema_bytes());
}

TEST(Generator, MarksComponentsWithPredictedFields) {
  static_assert(kitchen::Flags::has_predicted_fields);
  static_assert(awkward::names_of::register_::has_predicted_fields, "a field of a struct in it");
  const auto code = generate_code(kitchen::schema_bytes(), "kitchen", "x.hpp");
  ASSERT_TRUE(code.ok());
  const std::string_view header = code->header;
  const std::size_t at = header.find("has_predicted_fields");
  ASSERT_NE(at, header.npos);
  EXPECT_EQ(header.find("has_predicted_fields", at + 1), header.npos) << "Flags alone";
}

TEST(Generator, WritesTheLayoutOfComponents) {
  EXPECT_EQ(engine::Transform::component_layout,
            "position.x:float32@0 position.y:float32@4 position.z:float32@8 rotation:rotation@12");
  EXPECT_EQ(demo::Inventory::component_layout, "items:uint8@0*8/1 item_count:uint8@8");
  EXPECT_EQ(demo::Name::component_layout, "text:text@0+24");
  EXPECT_EQ(demo::Stone::component_layout, "left:uint16@0 has_hit:bool@2 by:entity@4 command:uint32@12");
}

TEST(Generator, SameBytesGiveTheSameText) {
  const auto first = generate_code(kitchen::schema_bytes(), "kitchen", "kitchen/components.hpp");
  const auto second = generate_code(kitchen::schema_bytes(), "kitchen", "kitchen/components.hpp");
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->header, second->header);
  EXPECT_EQ(first->source, second->source);
}

TEST(Generator, PaddingIsExplicit) {
  const auto code = generate_code(demo::schema_bytes(), "components", "x.hpp");
  ASSERT_TRUE(code.ok());
  EXPECT_THAT(code->header, HasSubstr("std::array<std::byte, 3> padding0_{};"));
}

TEST(Generator, OnlyTheSchemasOwnDeclarationsAreGenerated) {
  const auto code = generate_code(demo::schema_bytes(), "components", "my/demo.hpp");
  ASSERT_TRUE(code.ok());
  EXPECT_THAT(code->header, HasSubstr("struct Health {"));
  EXPECT_THAT(code->header, HasSubstr("#include <mobula/schema/engine.hpp>"));
  EXPECT_THAT(code->header, Not(HasSubstr("struct Transform {")));
  EXPECT_THAT(code->source, HasSubstr("#include <my/demo.hpp>"));
}

TEST(Generator, RefusesDeclarationsItCannotPlace) {
  EXPECT_THAT(generate_code(demo::schema_bytes(), "other", "x.hpp").error().message, HasSubstr("components.fbs"));
  EXPECT_THAT(generate_code(engine::schema_bytes(), "mine", "x.hpp").error().message, HasSubstr("no struct or enum"));
  EXPECT_THAT(
      generate_code(test::compile_schema("struct C (component) { n:int (step:\"1\"); }"), "", "x.hpp").error().message,
      HasSubstr("test.C.n"));
}

}  // namespace
}  // namespace mobula::reflect
