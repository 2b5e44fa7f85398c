#include <mobula/reflect/velocities.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <reflect/compile_schema.hpp>
#include <string>

namespace mobula::reflect::velocities_test {
namespace {

using testing::HasSubstr;

constexpr std::string_view bodies = R"(
  struct Axes { x:double; y:double; z:double; }
  struct Pair { x:float; z:float; }
  struct Swapped { z:float; y:float; x:float; }
  struct Motion { position:mobula.engine.Vec3; rotation:mobula.engine.Vec3; }
  struct Body (component, not_sent) {
    mass:float; velocity:mobula.engine.Vec3; spin:Axes; climb:double; count:int; pair:Pair; swapped:Swapped;
    lines:[float:3]; motion:Motion;
  }
  struct Pose { position:mobula.engine.Vec3 (range:"-1 1", step:"0.1");
                rotation:mobula.engine.Quat (unit_quaternion, bits:"8", default:"0 0 0 1"); }
)";

// Returns a schema with a component Ship, one of whose fields has the attribute.
std::string ship(std::string_view field, std::string_view velocity) {
  std::string text = std::string(bodies) + "struct Ship (component) { ";
  const auto add = [&](std::string_view name, std::string_view type, std::string_view attributes) {
    text += std::string(name) + ":" + std::string(type) + " (" + std::string(attributes) + ", dead_reckoning:\"1\"";
    if (name == field) text += ", velocity:\"" + std::string(velocity) + "\"";
    text += "); ";
  };
  add("position", "mobula.engine.Vec3", R"(range:"-1 1", step:"0.1")");
  add("rotation", "mobula.engine.Quat", R"(unit_quaternion, bits:"8", default:"0 0 0 1")");
  add("height", "float", R"(range:"0 1", step:"0.1")");
  add("flat", "Pair", R"(range:"-1 1", step:"0.1")");
  return text + "}";
}

TEST(Velocities, AVectorsAreThoseOfItsNumbers) {
  const auto schema = test::load_schema(ship("position", "Body.velocity"));
  const Component& body = *schema->find("Body");
  for (const char* axis : {"x", "y", "z"}) {
    const VelocityField& velocity = schema->find("Ship")->find_field(std::string("position.") + axis)->velocity;
    EXPECT_EQ(velocity.component, body.id);
    EXPECT_EQ(velocity.offset, body.find_field(std::string("velocity.") + axis)->offset);
    EXPECT_EQ(velocity.kind, FieldKind::float32);
  }
  EXPECT_TRUE(schema->find("Ship")->find_field("rotation")->velocity.path.empty());
}

TEST(Velocities, ANumbersMayHaveAnotherSize) {
  const auto schema = test::load_schema(ship("height", "Body.climb"));
  const VelocityField& velocity = schema->find("Ship")->find_field("height")->velocity;
  EXPECT_EQ(velocity.offset, schema->find("Body")->find_field("climb")->offset);
  EXPECT_EQ(velocity.kind, FieldKind::float64);
}

TEST(Velocities, ARotationsIsAStructOfThreeFloats) {
  const auto schema = test::load_schema(ship("rotation", "Body.spin"));
  const VelocityField& velocity = schema->find("Ship")->find_field("rotation")->velocity;
  EXPECT_EQ(velocity.offset, schema->find("Body")->find_field("spin.x")->offset);
  EXPECT_EQ(velocity.kind, FieldKind::float64);
}

TEST(Velocities, AStructsFollowItsFields) {
  const auto schema = test::load_schema(
      std::string(bodies) + "struct Ship (component) { pose:Pose (dead_reckoning:\"1\", velocity:\"Body.motion\"); }");
  const Component& body = *schema->find("Body");
  const Component& ship = *schema->find("Ship");
  EXPECT_EQ(ship.find_field("pose.position.y")->velocity.offset, body.find_field("motion.position.y")->offset);
  EXPECT_EQ(ship.find_field("pose.rotation")->velocity.offset, body.find_field("motion.rotation.x")->offset);
}

TEST(Velocities, MayBeInTheSameComponent) {
  const auto schema = test::load_schema(
      R"(struct Ship (component) { x:float (range:"0 1", step:"0.1", dead_reckoning:"1", velocity:"Ship.speed"); speed:float; })");
  EXPECT_EQ(schema->find("Ship")->find_field("x")->velocity.offset, 4u);
}

struct Misuse {
  std::string_view field;
  std::string_view velocity;
  std::string_view what;
};

TEST(Velocities, AWrongOneIsRefusedWithItsField) {
  constexpr Misuse misuses[] = {
      {"position", "Body", "expected Component.field"},
      {"position", "", "expected Component.field"},
      {"position", "Hull.velocity", "the schema has no component Hull"},
      {"position", "Pose.position", "the schema has no component Pose"},
      {"position", "test.Body.velocity", "the schema has no component test"},
      {"position", "Body.", "Body has no field"},
      {"position", "Body.speed", "Body has no field speed"},
      {"position", "Body.velo", "Body has no field velo"},
      {"position", "Body.velocity.x", "the same floats as the value"},
      {"position", "Body.mass", "the same floats as the value"},
      {"position", "Body.pair", "the same floats as the value"},
      {"position", "Body.motion", "the same floats as the value"},
      {"flat", "Body.velocity", "the same floats as the value"},
      {"flat", "Body.swapped", "the same floats as the value"},
      {"height", "Body.velocity", "the same floats as the value"},
      {"height", "Body.count", "the same floats as the value"},
      {"height", "Body.lines", "the same floats as the value"},
      {"rotation", "Body.mass", "three floats x, y, z"},
      {"rotation", "Body.pair", "three floats x, y, z"},
      {"rotation", "Body.swapped", "three floats x, y, z"},
      {"rotation", "Ship.rotation", "three floats x, y, z"},
      {"height", "Ship.height", "a value is not its own velocity"},
      {"position", "Ship.position", "a value is not its own velocity"},
  };
  for (const Misuse& misuse : misuses)
    EXPECT_THAT(test::refusal(ship(misuse.field, misuse.velocity)),
                AllOf(HasSubstr("Ship." + std::string(misuse.field)), HasSubstr(misuse.what)))
        << misuse.velocity;
}

}  // namespace
}  // namespace mobula::reflect::velocities_test
