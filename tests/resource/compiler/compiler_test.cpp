#include <gtest/gtest.h>

#include <algorithm>
#include <mobula/core/hash.hpp>
#include <mobula/resource/compiler/json.hpp>
#include <mobula/resource/compiler/json_writer.hpp>
#include <mobula/resource/limits.hpp>
#include <mobula/schema/components.hpp>
#include <reflect/compile_schema.hpp>
#include <resource/test_level.hpp>

namespace mobula::resource {
namespace {

using test::component_of;
using test::errors_of;

// Demo schema: nested prefabs, a component under two names, children, references both ways.
constexpr const char* small_level = R"({
  "prefabs": {
    "lamp": {
      "spawnable": true,
      "components": {
        "Transform": {},
        "Body": {"$type": "RenderData", "mesh": "lamp"},
        "Fog": {"$type": "RenderData", "density": 0.5}
      },
      "children": {"flame": {"components": {"Transform": {"position": [0, 1, 0]}, "Target": {"entity": ".."}}}}
    },
    "big_lamp": {
      "prefab": "lamp",
      "components": {"Body": {"tint": 255}},
      "children": {"flame": {"components": {"Transform": {"position": {"y": 3}}}}}
    }
  },
  "entities": {
    "late": {"parent": "/hall/lamp", "components": {"Name": {"text": "Late"}}},
    "hall": {
      "components": {"Target": {"entity": "lamp/flame"}},
      "children": {"lamp": {"prefab": "big_lamp"}}
    }
  },
  "placements": [{"name": "row", "prefab": "lamp", "at": [[1, 0, 0], [2, 0, 0]]}]
})";

TEST(Compiler, RefusesAnEntityThatCouldNotBeSentByName) {
  const auto schema = test::load_schema("struct Cargo (component) { bytes:[ubyte:4000]; }");
  const auto ship = [](int cargos) {
    std::string text;
    for (int i = 0; i < cargos; ++i)
      text += (i == 0 ? "" : ", ") + std::string("\"c") + std::to_string(i) + R"(": {"$type": "Cargo"})";
    return R"({"entities": {"ship": {"components": {)" + text + "}}}}";
  };
  EXPECT_EQ(errors_of(test::compile_text(ship(3), *schema)), "");
  const std::string errors = errors_of(test::compile_text(ship(4), *schema));
  EXPECT_NE(errors.find("entity 'ship' has 4 components to send, of at most 20001 bytes"), std::string::npos) << errors;
}

TEST(Compiler, RefusesAPrefabThatCouldNotBeSentByName) {
  const auto schema = test::load_schema("struct Cargo (component) { bytes:[ubyte:4000]; }");
  for (const std::string spawnable : {"false", "true"}) {
    const std::string cargos = R"("components": {"a": {"$type": "Cargo"}, "b": {"$type": "Cargo"},
      "c": {"$type": "Cargo"}, "d": {"$type": "Cargo"}})";
    const std::string text = R"({"prefabs": {"hull": {"spawnable": )" + spawnable + "," + cargos + R"(},
            "fleet": {"children": {"boat": {)" +
                             cargos + "}}}}}";
    const std::string errors = errors_of(test::compile_text(text, *schema));
    EXPECT_NE(errors.find("prefab 'hull' has 4 components to send"), std::string::npos) << errors;
    EXPECT_NE(errors.find("entity 'boat' has 5 components to send"), std::string::npos) << errors;
  }
}

