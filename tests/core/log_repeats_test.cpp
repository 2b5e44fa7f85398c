#include <gtest/gtest.h>

#include <map>
#include <mobula/core/log_repeats.hpp>
#include <mobula/core/random.hpp>
#include <string>

namespace mobula::core {
namespace {

TEST(LogRepeats, AdmitsFivePerSecondAndReportsTheRest) {
  LogRepeats repeats;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(repeats.admit(LogLevel::info, "net", "lost {}", second + i), i < 5) << i;
  EXPECT_TRUE(repeats.take_held(2 * second - 1).empty()) << "the second is not over";
  const std::vector<LogRepeats::Held> held = repeats.take_held(2 * second);
  ASSERT_EQ(held.size(), 1u);
  EXPECT_EQ(held[0].module, "net");
  EXPECT_EQ(held[0].kind, "lost {}");
  EXPECT_EQ(held[0].lines, 15u);
  EXPECT_TRUE(repeats.take_held(9 * second).empty()) << "it is reported once";
  EXPECT_TRUE(repeats.admit(LogLevel::info, "net", "lost {}", 2 * second));
}

TEST(LogRepeats, TextAndModuleMakeAKind) {
  LogRepeats repeats;
  for (int i = 0; i < 10; ++i) static_cast<void>(repeats.admit(LogLevel::info, "net", "a", 1));
  EXPECT_FALSE(repeats.admit(LogLevel::info, "net", "a", 1));
  EXPECT_TRUE(repeats.admit(LogLevel::info, "net", "b", 1));
  EXPECT_TRUE(repeats.admit(LogLevel::info, "server", "a", 1));
}

TEST(LogRepeats, FewLinesAreNeverSuppressed) {
  LogRepeats repeats;
  for (Nanoseconds now = 0; now < 100 * second; now += second / 5)
    EXPECT_TRUE(repeats.admit(LogLevel::info, "net", "a", now));
  EXPECT_FALSE(repeats.has_held(200 * second));
}

TEST(LogRepeats, ReportsSuppressedLinesAtTheirHighestLevel) {
  LogRepeats repeats;
  for (int i = 0; i < 6; ++i) static_cast<void>(repeats.admit(LogLevel::info, "net", "a", 1));
  static_cast<void>(repeats.admit(LogLevel::error, "net", "a", 1));
  static_cast<void>(repeats.admit(LogLevel::info, "net", "a", 1));
  EXPECT_EQ(repeats.take_held(2 * second).at(0).level, LogLevel::error);
}

TEST(LogRepeats, BoundsItsMemoryAndAdmitsFurtherKinds) {
  LogRepeats repeats;
  for (int i = 0; i < 10'000; ++i)
    EXPECT_TRUE(repeats.admit(LogLevel::info, "net", "kind " + std::to_string(i), Nanoseconds{i}));
  for (int i = 0; i < 10; ++i)
    EXPECT_TRUE(repeats.admit(LogLevel::info, "net", "late", 20'000)) << "a kind without a slot is not limited";
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(repeats.admit(LogLevel::info, "net", "later", 2 * second), i < 5) << "old kinds are removed";
}

TEST(LogRepeats, MixedKindsMatchTheReferenceModel) {
  LogRepeats repeats;
  Random random(1);
  std::map<std::uint32_t, std::uint32_t> lines;  // by kind, in this second
  Nanoseconds began = 0;
  for (int i = 0; i < 20'000; ++i) {
    if (i % 1000 == 0) {
      began += second;
      lines.clear();
      static_cast<void>(repeats.take_held(began));
    }
    const std::uint32_t kind = random.below(2) == 0 ? 7 : random.below(100);
    ASSERT_EQ(repeats.admit(LogLevel::info, "net", "kind " + std::to_string(kind), began),
              ++lines[kind] <= LogRepeats::lines_per_second)
        << "line " << i;
  }
}

}  // namespace
}  // namespace mobula::core
