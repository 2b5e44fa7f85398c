// Seeds of the fuzz targets for levels, schemas, resources and settings.
#include <cstdio>
#include <fuzz/seeds.hpp>
#include <mobula/resource/compiler/compiler.hpp>
#include <reflect/compile_schema.hpp>
#include <resource/sealed_file.hpp>
#include <string>
#include <wire/codec_world.hpp>

namespace mobula::fuzz {
namespace {

// Transform and Parent come with engine.fbs.
constexpr const char* small_schema = R"(
  enum Color:ubyte { none = 0, red, blue }
  struct Bag (component) {
    count:ubyte;
    colors:[Color:3] (count:"count");
    text:[ubyte:5] (fixed_string, default:"ab");
    mesh:uint (string_id);
    secret:short (not_sent, range:"-3 3");
    target:mobula.engine.EntityRef;
  })";

constexpr const char* small_level = R"({
"include": ["a.json"],
"entities": {
 "hall": {"components": {"Target": {"entity": "lamp/flame"}}, "children": {"lamp": {"prefab": "lamp"}}},
 "late": {"parent": "/hall/lamp", "components": {"Name": {"text": "Late"}, "Inventory": {"items": [1, 2]}}}},
"placements": [
 {"name": "row", "prefab": "lamp", "at": [[1, 0, 0], [2, 0, 0, 90]]},
 {"name": "grid", "prefab": "lamp", "grid": {"origin": [0, 0, 5], "count": [2, 1, 2], "step": [6, 0, 4]}},
 {"name": "woods", "prefab": "lamp", "scatter": {"count": 3, "seed": 7, "area": [-9, -9, 9, 9]}}]})";

constexpr const char* small_include = R"({"prefabs": {
 "base": {"components": {"Transform": {"position": {"y": 1.5}, "rotation": {"yaw": 90}}}},
 "lamp": {"prefab": "base", "spawnable": true,
  "components": {"Body": {"$type": "RenderData", "mesh": "lamp", "tint": 255}, "Team": {"color": "red"}},
  "children": {"flame": {"components": {"Transform": {"position": [0, 1, 0]}, "Target": {"entity": ".."}}}}}}})";

void levels() {
  const std::string together = std::string(small_level) + '\0' + small_include;
  write_seed("level_json", "small", together);
  write_seed("level_json", "prefabs_alone", std::string(small_include));
  write_seed("level_json", "raw_parts", std::string(R"({"entities": {"a": {}, "b": {"parent": "a"}},
 "statics": [{"type": "Line", "data": "0001"}],
 "columns": [{"type": "Route", "entities": ["/b"], "data": "00000000000000000000", "references": [[2, "/a"]]}]})"));
  write_seed("level_json", "raw_parts_bad",
             std::string(R"({"entities": {"a": {}}, "statics": [{"type": "L", "data": "0"}],
 "columns": [{"type": "R", "entities": ["/c", "/a", "/a"], "data": "zz", "references": [[9, "/x"]]}]})"));
  write_seed("level_json", "comments", std::string(R"(// c
{"prefabs": {"a": {"components": {"Team": {}, "Health": {"current": 1e2}}}, /* d */},
 "entities": {"b": {"prefab": "a", "components": {"Team": null, "Transform": {"rotation": [0, 0.71, 0, 0.71,]}}}},})"));
  write_seed("level_json", "typo", std::string(R"({"entities": {"a": {"components": {"Helth": {"current": -1}}}}})"));
}

void settings() {
  write_seed("settings", "numbers", std::string("port = 9_000 # x\nquiet = true\r\nshare = -0.25e+1_0\nz = -0\n"));
  write_seed("settings", "texts", std::string("level = \"a\\\"\\\\\\t\\u00e4\\U0001F600\"\npath = 'C:\\x'\n"));
  write_seed("settings", "lists", std::string("address = [ # two\n  \"a:1\",\n  'b:2' ,# and\n ]\nnone = []\n1-_ = 5"));
  write_seed("settings", "mistakes",
             std::string("\xef\xbb\xbf"
                         "a = \nb = maybe\nc = \"open\nd = 1\nd = 2\ne = [ \"x\",\n f = 3\n]\ng = 'a' b\nh = ]\n"));
  write_seed("settings", "beyond_ascii",
             std::string("price = \"\\u20ac\"\nfar = 1e300\nmany = 99999999999999999999\n"));
  write_seed("settings", "flag_number", std::string("12.5"));
  write_seed("settings", "flag_list", std::string("a:1,b,"));
}

// Returns the input of fuzz_resource.cpp for a file.
core::Bytes fuzz_input(core::ByteView file) {
  const test::Payloads payloads = test::payloads_of(file);
  core::Bytes input(4);
  core::store(input.data(), static_cast<std::uint32_t>(payloads.clients.size()));
  for (const core::Bytes& part : {payloads.clients, payloads.server})
    input.insert(input.end(), part.begin(), part.end());
  return input;
}

void schemas_and_resources() {
  const core::Bytes schema = test::compile_schema(small_schema);
  write_seed("schema", "small", schema);
  write_seed("schema", "units", test::compile_schema(wire::test::units_schema));
  write_seed("schema", "piloted", test::compile_schema(wire::test::piloted_schema));
  write_seed("schema", "one", test::compile_schema("struct One (component) { on:bool; }"));

  constexpr const char* level = R"({
    "prefabs": {"box": {"spawnable": true, "components": {"Transform": {}, "Big": {"$type": "Bag", "mesh": "box"}},
      "children": {"lid": {"components": {"Bag": {"target": "..", "colors": ["red", "blue"]}}}}}},
    "entities": {"a": {"prefab": "box", "components": {"Bag": {"target": "/b"}}}, "b": {"parent": "/a/lid"},
      "c": {"server_only": true, "components": {"Bag": {"secret": 2}}}},
    "statics": [{"type": "Line", "data": "0001"}],
    "columns": [{"type": "Route", "entities": ["/b"], "data": "00000000000000000000", "references": [[2, "/a"]]}]})";
  resource::CompileOptions options;
  options.read = [&](const std::string&) { return core::Result<std::string>(level); };
  const resource::Compiled compiled = resource::compile("level.json", *test::load_schema(small_schema), options);
  for (const resource::CompileError& error : compiled.errors) std::fprintf(stderr, "%s\n", to_string(error).c_str());
  write_seed("resource", "small", fuzz_input(compiled.bytes));
  options.read = [&](const std::string&) { return core::Result<std::string>(R"({"entities": {"a": {}}})"); };
  const resource::Compiled tiny =
      resource::compile("level.json", *test::load_schema("struct One (component) { on:bool; }"), options);
  write_seed("resource", "tiny", fuzz_input(tiny.bytes));
}

}  // namespace

void write_level_seeds() {
  schemas_and_resources();
  levels();
  settings();
}

}  // namespace mobula::fuzz
