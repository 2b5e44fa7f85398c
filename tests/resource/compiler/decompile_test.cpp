// JSON of a compiled file compiles to the same file, for levels by hand and random ones.
#include <gtest/gtest.h>

#include <kitchen/components.hpp>
#include <mobula/resource/compiler/decompile.hpp>
#include <mobula/schema/components.hpp>
#include <reflect/compile_schema.hpp>
#include <resource/random_level.hpp>
#include <resource/sealed_file.hpp>
#include <resource/test_level.hpp>
#include <seeds.hpp>

namespace mobula::resource {
namespace {

std::string decompiled(const Resource& file, const CompilerTable& compilers = {}) {
  const core::Result<std::string> json = decompile(file, compilers);
  EXPECT_TRUE(json.ok()) << json.error().message;
  return json ? *json : "";
}

// Compiles, decompiles and compiles again. Returns the JSON in between.
std::string round_trip(const std::string& text, const reflect::Schema& schema = test::demo_schema(),
                       const CompilerTable& compilers = {}) {
  const auto file = test::load_compiled(test::compile_files({{"level.json", text}}, schema, compilers));
  std::string json = decompiled(*file, compilers);
  const Compiled again = test::compile_files({{"level.json", json}}, schema, compilers);
  EXPECT_EQ(test::errors_of(again), "") << json;
  EXPECT_TRUE(std::ranges::equal(again.bytes, file->bytes())) << text << "\nbecame\n" << json;
  return json;
}

TEST(Decompile, AnEntityIsWrittenInFull) {
  EXPECT_EQ(round_trip(R"({
    "prefabs": {"lamp": {"components": {"Body": {"$type": "RenderData", "mesh": "lamp"}}}},
    "entities": {"hall": {"components": {"Target": {"entity": "lamp"}}, "children": {"lamp": {"prefab": "lamp"}}},
                 "late": {"parent": "/hall/lamp", "components": {"Transform": {"position": [1, 0.1, -0.0]}}}},
    "placements": [{"name": "row", "prefab": "lamp", "at": [[1, 0, 0]]}]})"),
            R"({
  "entities": {
    "hall": {
      "components": {"Target": {"entity": "/hall/lamp"}},
      "children": {
        "lamp": {
          "components": {
            "Body": {"$type": "RenderData", "mesh": "lamp", "tint": 16777215, "density": 1, "visible": true}
          }
        }
      }
    },
    "late": {"parent": "/hall/lamp", "components": {"Transform": {"position": [1, 0.1, -0], "rotation": [0, 0, 0, 1]}}},
    "row.0": {
      "components": {
        "Body": {"$type": "RenderData", "mesh": "lamp", "tint": 16777215, "density": 1, "visible": true},
        "Transform": {"position": [1, 0, 0], "rotation": [0, 0, 0, 1]}
      }
    }
  }
}
)");
}

TEST(Decompile, EveryKindOfFieldIsWrittenExactly) {
  const auto schema = *reflect::Schema::load(kitchen::schema_bytes());
  const std::string json = round_trip(
      R"({"entities":{"e":{"components":{"Plain":{"a_bool":true,"an_int8":-7,"a_uint64":18446744073709551614,
      "a_float":340282346638528859811704183484516925440,"a_double":1e-300,"a_quaternion":[0.6,0,0.8,0],
      "a_text":"\"\u001b\u009b\\","a_name":"rock","shorts":[1,-2,3],"entities":[null,"/e"]},
      "Ranged":{"wide":"one"},"Nested":{"several":[{"weight":1},[2,true,0.5]],"colors":["plus"]}}}}})",
      *schema);
  for (const char* part :
       {R"("a_float": 3.4028234663852886e+38)", R"("a_double": 1e-300)", R"("a_text": "\"\u001b\u009b\\")",
        R"("a_name": "rock")", R"("entities": [null, "/e"])", R"("an_entity": null)", R"("wide": "one")",
        R"("a_quaternion": [0.6, 0, 0.8, 0])",
        R"("several": [{"weight": 1, "flag": false, "angle": 0}, {"weight": 2, "flag": true)", R"("colors": ["plus"])"})
    EXPECT_NE(json.find(part), std::string::npos) << part << " in " << json;
  EXPECT_EQ(json.find("_count"), std::string::npos) << "counts follow from lists";
}

TEST(Decompile, ANameInTheSchemaOnlyStaysADefault) {
  const auto schema = *reflect::Schema::load(kitchen::schema_bytes());
  EXPECT_EQ(round_trip(R"({"entities":{"e":{"components":{"Plain":{}}}}})", *schema).find("a_name"), std::string::npos);
  // A name known only to the server must not become known to clients.
  const std::string json = round_trip(R"({"entities":{
      "e":{"components":{"Plain":{}}}, "f":{"components":{"Plain":{"a_name":"crate","$server_only":true}}}}})",
                                      *schema);
  EXPECT_EQ(json.find("\"a_name\": \"crate\""), json.rfind("\"a_name\": \"crate\""));
}

