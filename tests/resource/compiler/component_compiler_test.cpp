#include <gtest/gtest.h>
#include <kitchen/components.hpp>

#include <cmath>
#include <mobula/schema/components.hpp>
#include <resource/test_level.hpp>

namespace mobula::resource {
namespace {

using test::component_of;

const reflect::Schema& kitchen_schema() {
  static const auto schema = reflect::Schema::load(kitchen::schema_bytes());
  return **schema;
}

template <class T>
T compile_kitchen(const std::string& component) {
  const auto resource =
      test::load_text("{\"entities\":{\"e\":{\"components\":{" + component + "}}}}", kitchen_schema());
  return component_of<T>(resource->level(), 0);
}

std::string kitchen_error(const std::string& component) {
  const Compiled compiled =
      test::compile_text("{\"entities\":{\"e\":{\"components\":{" + component + "}}}}", kitchen_schema());
  return compiled.errors.empty() ? "" : compiled.errors.front().message;
}

TEST(CompileFields, MissingMembersGetTheSchemasDefault) {
  const auto resource = test::load_text(R"({"entities":{"e":{"components":{"Plain":{}}}}})", kitchen_schema());
  const core::ByteView data = test::column_of(resource->level(), "Plain", "Plain").data;
  const core::Bytes& expected = kitchen_schema().find("Plain")->default_value;
  EXPECT_TRUE(std::equal(data.begin(), data.end(), expected.begin(), expected.end()));
}

TEST(CompileFields, CompilesEveryKindOfValue) {
  const auto plain = compile_kitchen<kitchen::Plain>(R"("Plain":{"a_bool":true,"an_int8":-7,"a_uint8":200,
    "an_int16":-300,"a_uint16":60000,"an_int32":-70000,"a_uint32":4000000000,"an_int64":-5000000000,
    "a_uint64":18446744073709551614,"a_float":0.5,"a_double":0.1,"a_quaternion":[0,0,1,0],"a_text":"h\u00e4y",
    "a_name":"rock","shorts":[1,-2,3],"an_entity":null})");
  EXPECT_TRUE(plain.a_bool);
  EXPECT_EQ(plain.an_int8, -7);
  EXPECT_EQ(plain.a_uint8, 200);
  EXPECT_EQ(plain.an_int16, -300);
  EXPECT_EQ(plain.a_uint16, 60000);
  EXPECT_EQ(plain.an_int32, -70000);
  EXPECT_EQ(plain.a_uint32, 4000000000u);
  EXPECT_EQ(plain.an_int64, -5000000000);
  EXPECT_EQ(plain.a_uint64, 18446744073709551614u);
  EXPECT_EQ(plain.a_float, 0.5f);
  EXPECT_EQ(plain.a_double, 0.1);
  EXPECT_EQ(plain.a_quaternion.z, 1.0f);
  EXPECT_EQ(plain.a_quaternion.y, 0.0f);
  EXPECT_EQ(std::memcmp(&plain.a_text, "h\xc3\xa4y\0\0\0\0\0\0", 10), 0);
  EXPECT_EQ(core::load<std::uint32_t>(&plain.a_name), core::StringId32("rock").value);
  EXPECT_EQ(plain.shorts[1], -2);
}

TEST(CompileFields, AWholeNumberMayHaveAPointOrAnExponent) {
  const auto plain = compile_kitchen<kitchen::Plain>(R"("Plain":{"an_int8":-1.20e2,"a_uint8":100.0,"an_int16":1e2,
    "a_uint16":0.5E+1,"a_uint32":-0.0,"a_uint64":1.8446744073709551614e19})");
  EXPECT_EQ(plain.an_int8, -120);
  EXPECT_EQ(plain.a_uint8, 100);
  EXPECT_EQ(plain.an_int16, 100);
  EXPECT_EQ(plain.a_uint16, 5);
  EXPECT_EQ(plain.a_uint32, 0u);
  EXPECT_EQ(plain.a_uint64, 18446744073709551614u) << "exact beyond the digits of a double";
}

TEST(CompileFields, ArraysOfStructsCountThemselves) {
  const auto nested = compile_kitchen<kitchen::Nested>(
      R"("Nested":{"one":{"flag":false},"several":[{"weight":1},[2,true,0.5]],"colors":["plus","minus","most"]})");
  EXPECT_FALSE(nested.one.flag);
  EXPECT_EQ(nested.several_count, 2);
  EXPECT_EQ(nested.several[0].weight, 1);
  EXPECT_EQ(nested.several[1].weight, 2);
  EXPECT_EQ(nested.several[1].angle, 0.5f);
  EXPECT_EQ(nested.texts_count, 3);
  EXPECT_EQ(static_cast<int>(nested.colors[1]), -5);
}