TEST(Compiler, CompilesASmallLevel) {
  const auto resource = test::load_text(small_level);
  const EntityResource& level = resource->level();
  // hall, hall/lamp, its flame, late (attached to the lamp), row.0, its flame, row.1, its flame
  ASSERT_EQ(level.num_entities, 8u);
  const std::vector<std::uint32_t> parents(level.parent_index.begin(), level.parent_index.end());
  EXPECT_EQ(parents, (std::vector<std::uint32_t>{no_parent, 0, 1, 1, no_parent, 4, no_parent, 6}));
  EXPECT_EQ(component_of<engine::Transform>(level, 2).position.y, 3.0f);
  EXPECT_EQ(component_of<engine::Transform>(level, 5).position.y, 1.0f);
  const auto body = component_of<demo::RenderData>(level, 1, "Body");
  EXPECT_EQ(body.tint, 255u);
  EXPECT_EQ(core::load<std::uint32_t>(&body.mesh), core::StringId32("lamp").value);
  EXPECT_EQ(component_of<demo::RenderData>(level, 6, "Fog").density, 0.5f);
  EXPECT_EQ(level.prototype_of[4], level.prototype_of[6]);
  EXPECT_EQ(level.names[3], (EntityName{core::StringId32("late"), 0}));
  EXPECT_EQ(level.names[6], (EntityName{core::StringId32("row"), 2})) << "row.1";
  EXPECT_EQ(std::vector(level.attached.begin(), level.attached.end()), std::vector{3u});
  EXPECT_EQ(resource->name_of(core::StringId32("Fog")), "Fog");
  EXPECT_EQ(resource->name_of(core::StringId32("nobody")), "");
  EXPECT_EQ(resource->prefab_names(), std::vector{core::StringId32("lamp")});
  ASSERT_NE(resource->find_prefab(core::StringId32("lamp")), nullptr);
  EXPECT_EQ(resource->find_prefab(core::StringId32("lamp"))->num_entities, 2u);
  EXPECT_EQ(resource->find_prefab(core::StringId32("big_lamp")), nullptr);
}

TEST(Compiler, ReferencesAndParentsLeadToEntities) {
  const auto resource = test::load_text(small_level);
  const Column& targets = test::column_of(resource->level(), "Target", "Target");
  ASSERT_EQ(targets.references.size(), 4u);
  EXPECT_EQ(targets.references[0].target, 2u) << "lamp/flame from the hall";
  EXPECT_EQ(targets.references[1].target, 1u) << ".. from the flame";
  EXPECT_EQ(targets.references[3].target, 6u);
  const Column& parents = test::column_of(resource->level(), "Parent", "Parent");
  ASSERT_EQ(parents.references.size(), 5u);
  EXPECT_EQ(parents.references[1].target, 1u);
}

TEST(Compiler, SameInputMakesTheSameBytes) {
  const Compiled once = test::compile_text(small_level);
  EXPECT_EQ(once.bytes, test::compile_text(small_level).bytes);
  EXPECT_EQ(once.num_entities, 8u);
  EXPECT_EQ(once.num_prefabs, 1u);
}

// Reverses the members of all objects but those whose order is the order of entities.
void reverse_members(JsonValue& value, bool entities) {
  if (!entities) std::ranges::reverse(value.members);
  for (JsonMember& member : value.members)
    reverse_members(member.value, member.name == "entities" || member.name == "children");
  for (JsonValue& item : value.items) reverse_members(item, false);
}

TEST(Compiler, OnlyTheOrderOfEntitiesMatters) {
  Diagnostics diagnostics;
  std::optional<JsonValue> level = parse_json(diagnostics.add_file("level.json", small_level), diagnostics);
  ASSERT_TRUE(level.has_value());
  const core::Bytes expected = test::compile_text(small_level).bytes;
  const auto compile_json = [](const JsonValue& json) {
    JsonWriter writer;
    writer.value(json);
    return test::compile_text(writer.take()).bytes;
  };
  reverse_members(*level, false);
  EXPECT_EQ(compile_json(*level), expected);
  EXPECT_NE(test::compile_text(R"({"entities": {"a": {"components": {"Name": {}}}, "b": {}}})").bytes,
            test::compile_text(R"({"entities": {"b": {}, "a": {"components": {"Name": {}}}}})").bytes)
      << "indices follow the file's order";
}

constexpr std::uint64_t golden_level = 12026020005019079707ull;

