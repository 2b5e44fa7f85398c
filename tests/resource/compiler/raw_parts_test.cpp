// Statics and columns in hex.
#include <gtest/gtest.h>

#include <resource/test_level.hpp>

namespace mobula::resource {
namespace {

TEST(RawParts, StaticsAreFoundByTheHashOfTheirContent) {
  const auto whole = test::load_text(
      R"({"statics":[{"type":"Line","data":"0102"},{"type":"Line","data":"0102"},{"type":"Mesh","data":"0102"},
                     {"type":"Line","data":"ff","server_only":true}]})");
  ASSERT_EQ(whole->statics().size(), 3u) << "the same thing is there once";
  const core::Bytes data{std::byte{1}, std::byte{2}};
  const Static* line = whole->find_static(static_id(core::StringId32("Line"), data));
  ASSERT_NE(line, nullptr);
  EXPECT_TRUE(std::ranges::equal(line->data, data));
  EXPECT_EQ(line->type, core::StringId32("Line"));
  EXPECT_EQ(whole->find_static(7), nullptr);
  EXPECT_EQ((*Resource::from_bytes(whole->clients_bytes()))->statics().size(), 2u);
}

TEST(RawParts, AColumnIsCopiedUnchanged) {
  const auto whole = test::load_text(R"({
    "prefabs": {"p": {"spawnable": true, "children": {"c": {}},
                      "columns": [{"type": "Route", "entities": [".", "c"], "data": "aabb"}]}},
    "entities": {"a": {}, "b": {}},
    "columns": [
      {"type": "Route", "name": "Way", "spawn_order": -2, "entities": ["/a", "/b"],
       "data": "000000000000000007", "references": [[0, "/b"]]},
      {"type": "Route", "entities": ["/b"], "data": "", "server_only": true}]})");
  ASSERT_EQ(whole->level().columns.size(), 2u);
  const Column& way = whole->level().columns[0];
  EXPECT_EQ(way.spawn_order, -2);
  EXPECT_EQ(way.key, (ComponentKey{core::StringId32("Route"), core::StringId32("Way")}));
  EXPECT_EQ(way.num_instances, 2u);
  EXPECT_EQ(way.data.size(), 9u);
  ASSERT_EQ(way.references.size(), 1u);
  EXPECT_EQ(way.references[0].target, 1u);
  EXPECT_EQ((*Resource::from_bytes(whole->clients_bytes()))->level().columns.size(), 1u);
  EXPECT_EQ(test::column_of(*whole->find_prefab(core::StringId32("p")), "Route", "Route").num_instances, 2u);
}

TEST(RawParts, NamesAreInThePartsThatMayHaveThem) {
  const auto whole = test::load_text(R"({"names":[{"text":"seen"},{"text":"hidden","server_only":true},
                                                  {"text":"both","server_only":true},{"text":"both"}]})");
  const auto copy = *Resource::from_bytes(whole->clients_bytes());
  for (const char* name : {"seen", "both"}) EXPECT_EQ(copy->name_of(core::StringId32(name)), name);
  EXPECT_EQ(copy->name_of(core::StringId32("hidden")), "");
  EXPECT_EQ(whole->name_of(core::StringId32("hidden")), "hidden");
}

TEST(RawParts, ErrorsAreReportedWithTheirPlace) {
  const struct {
    const char* text;
    const char* error;
  } table[] = {
      {R"({"statics":[{"type":"A","data":"0"}]})", "1:32: 'data' is not hex; expected pairs of hex digits"},
      {R"({"statics":[{"data":"00"}]})", "1:13: 'type' is missing"},
      {R"({"names":["a"]})", "1:11: 'a name' is text; expected an object"},
      {R"({"names":[{"text":7}]})", "1:19: 'text' is a number; expected text"},
      {R"({"names":[{"text":"a\u0007"}]})", "1:11: a name has control characters in it; expected plain text"},
      {R"({"statics":{}})", "1:12: 'statics' is an object; expected an array"},
      {R"({"statics":[{"type":"A","data":"00","for":"me"}]})",
       "1:37: 'for' is not known here; expected one of type, data, server_only"},
      {R"({"entities":{"a":{}},"columns":[{"type":"R","entities":["/b"],"data":""}]})",
       "1:57: '/b' leads nowhere: there is no 'b' in /"},
      {R"({"entities":{"a":{},"b":{}},"columns":[{"type":"R","entities":["/b","/a"],"data":""}]})",
       "1:69: entities are not in the order of the level, or one is listed twice"},
      {R"({"entities":{"a":{}},"columns":[{"type":"R","entities":["/a"],"data":"","references":[7]}]})",
       "1:87: expected [offset, \"/path\"]"},
      {R"({"entities":{"a":{}},"columns":[{"type":"R","entities":["/a"],"data":"","spawn_order":1.5}]})",
       "1:87: 'spawn_order' is 1.5; expected a whole number"},
      {R"({"entities":{"a":{}},"columns":[{"type":"R","entities":["/a"],"data":""},{"type":"R","entities":["/a"],"data":""}]})",
       "1:74: the column 'R' is defined twice"},
      // There is no entity to start at.
      {R"({"columns":[{"type":"R","entities":["1/a"],"data":""}]})", "1:37: '1/a' leads nowhere: there is no '1' in /"},
      {R"({"columns":[{"type":"R","entities":[],"data":"","references":[[0,".."]]}]})",
       "1:66: '..' leads out of the level"},
      // It would be indistinguishable from the column that the compiler makes.
      {R"({"entities":{"a":{}},"columns":[{"type":"Parent","entities":["/a"],"data":"0000000000000000"}]})",
       "1:33: the column 'Parent' follows from where entities stand; expected no such column"},
      {R"({"prefabs":{"p":{"columns":[]}}})",
       "1:28: only a spawnable prefab has columns; expected \"spawnable\": true"},
  };
  for (const auto& each : table) {
    SCOPED_TRACE(each.text);
    EXPECT_EQ(test::errors_of(each.text), std::string("level.json:") + each.error + "\n");
  }
}

TEST(RawParts, EmptyColumnsAndStaticsAreAccepted) {
  for (const char* more : {"", R"(,"c":{"components":{"Name":{}}})"}) {
    const auto whole = test::load_text(std::string(R"({"entities":{"a":{})") + more +
                                       R"(},"columns":[{"type":"Tag","entities":["/a"],"data":""}],
                                       "statics":[{"type":"Line","data":""}]})");
    EXPECT_EQ(test::column_of(whole->level(), "Tag", "Tag").num_instances, 1u);
    EXPECT_EQ(whole->statics().size(), 1u);
  }
}

TEST(RawParts, InvalidBytesMakeNoFile) {
  EXPECT_EQ(test::errors_of(R"({"entities":{"a":{}},"columns":[{"type":"Health","entities":["/a"],"data":"00"}]})"),
            "level.json: makes a file that is refused: a column of Health has 1 bytes for 1 instances of 4\n");
  EXPECT_EQ(test::errors_of(R"({"entities":{"a":{}},"columns":[{"type":"Team","entities":["/a"],"data":"09"}]})"),
            "level.json: makes a file that is refused: Team color of entity 0 is not a value of its kind\n");
}

}  // namespace
}  // namespace mobula::resource