TEST(CompileFields, ASingleMemberOfAStructCanBeOverridden) {
  const auto resource = test::load_text(R"({
    "prefabs": {"p": {"components": {"Transform": {"position": [1, 2, 3]}}}},
    "entities": {"e": {"prefab": "p", "components": {"Transform": {"position": {"y": 5}}}}}})");
  const auto transform = component_of<engine::Transform>(resource->level(), 0);
  EXPECT_EQ(transform.position.x, 1.0f);
  EXPECT_EQ(transform.position.y, 5.0f);
  EXPECT_EQ(transform.position.z, 3.0f);
  EXPECT_EQ(transform.rotation.w, 1.0f);
}

TEST(CompileFields, YawTurnsAboutTheVertical) {
  const auto resource = test::load_text(R"({"entities":{"e":{"components":{"Transform":{"rotation":{"yaw":90}}}}}})");
  const auto transform = component_of<engine::Transform>(resource->level(), 0);
  EXPECT_FLOAT_EQ(transform.rotation.y, 0.70710678f);
  EXPECT_FLOAT_EQ(transform.rotation.w, 0.70710678f);
}

TEST(CompileFields, ARotationOfTwoDigitsIsNormalised) {
  for (const char* rotation : {"[0,0.71,0,0.71]", "[0,0.70,0,0.70]"}) {
    const auto plain = compile_kitchen<kitchen::Plain>("\"Plain\":{\"a_quaternion\":" + std::string(rotation) + "}");
    EXPECT_FLOAT_EQ(plain.a_quaternion.y, 0.70710678f) << rotation;
    EXPECT_FLOAT_EQ(plain.a_quaternion.w, 0.70710678f) << rotation;
  }
}

// The demo's Transform: a range with a step, which levels do not round to.
TEST(CompileFields, PositionsAreCheckedBeforeTheyAreRoundedToSteps) {
  const auto level = [](const std::string& position) {
    return "{\"entities\":{\"e\":{\"components\":{\"Transform\":{\"position\":" + position + "}}}}}";
  };
  EXPECT_EQ(test::errors_of(level("[512.004,512.006,-512.0]")),
            "level.json:1:58: 'position.x' is out of range: 512.004; expected -512 to 512\n"
            "level.json:1:66: 'position.y' is out of range: 512.006; expected -512 to 512\n");
  const auto position =
      component_of<engine::Transform>(test::load_text(level("[-0.0,1e-400,5e-324]"))->level(), 0).position;
  EXPECT_EQ(position.x, 0.0f);
  EXPECT_TRUE(std::signbit(position.x)) << "a negative zero keeps its sign";
  EXPECT_EQ(position.y, 0.0f);
  EXPECT_EQ(position.z, 0.0f);
}

TEST(CompileFields, ANumberTooSmallIsZeroWithItsSign) {
  const auto plain = compile_kitchen<kitchen::Plain>(
      R"("Plain":{"a_float":-1e-400,"a_double":1e-9999,"a_quaternion":[-1e-400,0,1e-400,1]})");
  EXPECT_EQ(plain.a_float, 0.0f);
  EXPECT_TRUE(std::signbit(plain.a_float));
  EXPECT_EQ(plain.a_double, 0.0);
  EXPECT_EQ(plain.a_quaternion.x, 0.0f);
  EXPECT_EQ(plain.a_quaternion.w, 1.0f);
  EXPECT_NE(kitchen_error(R"("Plain":{"a_double":1e400})"), "");
}

struct BadValue {
  const char* component;
  const char* message;
};