TEST(Decompile, HiddenDataStaysServerOnly) {
  const std::string json = round_trip(R"({
    "prefabs": {"trap": {"spawnable": true, "server_only": true, "components": {"Health": {}}}},
    "entities": {
      "open": {"components": {"Health": {}, "Team": {"$server_only": true, "color": "red"}, "Wander": {}}},
      "secret": {"server_only": true, "components": {"Health": {"current": 6}},
                 "children": {"door": {"components": {"Name": {"text": "hidden"}}}}},
      "deep": {"parent": "/secret/door", "components": {"Health": {}}},
      "half": {"children": {"in": {"server_only": true, "components": {"Loot": {"$type": "RenderData", "mesh": "gold"}}},
                            "out": {"components": {"Inventory": {"items": [1, 2]}}}}}}})");
  EXPECT_NE(json.find(R"("Team": {"$server_only": true, "color": "red"})"), std::string::npos) << json;
  std::size_t marks = 0;
  for (std::size_t at = json.find("\"server_only\""); at != std::string::npos;
       at = json.find("\"server_only\"", at + 1))
    ++marks;
  EXPECT_EQ(marks, 3u) << "the trap, the secret with its descendants, and the hidden one of the half:\n" << json;
}

TEST(Decompile, AnEmptyPrefabStaysHiddenOrVisible) {
  round_trip(R"({"prefabs":{"a":{"spawnable":true},"b":{"spawnable":true,"server_only":true},
                            "c":{"spawnable":true,"components":{"Health":{"$server_only":true}}}},
                 "entities":{"e":{"components":{"Body":{"$type":"RenderData","mesh":"b"}}}}})");
}

TEST(Decompile, PathsInAPrefabStayInIt) {
  const std::string json = round_trip(R"({"prefabs":{"p":{"spawnable":true,
    "components":{"Target":{"entity":"."}},
    "children":{"a":{"components":{"Target":{"entity":"../b/c"}}},
                "b":{"components":{"Target":{"entity":"c"}}, "children":{"c":{"components":{"Target":{"entity":"../.."}}}}}},
    "columns":[{"type":"Route","entities":[".","b/c"],"data":"0000000000000000","references":[[0,"a"]]}]}}})");
  for (const char* path : {"\"entity\": \".\"", "\"entity\": \"../b/c\"", "\"entity\": \"c\"", "\"entity\": \"../..\"",
                           "\"entities\": [\".\", \"b/c\"]", "[[0, \"a\"]]"})
    EXPECT_NE(json.find(path), std::string::npos) << path << " in " << json;
}

TEST(Decompile, DataOfRegisteredCompilersIsWrittenInHex) {
  const auto schema = test::load_schema("struct Owned (component) { what:uint (string_id); more:ubyte; }");
  const std::string level = R"({"entities":{
    "a":{"components":{"Route":{"to":"/b","via":"way"},"Owned":{"what":"thing"}}},
    "b":{"components":{"Route":{"to":"/a","via":"hidden","$server_only":true}}}}})";
  const std::string json = round_trip(level, *schema, test::random_level_compilers());
  EXPECT_NE(json.find(R"("type": "Route")"), json.rfind(R"("type": "Route")")) << "one of each part: " << json;
  for (const char* part : {R"({"text": "way!"})", R"({"text": "hidden!", "server_only": true})", R"({"text": "thing"})",
                           R"("type": "Spline", "data": "77617921")", R"("type": "Owned", "spawn_order": -1)"})
    EXPECT_NE(json.find(part), std::string::npos) << part << " in " << json;
}

TEST(Decompile, DataThatFieldsCannotExpressIsWrittenInHex) {
  const auto schema = test::load_schema(
      "struct Padded (component) { a:ubyte; b:uint; } struct Turned (component) { r:mobula.engine.Quat "
      "(unit_quaternion, default:\"0 0 0 1\"); } struct Listed (component) { n:ubyte; l:[ubyte:3] (count:\"n\"); }"
      "struct Named (component) { n:uint (string_id); }");
  const std::pair<const char*, const char*> columns[] = {
      {"Padded", "0100000002000000"},
      {"Padded", "01ff000002000000"},  // padding that fields do not express
      {"Turned", "0000000000000000000000000000803f"},
      {"Turned", "0000000000000000000000000040803f"},
      {"Listed", "01050000"},
      {"Listed", "01050006"},
      {"Named", "00000000"},
      {"Named", "01000000"}};
  bool fields = true;
  for (const auto& [type, data] : columns) {
    const std::string json = round_trip(std::string(R"({"entities":{"e":{}},"columns":[{"type":")") + type +
                                            R"(","entities":["/e"],"data":")" + data + "\"}]}",
                                        *schema);
    EXPECT_EQ(json.find("\"columns\"") == std::string::npos, fields) << json;
    fields = !fields;
  }
  // A name that is invalid among components.
  for (const char* name : {"a/b", "Named", ".."})
    round_trip(std::string(R"({"entities":{"e":{}},"columns":[{"type":"Listed","entities":["/e"],"data":"00000000",)") +
                   "\"name\":\"" + name + "\"}]}",
               *schema);
}

