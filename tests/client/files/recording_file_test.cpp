#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <headless/temporary_folder.hpp>
#include <mobula/client/files/recording_file.hpp>

namespace mobula::client {
namespace {

using testing::HasSubstr;

TEST(RecordingFile, AnUnusableFileIsNamedInTheError) {
  const TemporaryFolder folder = std::move(*TemporaryFolder::make());
  const auto nowhere = create_recording(folder.path() + "/no/such/folder");
  ASSERT_FALSE(nowhere.ok());
  EXPECT_STREQ(nowhere.error().reason, "not written");
  EXPECT_THAT(nowhere.error().message, HasSubstr("/no/such/folder"));
  const auto full = create_recording("/dev/full");
  ASSERT_TRUE(full.ok());
  const core::Status finished = (*full)->finish();
  ASSERT_FALSE(finished.ok());
  EXPECT_STREQ(finished.error().reason, "not written");
  EXPECT_THAT(finished.error().message, HasSubstr("/dev/full"));
  for (const std::string& name : {folder.path() + "/missing", folder.path()}) {
    const auto missing = open_recording(name);
    ASSERT_FALSE(missing.ok());
    EXPECT_THAT(missing.error().message, HasSubstr(name));
  }
}

}  // namespace
}  // namespace mobula::client
