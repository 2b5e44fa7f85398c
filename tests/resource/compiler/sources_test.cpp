#include <gtest/gtest.h>

#include <mobula/schema/components.hpp>
#include <resource/test_level.hpp>

namespace mobula::resource {
namespace {

using test::errors_of;

TEST(Sources, IgnoreAByteOrderMark) {
  EXPECT_EQ(test::load_text("\xef\xbb\xbf{\"entities\":{\"a\":{}}}")->level().num_entities, 1u);
  EXPECT_EQ(errors_of("\xef\xbb\xbf{\"entitys\":{}}").substr(0, 15), "level.json:1:2:") << "columns do not count it";
}

TEST(Sources, RefuseOtherEncodingsThanUtf8) {
  const std::string expected = "the text is UTF-16 or UTF-32; expected UTF-8, so save the file as UTF-8\n";
  for (const std::string& text : {std::string("\xff\xfe{\0}\0", 6), std::string("\xfe\xff\0{\0}", 6),
                                  std::string("{\0}\0", 4), std::string("\0{\0}", 4)}) {
    EXPECT_EQ(errors_of(text), "level.json: cannot be read: " + expected);
    EXPECT_EQ(errors_of(test::compile_files({{"level.json", R"({"include":["a.json"]})"}, {"a.json", text}})),
              "level.json:1:13: a.json cannot be included: " + expected);
  }
}

TEST(Sources, CountColumnsInCharactersAndTabsAsOne) {
  EXPECT_EQ(errors_of("{\r\n\t\"entities\":{\"\xc3\xa9\":{\"perfab\":1}}}").substr(0, 18), "level.json:2:19: '");
}

// A file is known by its path. A second name of it, such as a symbolic link, is another file.
TEST(Sources, TheSameFileUnderTwoNamesDefinesItsPrefabsTwice) {
  const std::string prefabs = R"({"prefabs":{"p":{}}})";
  EXPECT_EQ(
      errors_of(test::compile_files(
          {{"level.json", R"({"include":["a.json","./a.json","b.json"]})"}, {"a.json", prefabs}, {"b.json", prefabs}})),
      "b.json:1:13: prefab 'p' is defined twice (first at a.json:1:13); names must be unique\n");
}

}  // namespace
}  // namespace mobula::resource