TEST(Decompile, RandomLevelsCompileToTheSameBytes) {
  const CompilerTable compilers = test::random_level_compilers();
  for (std::uint64_t seed = 1; seed <= test::few_or_all(15, 100) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    const auto schema = test::load_schema(test::random_level_schema(random));
    round_trip(test::random_level(*schema, random), *schema, compilers);
  }
}

TEST(Decompile, AClientsCopyIsIncomplete) {
  const auto file = test::load_text(R"({"entities":{"a":{}}})");
  const auto json = decompile(**Resource::from_bytes(file->clients_bytes()), {});
  ASSERT_FALSE(json.ok());
  EXPECT_STREQ(json.error().reason, "incomplete");
}

// A modified file gives JSON that is refused or makes other bytes, never a crash.
TEST(Decompile, AForeignFileIsRefusedOrHarmless) {
  const auto file = test::load_text(
      R"({"prefabs":{"p":{"spawnable":true,"children":{"c":{}}}},
          "entities":{"a":{"children":{"b":{}}},"c":{"parent":"/a/b"},"d":{}}})");
  test::Payloads same_name = test::payloads_of(file->bytes());
  auto* server = flatbuffers::GetMutableRoot<fbs::ResourceFile>(same_name.server.data());
  const fbs::EntityName twin(core::StringId32("a").value, 0);
  core::store(const_cast<fbs::EntityName*>(server->level()->entity_names()->Get(3)), twin);
  const auto twins = Resource::from_bytes(test::sealed(same_name));
  ASSERT_TRUE(twins.ok()) << twins.error().message;
  EXPECT_NE(test::errors_of(decompiled(**twins)).find("'a' is defined twice"), std::string::npos);

  test::Payloads two_roots = test::payloads_of(file->bytes());
  auto* clients = flatbuffers::GetMutableRoot<fbs::ResourceFile>(two_roots.clients.data());
  auto* parents =
      const_cast<flatbuffers::Vector<std::uint32_t>*>(clients->prefabs()->Get(0)->resource()->parent_index());
  parents->Mutate(1, no_parent);
  const auto rootless = Resource::from_bytes(test::sealed(two_roots));
  ASSERT_TRUE(rootless.ok()) << rootless.error().message;
  const auto json = decompile(**rootless, {});
  ASSERT_FALSE(json.ok());
  EXPECT_STREQ(json.error().reason, "invalid");
  EXPECT_EQ(json.error().message, "prefab 'p' has 2 roots");
}

// An accepted file can be inspected. Its JSON compiles or is refused.
TEST(Decompile, AChangedByteIsRefusedOrHarmless) {
  const auto schema = test::load_schema("struct C (component) { n:uint (string_id); e:mobula.engine.EntityRef; }");
  const auto file = test::load_text(
      R"({"prefabs":{"p":{"spawnable":true,"components":{"C":{"n":"x"}},"children":{"c":{"components":{"C":{"e":".."}}}}}},
          "entities":{"a":{"components":{"C":{"n":"y","$server_only":true}},"children":{"b":{}}},
                      "c":{"parent":"/a/b","components":{"C":{"e":"/a"}}},"d":{"server_only":true,"components":{"C":{}}}},
          "statics":[{"type":"S","data":"00"}],"columns":[{"type":"R","entities":["/d"],"data":"00"}]})",
      *schema);
  const test::Payloads good = test::payloads_of(file->bytes());
  const std::uint64_t changes = test::few_or_all(1000, 5000);
  std::size_t accepted = 0;
  core::Random random(3);
  for (std::uint64_t i = 0; i < changes; ++i) {
    test::Payloads changed = good;
    core::Bytes& part = random.chance(1, 2) ? changed.clients : changed.server;
    const std::size_t schema_bytes = &part == &changed.clients ? schema->bytes().size() : 0;  // at the end
    const std::uint32_t at = random.below(static_cast<std::uint32_t>(part.size() - schema_bytes));
    part[at] ^= static_cast<std::byte>(1u << random.below(8));
    const auto loaded = Resource::from_bytes(test::sealed(changed));
    if (!loaded) continue;
    ++accepted;
    const core::Result<std::string> json = decompile(**loaded, {});
    if (json) static_cast<void>(test::compile_text(*json, *schema));
  }
  EXPECT_GT(accepted, changes / 50);
}

}  // namespace
}  // namespace mobula::resource