// Guards the bytes of a level against accidental changes: files are identified by their hash. The schema is fixed text.
TEST(Compiler, GoldenLevel) {
  const auto schema =
      test::load_schema("struct Spot (component) { at:mobula.engine.Vec3; next:mobula.engine.EntityRef; }");
  const Compiled compiled = test::compile_text(
      R"({"entities":{"a":{"components":{"Spot":{"at":[1,2,3],"next":"b"}},
          "children":{"b":{"components":{"Spot":{"at":{"y":0.1}}}}}}}})",
      *schema);
  const auto resource = test::load_compiled(compiled);
  const core::ByteView embedded = resource->schema().bytes();
  EXPECT_TRUE(std::equal(embedded.begin(), embedded.end(), schema->bytes().begin(), schema->bytes().end()));
  const std::vector<float> numbers{1, 2, 3, 0, 0, 0, 0.1f, 0, 0, 0};
  const core::ByteView expected = core::as_bytes(numbers.data(), numbers.size());
  const core::ByteView spots = test::column_of(resource->level(), "Spot", "Spot").data;
  EXPECT_TRUE(std::equal(spots.begin(), spots.end(), expected.begin(), expected.end()));
  // The schema includes engine.fbs: a change of it or of flatc changes this hash.
  EXPECT_EQ(core::hash64(compiled.bytes), golden_level) << "of " << compiled.bytes.size() << " bytes";
}

TEST(Compiler, IncludesAreReadOnceAndAreDependencies) {
  const Compiled compiled = test::compile_files({
      {"level.json", R"({"include":["lib/a.json","lib/b.json"],"entities":{"e":{"prefab":"p"}}})"},
      {"lib/a.json", R"({"include":["b.json"]})"},
      {"lib/b.json", R"({"prefabs":{"p":{"components":{"Health":{}}}}})"},
  });
  EXPECT_EQ(errors_of(compiled), "");
  EXPECT_EQ(compiled.dependencies, (std::vector<std::string>{"level.json", "lib/a.json", "lib/b.json"}));
}

TEST(Compiler, RefusesCyclicAndMissingIncludes) {
  EXPECT_EQ(errors_of(test::compile_files(
                {{"level.json", R"({"include":["a.json"]})"}, {"a.json", R"({"include":["level.json"]})"}})),
            "a.json:1:13: includes form a cycle: level.json -> a.json -> level.json\n");
  EXPECT_EQ(errors_of(test::compile_files({{"level.json", R"({"include":["b.json"]})"}})),
            "level.json:1:13: b.json cannot be included: no such file\n");
  EXPECT_EQ(errors_of(test::compile_files({})), "level.json: cannot be read: no such file\n");
  EXPECT_EQ(errors_of(test::compile_files({{"level.json", R"({"include":["a.json"],"prefabs":{"p":{}}})"},
                                           {"a.json", R"({"prefabs":{"p":{}}})"}})),
            "level.json:1:34: prefab 'p' is defined twice (first at a.json:1:13); names must be unique\n");
}

struct BadLevel {
  const char* text;
  const char* errors;
};

