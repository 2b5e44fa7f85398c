#include <gtest/gtest.h>

#include <mobula/resource/compiler/json.hpp>
#include <mobula/resource/limits.hpp>

namespace mobula::resource {
namespace {

std::string first_error(std::string text) {
  Diagnostics diagnostics;
  const std::uint32_t file = diagnostics.add_file("f", std::move(text));
  const auto parsed = parse_json(file, diagnostics);
  if (diagnostics.errors().empty()) return parsed ? "" : "no value and no error";
  return to_string(diagnostics.errors().front());
}

TEST(Json, EveryValueAndNameHasItsPlace) {
  Diagnostics diagnostics;
  const std::string text = "{ \"a\\n\" : [ 1.50 , \"x\" ,true],\n \"b\":{\"c\": null } }";
  const auto root = parse_json(diagnostics.add_file("f", text), diagnostics);
  ASSERT_TRUE(root.has_value());
  EXPECT_EQ(root->place.offset, 0u);
  ASSERT_EQ(root->members.size(), 2u);
  EXPECT_EQ(root->members[0].name, "a\n");
  EXPECT_EQ(root->members[0].place.offset, text.find("\"a"));
  const JsonValue& array = root->members[0].value;
  EXPECT_EQ(array.place.offset, text.find('['));
  ASSERT_EQ(array.items.size(), 3u);
  EXPECT_EQ(array.items[0].text, "1.50");
  EXPECT_EQ(array.items[0].place.offset, text.find("1.50"));
  EXPECT_EQ(array.items[1].place.offset, text.find("\"x"));
  EXPECT_EQ(array.items[2].place.offset, text.find("true"));
  EXPECT_TRUE(array.items[2].boolean);
  const JsonValue* inner = root->find("b");
  ASSERT_NE(inner, nullptr);
  EXPECT_EQ(inner->place.offset, text.find("{\"c"));
  ASSERT_NE(inner->find("c"), nullptr);
  EXPECT_EQ(inner->find("c")->kind, JsonValue::Kind::null);
  EXPECT_EQ(root->find("z"), nullptr);
}

TEST(Json, CommentsAndTrailingCommasAreSkipped) {
  Diagnostics diagnostics;
  const std::string text =
      "// \"a\"\n{ /* one */ \"a\" /**/ : // two\n [1, /* [ */ 2,], \"b\":{\"c\":{\"d\":3,},}, } /* end */ // end";
  const auto root = parse_json(diagnostics.add_file("f", text), diagnostics);
  ASSERT_TRUE(root.has_value());
  EXPECT_FALSE(diagnostics.failed());
  ASSERT_EQ(root->members.size(), 2u);
  EXPECT_EQ(root->place.offset, text.find('{'));
  EXPECT_EQ(root->members[0].place.offset, text.find("\"a\" /**/"));
  const JsonValue& array = root->members[0].value;
  ASSERT_EQ(array.items.size(), 2u);
  EXPECT_EQ(array.place.offset, text.find("[1"));
  EXPECT_EQ(array.items[1].place.offset, text.find("2,]"));
  EXPECT_EQ(root->members[1].place.offset, text.find("\"b\"")) << "behind a trailing comma";
  EXPECT_EQ(root->members[1].value.find("c")->find("d")->text, "3");
}

TEST(Json, ZeroBytesAndDuplicatesAreReportedWithTheirPlaces) {
  EXPECT_EQ(first_error(std::string("[1]\0[", 5)), "f:1:4: a zero byte; expected JSON text");
  EXPECT_EQ(first_error("{\"a\":1,\n\"a\":2}"), "f:2:1: 'a' is defined twice (first at f:1:2); names must be unique");
}

TEST(Json, DepthIsBounded) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(first_error(nested(limits::json_depth)), "");
  EXPECT_EQ(first_error(nested(limits::json_depth + 1)), "f:1:101: nested too deep; at most 100 levels");
  EXPECT_EQ(first_error(std::string(1'000'000, '[')), "f:1:101: nested too deep; at most 100 levels");
}

TEST(Json, NumbersAreFiniteAndCountsAreWhole) {
  Diagnostics diagnostics;
  const auto array = parse_json(diagnostics.add_file("f", "[-2.5, 7.0, 7.5, 1e3, \"7\"]"), diagnostics);
  ASSERT_TRUE(array.has_value());
  EXPECT_EQ(read_number(array->items[0], diagnostics), -2.5);
  EXPECT_EQ(read_count(array->items[1], 1, 10, diagnostics), 7u);
  EXPECT_FALSE(read_count(array->items[2], 1, 10, diagnostics));
  EXPECT_FALSE(read_count(array->items[3], 1, 10, diagnostics));
  EXPECT_FALSE(read_number(array->items[4], diagnostics));
  EXPECT_EQ(diagnostics.errors().size(), 3u);
}

TEST(Json, ANumberTooSmallForADoubleIsZeroAndOneTooLargeIsRefused) {
  Diagnostics diagnostics;
  auto number = parse_json(diagnostics.add_file("f", "-1e-400"), diagnostics);
  ASSERT_TRUE(number.has_value());
  EXPECT_EQ(read_number(*number, diagnostics), 0.0);
  number->text = "1e400";
  EXPECT_FALSE(read_number(*number, diagnostics));
  ASSERT_EQ(diagnostics.errors().size(), 1u);
  EXPECT_EQ(to_string(diagnostics.errors().front()), "f:1:1: 1e400 is out of range; expected a finite number");
}

TEST(Json, ANumberMadeByTheCompilerReadsBackAsItself) {
  Diagnostics diagnostics;
  for (const double number : {0.1, -1e-300, 123456789.123456789, 3.0})
    EXPECT_EQ(read_number(json_number(number, {}), diagnostics), number);
}

}  // namespace
}  // namespace mobula::resource
