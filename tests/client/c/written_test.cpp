// Arrays, texts and structs in memory of the caller.
#include <gtest/gtest.h>

#include <array>
#include <c/written.hpp>
#include <client/c/guest.hpp>
#include <cstring>

namespace mobula::c {
namespace {

TEST(Written, AnArrayThatFitsIsWrittenWithItsCount) {
  std::array<int, 4> items{};
  std::uint32_t count = 9;
  ArrayOut<int> out(items.data(), 4, &count);
  ASSERT_EQ(out.check(), MOBULA_OK);
  for (int i = 1; i <= 3; ++i) out.add(i);
  EXPECT_EQ(out.end(), MOBULA_OK);
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(items, (std::array{1, 2, 3, 0}));
}

TEST(Written, AnArrayThatIsTooShortHasWhatFits) {
  std::array<int, 4> items{};
  std::uint32_t count = 0;
  ArrayOut<int> out(items.data(), 2, &count);
  for (int i = 1; i <= 3; ++i) out.add(i);
  EXPECT_EQ(out.end(), MOBULA_ERROR_BUFFER_TOO_SMALL);
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(items, (std::array{1, 2, 0, 0}));
}

TEST(Written, AnArrayMayBeNullWithoutACapacity) {
  std::uint32_t count = 0;
  EXPECT_EQ(ArrayOut<int>(nullptr, 0, &count).check(), MOBULA_OK);
  EXPECT_EQ(ArrayOut<int>(nullptr, 1, &count).check(), MOBULA_ERROR_INVALID_ARGUMENT);
  int item = 0;
  EXPECT_EQ(ArrayOut<int>(&item, 1, nullptr).check(), MOBULA_ERROR_INVALID_ARGUMENT);
}

TEST(Written, ATextEndsWithAZeroByteThatIsNotCounted) {
  std::array<char, 6> text{};
  text.fill('#');
  std::uint32_t length = 0;
  EXPECT_EQ(write_text("hello", {text.data(), 6, &length}), MOBULA_OK);
  EXPECT_EQ(length, 5u);
  EXPECT_STREQ(text.data(), "hello");
}

TEST(Written, ATextIsCutBetweenCharacters) {
  const std::string_view whole = "a\u00e4\u20ac";  // 1, 2 and 3 bytes
  for (std::uint32_t capacity = 1; capacity <= whole.size() + 1; ++capacity) {
    std::array<char, 8> text{};
    text.fill('#');
    std::uint32_t length = 0;
    const bool fits = capacity > whole.size();
    EXPECT_EQ(write_text(whole, {text.data(), capacity, &length}), fits ? MOBULA_OK : MOBULA_ERROR_BUFFER_TOO_SMALL);
    EXPECT_EQ(length, whole.size());
    const std::size_t kept = capacity >= 7 ? 6 : capacity >= 4 ? 3 : capacity >= 2 ? 1 : 0;
    EXPECT_EQ(std::string_view(text.data()), whole.substr(0, kept)) << capacity;
    for (std::size_t i = capacity; i < text.size(); ++i) EXPECT_EQ(text[i], '#') << "nothing beyond the capacity";
  }
}

TEST(Written, ATextWithoutRoomIsMeasured) {
  std::uint32_t length = 0;
  EXPECT_EQ(write_text("hello", {nullptr, 0, &length}), MOBULA_ERROR_BUFFER_TOO_SMALL);
  EXPECT_EQ(length, 5u);
  EXPECT_EQ(write_text("", {nullptr, 0, &length}), MOBULA_ERROR_BUFFER_TOO_SMALL) << "no room for its zero byte";
}

// A host that was built with an older header has less of the struct.
TEST(Written, AStructKeepsWhatTheCallerDoesNotHave) {
  mobula_status value{};
  std::memset(&value, 0x11, sizeof value);
  std::array<std::uint32_t, sizeof(mobula_status) / 4> room;
  room.fill(7);
  auto* const out = reinterpret_cast<mobula_status*>(room.data());
  out->struct_size = offsetof(mobula_status, tick);
  EXPECT_EQ(write_struct(value, out), MOBULA_OK);
  EXPECT_EQ(out->struct_size, offsetof(mobula_status, tick));
  EXPECT_EQ(out->ticks_per_second, 0x1111'1111u);
  EXPECT_EQ(out->tick, 7u);
  EXPECT_EQ(out->server, 7u);
}

// A host that was built with a newer header has more of it.
TEST(Written, AStructKeepsWhatTheLibraryDoesNotKnow) {
  struct {
    mobula_clock known;
    std::uint64_t later = 9;
  } newer{test::sized<mobula_clock>()};
  newer.known.struct_size = sizeof newer;
  EXPECT_EQ(write_struct(mobula_clock{0, 1, 2, 3, 4}, &newer.known), MOBULA_OK);
  EXPECT_EQ(newer.known.view_tick, 4);
  EXPECT_EQ(newer.later, 9u);
}

TEST(Written, AStructOfNoSizeIsRefused) {
  const mobula_clock value{};
  mobula_clock out{};
  EXPECT_EQ(write_struct(value, &out), MOBULA_ERROR_INVALID_ARGUMENT);
  out.struct_size = 0xcccc'cccc;  // never set
  EXPECT_EQ(write_struct(value, &out), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(write_struct(value, static_cast<mobula_clock*>(nullptr)), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(test::error_text(), "");
}

TEST(Written, AStructThatIsReadHasZeroInWhatIsNotThere) {
  auto options = test::sized<mobula_client_options>();
  options.flags = 3;
  options.token_size = 5;
  options.struct_size = offsetof(mobula_client_options, token);
  mobula_client_options read;
  EXPECT_EQ(read_struct(&options, offsetof(mobula_client_options, token), read), MOBULA_OK);
  EXPECT_EQ(read.flags, 3u);
  EXPECT_EQ(read.token_size, 0u);
}

TEST(Written, AStructThatWasNeverPublishedIsNotRead) {
  auto options = test::sized<mobula_client_options>();
  mobula_client_options read{};
  for (options.struct_size = 0; options.struct_size < sizeof options; ++options.struct_size)
    ASSERT_EQ(read_struct(&options, sizeof options, read), MOBULA_ERROR_INVALID_ARGUMENT) << options.struct_size;
  EXPECT_EQ(read_struct(&options, sizeof options, read), MOBULA_OK);
  options.struct_size = sizeof options + 8;
  EXPECT_EQ(read_struct(&options, sizeof options, read), MOBULA_OK) << "of a newer host";
}

}  // namespace
}  // namespace mobula::c