constexpr BadLevel bad_levels[] = {
    {R"({"entitys":{}})",
     "level.json:1:2: 'entitys' is not known here (did you mean 'entities'?); expected one of include, prefabs, "
     "entities, placements, columns, statics, names\n"},
    {R"([])", "level.json:1:1: 'a level' is an array; expected an object\n"},
    {R"({"entities":{"a":{"components":{"Helth":{}}}}})",
     "level.json:1:33: 'Helth' is not a component (did you mean 'Health'?); expected one of the schema's, or a name "
     "with "
     "\"$type\"\n"},
    {R"({"entities":{"a":{"components":{"Fog":{"$type":"RenderDat"}}}}})",
     "level.json:1:48: 'RenderDat' is not a component (did you mean 'RenderData'?); expected one of the schema's, or "
     "a "
     "name with \"$type\"\n"},
    {R"({"entities":{"a":{"components":{"Health":{"curent":1}}}}})",
     "level.json:1:43: 'curent' is not a field of Health (did you mean 'current'?); expected one of current, "
     "maximum\n"},
    {R"({"entities":{"a":{"components":{"Health":{"current":"x"}}}}})",
     "level.json:1:53: 'current' is text; expected a whole number\n"},
    {R"({"entities":{"a":{"components":{"Health":7}}}})",
     "level.json:1:42: 'Health' is a number; expected an object\n"},
    {R"({"entities":{"a":{"components":{"Fog":{"$type":"RenderData"},"Fog":{"$type":"RenderData"}}}}})",
     "level.json:1:62: 'Fog' is defined twice (first at level.json:1:33); names must be unique\n"},
    {R"({"entities":{"a":{"components":{"Transform":{"$type":"RenderData"}}}}})",
     "level.json:1:33: 'Transform' is a component itself; expected another name for a RenderData\n"},
    {R"({"entities":{"a":{"components":{"Parent":{}}}}})",
     "level.json:1:33: 'Parent' follows from where an entity stands; expected it among the parent's \"children\", or "
     "\"parent\" with a path\n"},
    {R"({"entities":{"a":{},"a":{}}})",
     "level.json:1:21: 'a' is defined twice (first at level.json:1:14); names must be unique\n"},
    {R"({"entities":{"a/b":{}}})",
     "level.json:1:14: 'a/b' cannot be a name; expected 1 to 255 bytes without '/', not '.' or '..'\n"},
    {R"({"entities":{"a":{"prefab":"pine"}},"prefabs":{"pin":{}}})",
     "level.json:1:28: there is no prefab 'pine' (did you mean 'pin'?)\n"},
    {R"({"prefabs":{"a":{"prefab":"b"},"b":{"children":{"c":{"prefab":"a"}}}}})",
     "level.json:1:63: prefabs form a cycle: a -> b -> a\n"},
    {R"({"prefabs":{"a":{"components":{"Health":{"maximum":70000}}}}})",
     "level.json:1:52: 'maximum' is out of range: 70000; expected 0 to 65535\n"},
    {R"({"prefabs":{"a":{"components":{"F":{"$type":"RenderData"}}},"b":{"prefab":"a","components":{"F":{"$type":"Health"}}}}})",
     "level.json:1:106: 'F' is a RenderData in the prefab; expected that type or none\n"},
    {R"({"prefabs":{"a":{"children":{"x":{}}},"b":{"prefab":"a","children":{"x":{"prefab":"a"}}}}})",
     "level.json:1:83: child 'x' comes from a prefab; expected no other prefab for it\n"},
    {R"({"entities":{"gate":{},"a":{"components":{"Target":{"entity":"/gat"}}}}})",
     "level.json:1:62: '/gat' leads nowhere: there is no 'gat' in / (did you mean 'gate'?)\n"},
    {R"({"entities":{"a":{"components":{"Target":{"entity":"../.."}}}}})",
     "level.json:1:52: '../..' leads out of the level\n"},
    {R"({"entities":{"a":{"components":{"Target":{"entity":".."}}}}})", "level.json:1:52: '..' leads to no entity\n"},
    {R"({"entities":{"a":{"components":{"Target":{"entity":7}}}}})",
     "level.json:1:52: 'an entity's path' is a number; expected text\n"},
    {R"({"prefabs":{"a":{"spawnable":true,"components":{"Target":{"entity":"/b"}}}},"entities":{"b":{}}})",
     "level.json:1:68: '/b' leads out of a spawnable prefab; expected a path within it\n"},
    {R"({"prefabs":{"a":{"spawnable":1}}})", "level.json:1:30: 'spawnable' is a number; expected true or false\n"},
    {R"({"entities":{"a":{"parent":"/b"},"b":{"parent":"/a"}}})",
     "level.json:1:28: parents form a cycle: /a is its own ancestor\n"
     "level.json:1:48: parents form a cycle: /b is its own ancestor\n"},
    {R"({"entities":{"a":{"parent":"/c"}}})", "level.json:1:28: '/c' leads nowhere: there is no 'c' in /\n"},
    {R"({"entities":{"a":{"parent":"."}}})", "level.json:1:28: parents form a cycle: /a is its own ancestor\n"},
    {R"({"placements":[{"prefab":"p","at":[]}]})",
     "level.json:1:16: a placement without name or prefab; expected both\n"},
    {R"({"entities":{"a":{"components":{"Parent":{"$type":"Health"}}}}})",
     "level.json:1:33: 'Parent' is a component itself; expected another name for a Health\n"},
    {R"({"entities":{"a":{"components":{"F\u001b":{"$type":"Health"}}}}})",
     "level.json:1:33: a name has control characters in it; expected plain text\n"},
    // Two names with the same 32-bit FNV-1a hash.
    {R"({"entities":{"a":{"components":{"costarring":{"$type":"Health"},"liquid":{"$type":"Health"}}}}})",
     "level.json:1:65: 'liquid' and 'costarring' have the same hash; expected another name for one of them\n"},
};

