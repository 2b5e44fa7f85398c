#include <gtest/gtest.h>

#include <filesystem>
#include <recordings/recording.hpp>

namespace mobula::bench {
namespace {

TEST(Recording, FramesAreSpansOfTheirEntities) {
  const Recording<int> recording(3, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(recording.entities(), 3u);
  EXPECT_EQ(recording.frames(), 2u);
  EXPECT_EQ(std::vector(recording.frame(0).begin(), recording.frame(0).end()), (std::vector{1, 2, 3}));
  EXPECT_EQ(std::vector(recording.frame(1).begin(), recording.frame(1).end()), (std::vector{4, 5, 6}));
}

TEST(Recording, FramesAreCountedOnlyIfComplete) {
  const core::Bytes bytes(12);
  EXPECT_EQ(count_frames(bytes, 4).value(), 3u);
  EXPECT_EQ(count_frames(bytes, 12).value(), 1u);
  EXPECT_STREQ(count_frames(bytes, 5).error().reason, "truncated recording");
  EXPECT_STREQ(count_frames(bytes, 24).error().reason, "truncated recording");
  EXPECT_STREQ(count_frames({}, 4).error().reason, "empty recording");
}

TEST(Recording, AFileIsReadCompletely) {
  const std::string path = MOBULA_SOURCE_DIR "/bench/cubes.bin.xz";
  const core::Result<std::size_t> size =
      load_recording(path, [](core::ByteView bytes) -> core::Result<std::size_t> { return bytes.size(); });
  EXPECT_EQ(size.value(), std::filesystem::file_size(path));
}

TEST(Recording, AFileThatCannotBeReadIsNotParsed) {
  for (const char* path : {"/no/such/file", "/"}) {
    const core::Result<std::size_t> size =
        load_recording(path, [](core::ByteView) -> core::Result<std::size_t> { return std::size_t{1}; });
    ASSERT_FALSE(size.ok()) << path;
    EXPECT_STREQ(size.error().reason, "cannot be read") << path;
  }
}

}  // namespace
}  // namespace mobula::bench
