#include <gtest/gtest.h>

#include <mobula/resource/compiler/json_writer.hpp>

namespace mobula::resource {
namespace {

TEST(JsonWriter, ShortValuesAreOnOneLine) {
  JsonWriter out;
  out.open_object();
  out.key("short").open_list();
  out.number(7);
  out.boolean(true);
  out.literal("null");
  out.close();
  out.key("long").open_object();
  for (const char* name : {"first", "second", "third"}) out.key(name).text(std::string(40, 'x'));
  out.close();
  out.key("empty").open_object();
  out.close();
  out.close();
  const std::string x(40, 'x');
  EXPECT_EQ(out.take(), "{\n  \"short\": [7, true, null],\n  \"long\": {\n    \"first\": \"" + x +
                            "\",\n    \"second\": \"" + x + "\",\n    \"third\": \"" + x +
                            "\"\n  },\n  \"empty\": {}\n}\n");
}

TEST(JsonWriter, WritesValues) {
  using reflect::JsonValue;
  JsonValue list;
  list.kind = JsonValue::Kind::array;
  list.items.push_back(reflect::json_number(0.5, {}));
  JsonValue object;
  object.kind = JsonValue::Kind::object;
  object.members.push_back({"a", {}, list});
  object.members.push_back({"b", {}, {}});
  JsonWriter out;
  out.value(object);
  EXPECT_EQ(out.take(), "{\"a\": [0.5], \"b\": null}\n");
}

}  // namespace
}  // namespace mobula::resource