TEST(Compiler, ReportsEveryMistakeWithItsPlaceAndRemedy) {
  for (const BadLevel& bad : bad_levels) {
    SCOPED_TRACE(bad.text);
    const Compiled compiled = test::compile_text(bad.text);
    EXPECT_EQ(errors_of(compiled), bad.errors);
    EXPECT_TRUE(compiled.bytes.empty());
  }
}

TEST(Compiler, ReportsAllMistakesOfAFileOnce) {
  EXPECT_EQ(errors_of(R"({"prefabs":{"p":{"components":{"Health":{"x":1}}}},
"placements":[{"name":"n","prefab":"p","grid":{"origin":[0,0,0],"count":[9,9,9],"step":[1,1,1]}}],
"entities":{"e":{"components":{"Team":{"color":"rd"}}}}})"),
            "level.json:1:42: 'x' is not a field of Health; expected one of current, maximum\n"
            "level.json:3:48: 'color' has no value 'rd'; expected neutral, red, blue, green\n");
}

TEST(Compiler, DepthAndNumbersAreBounded) {
  std::string prefabs = R"("p0":{"children":{"c":{}}})";
  for (int i = 1; i < 40; ++i)
    prefabs += ",\"p" + std::to_string(i) + "\":{\"children\":{\"c\":{\"prefab\":\"p" + std::to_string(i - 1) + "\"}}}";
  EXPECT_NE(errors_of("{\"prefabs\":{" + prefabs + "}}").find("nested too deep; at most 32 levels"), std::string::npos);

  std::string doubling = R"("p0":{})";
  for (int i = 1; i < 30; ++i) {
    const std::string base = "{\"prefab\":\"p" + std::to_string(i - 1) + "\"}";
    std::string ten;
    for (int j = 0; j < 10; ++j) ten += (j == 0 ? "\"" : ",\"") + std::to_string(j) + "\":" + base;
    doubling += ",\"p" + std::to_string(i) + "\":{\"children\":{" + ten + "}}";
    if (i == 7) break;
  }
  EXPECT_NE(errors_of("{\"prefabs\":{" + doubling + "}}").find("too many entities"), std::string::npos);
}

TEST(Compiler, APrefabBombIsReportedOnceAndBuildsNothing) {
  for (const bool inherits : {false, true}) {
    SCOPED_TRACE(inherits);
    std::string prefabs = R"("none":{},"p0":{})";
    for (int i = 1; i < 40; ++i) {
      const std::string below = "{\"prefab\":\"p" + std::to_string(i - 1) + "\"}";
      prefabs += ",\n\"p" + std::to_string(i) + "\":{" + (inherits ? "\"prefab\":\"none\"," : "") +
                 "\"children\":{\"a\":" + below + ",\"b\":" + below + "}}";
    }
    // If anything were built, the mistake in a component would be reported.
    prefabs += R"(,"q":{"components":{"Helth":{}}})";
    EXPECT_EQ(errors_of("{\"prefabs\":{" + prefabs + "}}"),
              "level.json:21:1: too many entities in prefabs: more than 2097152\n");
  }
}

