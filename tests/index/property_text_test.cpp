#include <cmath>
#include <cstring>

#include <mobula/index/property_text.hpp>

#include "index/kitchen_world.hpp"

namespace mobula::index {
namespace {

using test::KitchenWorld;
using test::refused;

struct Case {
  const char* component;
  const char* path;
  const char* json;  // as set
  const char* text;  // as read back; null if it is the same
};

TEST(PropertyText, EveryKindOfFieldReadsBackAsWritten) {
  KitchenWorld world;
  const ecs::Entity e = world.make();
  const Case cases[] = {
      {"Plain", "a_bool", " true ", "true"},
      {"Plain", "an_int8", "-7", nullptr},
      {"Plain", "a_uint8", "200", nullptr},
      {"Plain", "an_int16", "-300", nullptr},
      {"Plain", "a_uint16", "60000", nullptr},
      {"Plain", "an_int32", "-70000", nullptr},
      {"Plain", "a_uint32", "4000000000", nullptr},
      {"Plain", "an_int64", "-9223372036854775808", nullptr},
      {"Plain", "a_uint64", "18446744073709551615", nullptr},
      {"Plain", "a_float", "0.1", nullptr},
      {"Plain", "a_float", "1e-7", "1e-07"},
      {"Plain", "a_float", "5", nullptr},
      {"Plain", "a_double", "0.1", nullptr},
      {"Plain", "a_double", "1.7976931348623157e+308", nullptr},
      {"Plain", "a_quaternion", "[0,0.6,0,0.8]", nullptr},
      {"Plain", "a_quaternion", R"({"yaw":180})", "[0,1,0,0]"},
      {"Plain", "an_entity", R"("5.4096")", nullptr},
      {"Plain", "an_entity", "null", nullptr},
      {"Plain", "a_text", R"("h\u00e4y \"\\")", "\"h\xc3\xa4y \\\"\\\\\""},
      {"Plain", "a_text", R"("")", nullptr},
      {"Plain", "a_name", R"("rock")", nullptr},
      {"Plain", "a_name", "0", nullptr},
      {"Plain", "shorts", "[1,-2,3]", nullptr},
      {"Plain", "shorts[1]", "-5", nullptr},
      {"Plain", "entities", R"(["1.1",null])", nullptr},
      {"Ranged", "small", R"("minus")", nullptr},
      {"Ranged", "wide", R"("huge")", nullptr},
      {"Nested", "one", R"({"weight":1,"flag":false,"angle":-0.25})", nullptr},
      {"Nested", "one", R"([2,true,0.75])", R"({"weight":2,"flag":true,"angle":0.75})"},
      {"Nested", "several", R"([{"weight":4,"flag":true,"angle":0.5},[5,false,-1.5]])",
       R"([{"weight":4,"flag":true,"angle":0.5},{"weight":5,"flag":false,"angle":-1.5}])"},
      {"Nested", "several_count", "2", nullptr},
      {"Nested", "several[1]", R"({"weight":6,"flag":true,"angle":0})", nullptr},
      {"Nested", "several.weight", "[8,9]", nullptr},
      {"Nested", "several[1].weight", "9", nullptr},
      {"Nested", "colors", R"(["plus","minus","most"])", nullptr},
      {"Nested", "texts_count", "3", nullptr},
      {"Nested", "colors", "[]", nullptr},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(std::string(each.path) + " = " + each.json);
    const auto done = world.properties.set_text(e, each.component, each.path, each.json);
    ASSERT_TRUE(done) << done.error().message;
    const std::string text = world.text(e, each.component, each.path);
    EXPECT_EQ(text, each.text == nullptr ? each.json : each.text);
    EXPECT_TRUE(world.properties.set_text(e, each.component, each.path, text));
    EXPECT_EQ(world.text(e, each.component, each.path), text);
  }
}

TEST(PropertyText, AComponentReadsBackAsTheSameBytes) {
  KitchenWorld world;
  const ecs::Entity a = world.make();
  const ecs::Entity b = world.make();
  ASSERT_TRUE(world.properties.set_text(a, "Plain", "a_text", R"("other")"));
  ASSERT_TRUE(world.properties.set_text(a, "Nested", "several", "[[1,true,1],[2,true,2]]"));
  ASSERT_TRUE(world.properties.set_text(a, "Nested", "colors", R"(["plus"])"));
  for (const char* component : {"Plain", "Ranged", "Nested"}) {
    const std::string text = world.text(a, component, "");
    const auto done = world.properties.set_text(b, component, "", text);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(world.text(b, component, ""), text);
    const ecs::PoolId pool = world.properties.resolve(a, component, "")->pool();
    EXPECT_EQ(std::memcmp(world.registry.try_read(a, pool), world.registry.try_read(b, pool),
                          world.schema->find(component)->size),
              0)
        << component;
  }
}

TEST(PropertyText, TheGreatestFloatReadsBack) {
  KitchenWorld world;
  const ecs::Entity e = world.make();
  world.registry.get<kitchen::Plain>(e).a_float = std::numeric_limits<float>::max();
  const std::string text = world.text(e, "Plain", "a_float");
  ASSERT_TRUE(world.properties.set_text(e, "Plain", "a_float", text)) << text;
  EXPECT_EQ(world.component<kitchen::Plain>(e).a_float, std::numeric_limits<float>::max());
  EXPECT_FALSE(world.properties.set_text(e, "Plain", "a_float", "3.4028236e38"));
}

TEST(PropertyText, MissingMembersStayUnchanged) {
  KitchenWorld world;
  const ecs::Entity e = world.make();
  ASSERT_TRUE(world.properties.set_text(e, "Nested", "", R"({"one":{"weight":3},"texts_count":1})"));
  EXPECT_EQ(world.text(e, "Nested", "one"), R"({"weight":3,"flag":true,"angle":0.5})");
  EXPECT_EQ(world.text(e, "Nested", "colors"), R"(["zero"])");
}

TEST(PropertyText, AListSetsTheCountAndAColumnDoesNot) {
  KitchenWorld world;
  const ecs::Entity e = world.make();
  EXPECT_EQ(world.text(e, "Nested", "several"), "[]");
  ASSERT_TRUE(world.properties.set_text(e, "Nested", "several", "[[1,true,1],[2,true,2],[3,true,3]]"));
  ASSERT_TRUE(world.properties.set_text(e, "Nested", "several", "[[4,true,4]]"));
  EXPECT_EQ(world.component<kitchen::Nested>(e).several_count, 1);
  EXPECT_EQ(world.text(e, "Nested", "several.angle"), "[4]");
  EXPECT_EQ(refused(world, [&] { return world.properties.set_text(e, "Nested", "several.angle", "[1,2]"); }),
            "out of range: 'several.angle' has 2 values; expected an array of 1 values");
  EXPECT_EQ(world.text(e, "Nested", "several[1]"),
            "! out of range: 'several' has 1 elements in use; there is no element 1");
}

TEST(PropertyText, ElementsBeyondAListBecomeTheDefault) {
  KitchenWorld world;
  const ecs::Entity e = world.make();
  ASSERT_TRUE(world.properties.set_text(e, "Nested", "several", "[[1,true,1],[2,true,2],[3,true,3]]"));
  ASSERT_TRUE(world.properties.set_text(e, "Nested", "several", "[[4,true,4]]"));
  ASSERT_TRUE(world.properties.set_text(e, "Nested", "colors", R"(["plus","minus"])"));
  ASSERT_TRUE(world.properties.set_text(e, "Nested", "colors", "[]"));
  ASSERT_TRUE(world.properties.set(e, "Nested", "several_count", 3));
  ASSERT_TRUE(world.properties.set(e, "Nested", "texts_count", 2));
  EXPECT_EQ(world.text(e, "Nested", "several.weight"), "[4,7,7]");
  EXPECT_EQ(world.text(e, "Nested", "several.flag"), "[true,false,false]");
  EXPECT_EQ(world.text(e, "Nested", "colors"), R"(["zero","zero"])");
}

TEST(PropertyText, ACountThatContradictsItsListIsRefused) {
  KitchenWorld world;
  const ecs::Entity e = world.make();
  const auto set = [&](const char* json) { return world.properties.set_text(e, "Nested", "", json); };
  const std::string error = "out of range: 'texts_count' would be ";
  EXPECT_EQ(refused(world, [&] { return set(R"({"texts_count":3,"colors":["plus","plus"]})"); }),
            error + "3 and 2; expected one number of elements");
  EXPECT_EQ(refused(world, [&] { return set(R"({"colors":["plus","plus"],"texts_count":3})"); }),
            error + "2 and 3; expected one number of elements");
  ASSERT_TRUE(set(R"({"texts_count":2,"colors":["plus","plus"]})"));
  EXPECT_EQ(world.text(e, "Nested", "colors"), R"(["plus","plus"])");
}

TEST(PropertyText, AnUnknownNameIsTheNumberOfItsHash) {
  KitchenWorld world;
  const ecs::Entity e = world.make();
  ASSERT_TRUE(world.properties.set_text(e, "Plain", "a_name", R"("novelty")"));
  const std::string number = std::to_string(core::StringId32("novelty").value);
  EXPECT_EQ(world.text(e, "Plain", "a_name"), number);
  ASSERT_TRUE(world.properties.set_text(e, "Plain", "a_name", number));
  EXPECT_EQ(*world.properties.get<core::StringId32>(e, "Plain", "a_name"), core::StringId32("novelty"));
  ASSERT_TRUE(world.names.add("novelty"));
  EXPECT_EQ(world.text(e, "Plain", "a_name"), "\"novelty\"");
}

TEST(PropertyText, NonFiniteNumbersAndInvalidTextAreValidJson) {
  KitchenWorld world;
  const ecs::Entity e = world.make();
  auto& plain = world.registry.get<kitchen::Plain>(e);
  plain.a_float = NAN;
  plain.a_double = -HUGE_VAL;
  std::memcpy(&plain.a_text, "a\xff\xc3\x01", 5);
  EXPECT_EQ(world.text(e, "Plain", "a_float"), "null");
  EXPECT_EQ(world.text(e, "Plain", "a_double"), "null");
  EXPECT_EQ(world.text(e, "Plain", "a_text"), "\"a\xef\xbf\xbd\xef\xbf\xbd\\u0001\"");
}

TEST(PropertyText, NoControlCharacterReachesATerminal) {
  KitchenWorld world;
  const ecs::Entity e = world.make();
  std::memcpy(&world.registry.get<kitchen::Plain>(e).a_text, "\x1b[\x7f\xc2\x9b", 6);
  const std::string text = world.text(e, "Plain", "a_text");
  EXPECT_EQ(text, R"("\u001b[\u007f\u009b")");
  EXPECT_TRUE(world.properties.set_text(e, "Plain", "a_text", text)) << "it reads as the same";
}

struct RefusedText {
  const char* component;
  const char* path;
  const char* json;
  const char* error;
};

constexpr RefusedText refused_texts[] = {
    {"Plain", "a_bool", "1", "wrong type: 'a_bool' is a number; expected true or false"},
    {"Plain", "a_uint8", "256", "out of range: 'a_uint8' is out of range: 256; expected 0 to 255"},
    {"Plain", "a_uint8", "1.5", "wrong type: 'a_uint8' is 1.5; expected a whole number"},
    {"Plain", "an_int64", "9223372036854775808",
     "out of range: 'an_int64' is out of range: 9223372036854775808; expected -9223372036854775808 to "
     "9223372036854775807"},
    {"Plain", "a_float", "null", "wrong type: 'a_float' is null; expected a number"},
    {"Plain", "an_entity", "\"5\"",
     "wrong type: 'an_entity' is \"5\"; expected an entity as \"index.generation\", or null"},
    {"Plain", "an_entity", "5",
     "wrong type: 'an_entity' is a number; expected an entity as \"index.generation\", or null"},
    {"Plain", "a_name", "-1", "out of range: 'a_name' is out of range: -1; expected a name, or a hash of 32 bits"},
    {"Plain", "a_name", "true", "wrong type: 'a_name' is true or false; expected a name, or a hash of 32 bits"},
    {"Plain", "a_text", R"("a\u0000")", "not text: 'a_text' holds a zero byte; expected text"},
    {"Plain", "a_text", R"("\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9")",
     "out of range: 'a_text' is too long: 12 bytes; expected at most 10"},
    {"Plain", "shorts", "[1,2]", "out of range: 'shorts' has 2 values; expected an array of 3 values"},
    {"Plain", "shorts", "[1,2,70000]", "out of range: 'shorts' is out of range: 70000; expected -32768 to 32767"},
    {"Ranged", "a_uint8", "-1", "out of range: 'a_uint8' is out of range: -1; expected 0 to 31"},
    {"Ranged", "a_uint8", "32", "out of range: 'a_uint8' is out of range: 32; expected 0 to 31"},
    {"Ranged", "a_uint8", "256", "out of range: 'a_uint8' is out of range: 256; expected 0 to 31"},
    {"Ranged", "a_uint8", "18446744073709551616",
     "out of range: 'a_uint8' is out of range: 18446744073709551616; expected 0 to 31"},
    {"Ranged", "fine", "1e39", "out of range: 'fine' is out of range: 1e39; expected -512 to 512"},
    {"Ranged", "fine", "513", "out of range: 'fine' is out of range: 513; expected -512 to 512"},
    {"Ranged", "small", "7", "wrong type: 'small' is a number; expected the name of a value, such as \"minus\""},
    {"Nested", "several", "[[1,true,1],[2,true,\"x\"]]", "wrong type: 'several.angle' is text; expected a number"},
    {"Nested", "several", "[{},{},{},{}]",
     "out of range: 'several' has 4 values; expected an array of at most 3 values"},
    {"Nested", "one", R"({"weight":1,"wieght":2})",
     "no such property: 'wieght' is not a field of one (did you mean 'weight'?); expected one of weight, flag, "
     "angle"},
    {"Nested", "", "7",
     "wrong type: 'Nested' is a number; expected [one, as_is, several, texts_count, several_count, colors] or "
     "{\"one\": …}"},
    {"Flags", "", R"({"$seen":1})",
     "no such property: '$seen' is not a field of Flags (did you mean 'seen'?); expected one of seen, own, secret, "
     "guessed, fresh"},
    {"Flags", "fresh", "1", "read only: 'fresh' is read only"},
    {"Flags", "", R"({"seen":9,"fresh":1})", "read only: 'fresh' is read only"},
    {"Nested", "one", R"({"weight":1,"weight":2})", "not text: 'weight' is defined twice"},
};

TEST(PropertyText, AnInvalidTextIsRefusedAndChangesNothing) {
  KitchenWorld world;
  const ecs::Entity e = world.make();
  ASSERT_TRUE(world.properties.set_text(e, "Nested", "several", "[[1,true,1],[2,true,2]]"));
  for (const RefusedText& each : refused_texts) {
    SCOPED_TRACE(std::string(each.path) + " = " + each.json);
    EXPECT_EQ(refused(world, [&] { return world.properties.set_text(e, each.component, each.path, each.json); }),
              each.error);
    EXPECT_EQ(refused(world, [&] { return world.properties.preview_text(e, each.component, each.path, each.json); }),
              each.error);
  }
  for (const char* json :
       {"", " ", "nul", "true false", "[1", "{\"a\":}", "'x'", "NaN", "Infinity", "\"\xff\"", "01", "// 1", "\"a"}) {
    EXPECT_THAT(refused(world, [&] { return world.properties.set_text(e, "Plain", "a_float", json); }),
                testing::ContainsRegex("^not text: line 1, column .+: expected JSON, not "))
        << json;
  }
  EXPECT_THAT(refused(world, [&] { return world.properties.set_text(e, "Plain", "a_float", std::string(40, '[')); }),
              testing::HasSubstr("nested too deep"));
  std::string many = "{";
  for (int i = 0; i < 300; ++i) many += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":0";
  EXPECT_THAT(refused(world, [&] { return world.properties.set_text(e, "Plain", "", many + "}"); }),
              testing::HasSubstr("more members than a component has fields"));
  EXPECT_THAT(refused(world, [&] { return world.properties.set_text(e, "Plain", "a_text", std::string(70000, ' ')); }),
              testing::HasSubstr("bytes of text"));
}

TEST(PropertyText, APreviewIsWhatASetLeavesAndWritesNothing) {
  KitchenWorld world;
  const ecs::Entity e = world.make();
  for (const auto& [path, json] :
       {std::pair{"an_int8", "-7"}, std::pair{"shorts[1]", "-5"}, std::pair{"", R"({"a_bool":true})"}}) {
    const test::Memory before(world.registry);
    world.registry.set_tick(world.registry.tick() + 1);
    const core::Result<core::Bytes> preview = world.properties.preview_text(e, "Plain", path, json);
    ASSERT_TRUE(preview.ok()) << path;
    EXPECT_TRUE(test::Memory(world.registry) == before) << path;
    ASSERT_TRUE(world.properties.set_text(e, "Plain", path, json));
    const auto set = world.component<kitchen::Plain>(e);
    ASSERT_EQ(preview->size(), sizeof(set));
    EXPECT_EQ(std::memcmp(preview->data(), &set, sizeof(set)), 0) << path;
  }
}

TEST(PropertyText, AMistakeIsReportedByLineColumnAndLimit) {
  const auto problem = [](std::string_view text) { return parse_json(text).error().message; };
  const std::string too_large = "the number is too large; expected at most 1.7976931348623157e308";
  EXPECT_EQ(problem("1e999"), "line 1, column 1: " + too_large);
  EXPECT_EQ(problem("{\n  \"\u00e4\": [1, -1e999 ]}"), "line 2, column 12: " + too_large);
  EXPECT_EQ(problem(""), "line 1, column 1: expected JSON, not the end of the text");
  EXPECT_EQ(problem("[1,\n"), "line 2, column 1: expected JSON, not the end of the text");
  EXPECT_EQ(problem("true false"), "line 1, column 6: expected JSON, not 'false'");
  EXPECT_EQ(problem("[1,\n }"), "line 2, column 2: expected JSON, not '}'");
}

TEST(PropertyText, AComponentWithoutItsReadOnlyFieldCanBeSet) {
  KitchenWorld world;
  const ecs::Entity e = world.make();
  ASSERT_TRUE(world.properties.set_text(e, "Flags", "", R"({"seen":9,"own":8})"));
  EXPECT_EQ(world.component<kitchen::Flags>(e).seen, 9);
  EXPECT_EQ(world.component<kitchen::Flags>(e).fresh, 5);
}

}  // namespace
}  // namespace mobula::index
