#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <mobula/core/format.hpp>
#include <mobula/core/log_buffer.hpp>
#include <mobula/core/random.hpp>
#include <string>
#include <thread>
#include <vector>

namespace mobula::core::log_buffer_test {
namespace {

// Reads a line of at most `bytes` bytes. "" if there is none.
std::string read(LogBuffer& buffer, std::size_t bytes = 1000) {
  std::string text(bytes, '?');
  const std::optional<LogBuffer::Line> line = buffer.read(text);
  if (!line) return {};
  text.resize(std::min(bytes, line->length));
  return core::format("{} {}", to_string(line->level), text);
}

std::string lost(std::uint64_t lines) {
  return core::format("warn {:<9} {} lines are lost here: the log was not read", "log", lines);
}

TEST(LogBuffer, LinesAreReadInTheirOrder) {
  LogBuffer buffer;
  EXPECT_EQ(read(buffer), "");
  buffer.write(LogLevel::info, "one");
  buffer.write(LogLevel::error, "");
  EXPECT_EQ(read(buffer), "info one");
  EXPECT_EQ(read(buffer), "error ");
  EXPECT_EQ(read(buffer), "");
}

TEST(LogBuffer, ALineThatDoesNotFitStays) {
  LogBuffer buffer;
  buffer.write(LogLevel::info, "four and more");
  EXPECT_EQ(read(buffer, 4), "info four");
  EXPECT_EQ(buffer.read({})->length, 13u);
  EXPECT_EQ(read(buffer, 13), "info four and more");
  EXPECT_EQ(read(buffer), "");
}

TEST(LogBuffer, TheReportOfLostLinesStaysUntilItFits) {
  LogBuffer buffer(20);
  buffer.write(LogLevel::info, "far more than twenty bytes");
  EXPECT_EQ(read(buffer, 3), "warn log");
  EXPECT_EQ(read(buffer), lost(1));
  EXPECT_EQ(read(buffer), "");
}

// Against a list without bounds of its own.
TEST(LogBuffer, LosesAndReportsLikeItsModel) {
  constexpr std::size_t bytes_max = 200;
  constexpr std::size_t head_bytes = 8;
  Random random(20'261'126);
  LogBuffer buffer(bytes_max);
  std::deque<std::string> model;
  std::size_t used = 0;
  std::uint64_t dropped = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (random.chance(1, 2)) {
      const std::string text(random.below(70), static_cast<char>('a' + random.below(26)));
      buffer.write(LogLevel::info, text);
      if (dropped > 0 || used + head_bytes + text.size() > bytes_max) {
        ++dropped;
        continue;
      }
      model.push_back(text);
      used += head_bytes + text.size();
    } else if (!model.empty()) {
      ASSERT_EQ(read(buffer), "info " + model.front()) << step;
      used -= head_bytes + model.front().size();
      model.pop_front();
    } else {
      ASSERT_EQ(read(buffer), dropped > 0 ? lost(dropped) : "") << step;
      dropped = 0;
    }
  }
}

TEST(LogBuffer, LinesOfManyThreadsAreWholeAndCounted) {
  constexpr int threads = 4;
  constexpr int lines = 2000;
  LogBuffer buffer(1000);
  std::vector<std::thread> writers;
  for (int thread = 0; thread < threads; ++thread)
    writers.emplace_back([&buffer, thread] {
      for (int i = 0; i < lines; ++i) buffer.write(LogLevel::info, core::format("line {} of {}", i, thread));
    });
  int seen = 0;
  std::array<int, threads> last{};
  last.fill(-1);
  while (seen < threads * lines) {
    const std::string text = read(buffer);
    if (text.empty()) continue;
    int line = 0;
    int thread = 0;
    if (std::sscanf(text.c_str(), "info line %d of %d", &line, &thread) == 2) {
      EXPECT_GT(line, last.at(static_cast<std::size_t>(thread)));
      last.at(static_cast<std::size_t>(thread)) = line;
      ++seen;
    } else {
      ASSERT_EQ(std::sscanf(text.c_str(), "warn log %d lines are lost", &line), 1) << text;
      seen += line;
    }
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(seen, threads * lines);
  EXPECT_EQ(read(buffer), "");
}

}  // namespace
}  // namespace mobula::core::log_buffer_test