TEST(Compiler, AFullLevelIsReportedOnce) {
  std::string children;
  for (int i = 0; i < 3000; ++i) children += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":{}";
  const auto row = [](const std::string& name) {
    return R"({"name":")" + name + R"(","prefab":"p","grid":{"origin":[0,0,0],"count":[20,1,20],"step":[1,1,1]}})";
  };
  EXPECT_EQ(errors_of("{\"prefabs\":{\"p\":{\"children\":{" + children + "}}},\n\"placements\":[" + row("a") + "," +
                      row("b") + "]}"),
            "level.json:2:15: too many entities; at most 1048576\n");
}

TEST(Compiler, InstancesOfWrongPrefabsCountTowardsTheLimit) {
  std::string children;
  for (int i = 0; i < 3000; ++i) children += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":{}";
  const auto row = [](const std::string& prefab, int count) {
    return R"({"name":"row","prefab":")" + prefab + R"(","grid":{"origin":[0,0,0],"step":[1,1,1],"count":[)" +
           std::to_string(count) + ",1,1]}}";
  };
  EXPECT_EQ(errors_of("{\"prefabs\":{\"p\":{\"children\":{" + children + "}}},\n\"placements\":[\n" +
                      row("none", 2000) + ",\n" + row("p", 349) + "]}"),
            "level.json:3:24: there is no prefab 'none'\n"
            "level.json:4:1: too many entities; at most 1048576\n");
}

TEST(Compiler, LimitsComponentsOfAnEntityToColumnsOfALevel) {
  std::string components;
  for (std::uint32_t i = 0; i < limits::columns + 10; ++i)
    components += (i == 0 ? "\"" : ",\n\"") + std::to_string(i) + R"(":{"$type":"Health"})";
  EXPECT_NE(errors_of("{\"entities\":{\"a\":{\"components\":{" + components + "}}}}")
                .find("level.json:4098:1: too many components; at most 4096\n"),
            std::string::npos);
}

// Tries both orders: parents first, and descendants first.
TEST(Compiler, ReportsDepthAndCyclesOfAttachedEntities) {
  for (const bool down : {true, false}) {
    SCOPED_TRACE(down);
    std::string line;
    for (int i = 0; i < 34; ++i) {
      const int at = down ? i : 33 - i;
      line += (line.empty() ? "\"e" : ",\n\"e") + std::to_string(at) + "\":{" +
              (at == 0 ? "" : "\"parent\":\"/e" + std::to_string(at - 1) + "\"") + "}";
    }
    EXPECT_EQ(errors_of("{\"entities\":{\n" + line + "}}"),
              down ? "level.json:34:1: nested too deep; at most 32 levels\n"
                     "level.json:35:1: nested too deep; at most 32 levels\n"
                   : "level.json:2:1: nested too deep; at most 32 levels\n"
                     "level.json:3:1: nested too deep; at most 32 levels\n");
    const std::string below = R"("below":{"parent":"/a"})";
    const std::string circle = "\"a\":{\n\"parent\":\"/b\"},\"b\":{\"parent\":\n\"/a\"}";
    EXPECT_EQ(errors_of("{\"entities\":{" + (down ? circle + "," + below : below + "," + circle) + "}}"),
              "level.json:2:10: parents form a cycle: /a is its own ancestor\n"
              "level.json:3:1: parents form a cycle: /b is its own ancestor\n")
        << "descendants of a cycle are in none";
  }
}

TEST(Compiler, CompilesAnEmptyLevel) {
  const auto resource = test::load_text("{}");
  EXPECT_EQ(resource->level().num_entities, 0u);
  EXPECT_TRUE(resource->level().columns.empty());
}

}  // namespace
}  // namespace mobula::resource