TEST(CompileFields, RefusesInvalidValues) {
  const BadValue table[] = {
      {R"("Plain":{"a_bool":1})", "'a_bool' is a number; expected true or false"},
      {R"("Plain":{"an_int8":128})", "'an_int8' is out of range: 128; expected -128 to 127"},
      {R"("Plain":{"a_uint8":-1})", "'a_uint8' is out of range: -1; expected 0 to 255"},
      {R"("Plain":{"a_uint64":18446744073709551616})",
       "'a_uint64' is out of range: 18446744073709551616; expected 0 to 18446744073709551615"},
      {R"("Plain":{"an_int32":1.5})", "'an_int32' is 1.5; expected a whole number"},
      {R"("Plain":{"an_int32":125e-1})", "'an_int32' is 125e-1; expected a whole number"},
      {R"("Plain":{"an_int8":1e300})", "'an_int8' is out of range: 1e300; expected -128 to 127"},
      {R"("Plain":{"an_int32":"x"})", "'an_int32' is text; expected a whole number"},
      {R"("Plain":{"a_float":true})", "'a_float' is true or false; expected a number"},
      {R"("Plain":{"a_text":"eleven byte"})", "'a_text' is too long: 11 bytes; expected at most 10"},
      {R"("Plain":{"a_text":"a\u0000b"})", "'a_text' holds a zero byte; expected text"},
      {R"("Plain":{"a_name":7})", "'a_name' is a number; expected a name"},
      {R"("Plain":{"a_quaternion":[0,0,1]})", "'a_quaternion' has 3 values; expected [x, y, z, w]"},
      {R"("Plain":{"a_quaternion":[1,1,1,1]})",
       "'a_quaternion' is not a rotation: its length is 2; expected 0.98 to 1.02"},
      {R"("Plain":{"a_quaternion":[0,0.7,0,0.68]})",
       "'a_quaternion' is not a rotation: its length is 0.9759; expected 0.98 to 1.02"},
      {R"("Plain":{"a_quaternion":{"yaw":-1e9}})",
       "'a_quaternion' is out of range: -1e9; expected -1000000 to 1000000"},
      {R"("Plain":{"a_quaternion":{"pitch":1}})",
       "'a_quaternion' is an object; expected [x, y, z, w] or {\"yaw\": degrees}"},
      {R"("Plain":{"shorts":[1,2]})", "'shorts' has 2 values; expected an array of 3 values"},
      {R"("Plain":{"shorts":7})", "'shorts' is a number; expected an array of 3 values"},
      {R"("Ranged":{"an_int8":-2})", "'an_int8' is out of range: -2; expected -100 to -3"},
      {R"("Ranged":{"a_uint8":-1})", "'a_uint8' is out of range: -1; expected 0 to 31"},
      {R"("Ranged":{"a_uint8":32})", "'a_uint8' is out of range: 32; expected 0 to 31"},
      {R"("Ranged":{"a_uint8":256})", "'a_uint8' is out of range: 256; expected 0 to 31"},
      {R"("Ranged":{"a_uint8":18446744073709551616})",
       "'a_uint8' is out of range: 18446744073709551616; expected 0 to 31"},
      {R"("Ranged":{"fine":1e39})", "'fine' is out of range: 1e39; expected -512 to 512"},
      {R"("Ranged":{"fine":513})", "'fine' is out of range: 513; expected -512 to 512"},
      {R"("Ranged":{"small":"pluss"})",
       "'small' has no value 'pluss' (did you mean 'plus'?); expected minus, zero, plus, most"},
      {R"("Ranged":{"small":1})", "'small' is a number; expected the name of a value, such as \"minus\""},
      {R"("Nested":{"several":[{},{},{},{}]})", "'several' has 4 values; expected an array of at most 3 values"},
      {R"("Nested":{"one":7})", "'one' is a number; expected [weight, flag, angle] or {\"weight\": …}"},
      {R"("Nested":{"several_count":4})", "'several_count' is out of range: 4; expected 0 to 3"},
  };
  for (const BadValue& bad : table) {
    SCOPED_TRACE(bad.component);
    EXPECT_EQ(kitchen_error(bad.component), bad.message);
  }
  EXPECT_EQ(kitchen_error(R"("Plain":{"a_float":1e39})").substr(0, 36), "'a_float' is out of range: 1e39; exp");
}

TEST(CompilerTable, AComponentHasOneCompiler) {
  CompilerTable table;
  const ComponentCompiler compiler{.compile = [](const ComponentSource&, ComponentContext&, core::Bytes&) {}};
  table.add("Route", compiler);
  EXPECT_DEATH(table.add("Route", compiler), "two compilers for component Route");
  EXPECT_DEATH(table.add("Other", {}), "a compiler that compiles nothing");
}

TEST(CompilerTable, ARegisteredCompilerMakesDataOfAnySize) {
  CompilerTable table;
  table.add("Route", {.spawn_order = 3,
                      .compile = [](const ComponentSource& source, ComponentContext& context, core::Bytes& out) {
                        const JsonValue* steps = source.layers.back()->find("steps");
                        if (steps == nullptr) return context.error(source.layers.back()->place, "no steps");
                        out.push_back(static_cast<std::byte>(steps->items.size()));
                        for (const JsonValue& step : steps->items) out.push_back(static_cast<std::byte>(step.text[0]));
                      }});
  const auto resource = test::load_compiled(
      test::compile_files({{"level.json", R"({"entities":{"a":{"components":{"Route":{"steps":["n","e"]}}},
                                      "b":{"components":{"Health":{},"Route":{"steps":["w"]}}}}})"}},
                          test::demo_schema(), table));
  const Column& column = test::column_of(resource->level(), "Route", "Route");
  EXPECT_EQ(column.component, nullptr);
  EXPECT_EQ(column.spawn_order, 3);
  EXPECT_EQ(column.num_instances, 2u);
  const std::string bytes(reinterpret_cast<const char*>(column.data.data()), column.data.size());
  EXPECT_EQ(bytes, "\x02ne\x01w");
  EXPECT_EQ(resource->level().prototypes[resource->level().prototype_of[1]].size(), 1u) << "only schema components";
}

}  // namespace
}  // namespace mobula::resource
