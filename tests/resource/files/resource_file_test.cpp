#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <mobula/process/complete_files.hpp>
#include <mobula/resource/files/resource_file.hpp>
#include <reflect/compile_schema.hpp>
#include <resource/test_level.hpp>

namespace mobula::resource {
namespace {

core::Bytes level_blob() {
  const auto schema = test::load_schema("struct Spot (component) { at:int; }");
  return test::compile_text(R"({"entities":{"a":{"components":{"Spot":{"at":1}}}}})", *schema).bytes;
}

TEST(ResourceFile, IsReadAndMappedOrMissing) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("resource_file_test." + std::to_string(::getpid()))).string();
  const core::Bytes blob = level_blob();
  ASSERT_TRUE(process::write_files({{path, blob}}).ok());
  const auto loaded = load_file(path);
  ASSERT_TRUE(loaded.ok());
  EXPECT_TRUE(std::ranges::equal((*loaded)->bytes(), blob));
  const auto mapped = map_file(path);
  ASSERT_TRUE(mapped.ok());
  EXPECT_TRUE(std::ranges::equal((*mapped)->bytes(), blob));
  EXPECT_EQ((*mapped)->level().num_entities, 1u);
  std::filesystem::remove(path);
  for (const std::string& bad : {std::string("/"), path}) {
    EXPECT_STREQ(load_file(bad).error().reason, "missing");
    EXPECT_STREQ(map_file(bad).error().reason, "missing");
  }
  ASSERT_TRUE(process::write_files({{path, {}}}).ok());
  EXPECT_STREQ(load_file(path).error().reason, "truncated");
  EXPECT_EQ(map_file(path).error().message.find(path), 0u) << "the file is named";
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace mobula::resource
