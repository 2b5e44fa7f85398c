#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <headless/event_lines.hpp>

namespace mobula::client {
namespace {

TEST(EventLine, ShowsTickEntityAndBytes) {
  EXPECT_EQ(event_line({77, 3, {12, 1}, core::Bytes{std::byte{0x0a}, std::byte{0xff}}}),
            "event of tick 77 about 12.1: 2 bytes 0aff");
  EXPECT_EQ(event_line({1, 0, {}, {}}), "event of tick 1: 0 bytes");
  EXPECT_EQ(event_line({1, 0, {12, 1}, {}, Presence::removed}), "event of tick 1 about 12.1 (removed): 0 bytes");
  EXPECT_EQ(event_line({1, 0, {12, 1}, {}, Presence::unknown}), "event of tick 1 about 12.1 (unknown): 0 bytes");
}

TEST(EventLine, ShowsTheBeginningOfALongEvent) {
  EXPECT_EQ(event_line({1, 0, {}, core::Bytes(65)}), "event of tick 1: 65 bytes " + std::string(128, '0') + "…");
}

}  // namespace
}  // namespace mobula::client
