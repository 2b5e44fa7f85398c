#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mobula/core/log.hpp>
#include <mobula/core/log_repeats.hpp>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace mobula::core::log_test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::mutex written_mutex;
std::string written;

void write(const LogRecord& record) {
  const std::lock_guard lock(written_mutex);
  written += core::format("{} {}\n", to_string(record.level), to_text(record));
}

struct LogTest : testing::Test {
  LogTest() { set_log_output(write); }
  ~LogTest() override {
    set_log_level(LogLevel::info);
    set_log_output(nullptr);
  }

  template <class Function>
  static std::string lines_of(Function&& function) {
    written.clear();
    function();
    return std::exchange(written, {});
  }
};

// Reads all lines of the buffer, as text.
std::string read_all() {
  std::string all;
  std::array<char, 1000> text;
  while (const std::optional<LogBuffer::Line> line = read_log(text))
    all += core::format("{} {}\n", to_string(line->level), std::string_view(text.data(), line->length));
  return all;
}

TEST_F(LogTest, DropsLinesBelowTheLevel) {
  EXPECT_FALSE(log_enabled(LogLevel::debug)) << "info is the default";
  EXPECT_TRUE(log_enabled(LogLevel::info));
  const auto all_levels = [] {
    log_trace("core", "zero");
    log_debug("core", "one");
    log_info("core", "two");
    log_warn("core", "three");
    log_error("core", "four");
  };
  const std::vector<std::pair<LogLevel, std::ptrdiff_t>> lines_at{{LogLevel::trace, 5}, {LogLevel::debug, 4},
                                                                  {LogLevel::info, 3},  {LogLevel::warn, 2},
                                                                  {LogLevel::error, 1}, {LogLevel::off, 0}};
  for (const auto& [level, lines] : lines_at) {
    set_log_level(level);
    const std::string text = lines_of(all_levels);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), lines) << text;
  }
}

TEST_F(LogTest, LineHasItsModuleAndText) {
  const std::string text = lines_of([] { log_warn("transport", "{} of {} were lost", 3, "4"); });
  EXPECT_THAT(text, testing::StartsWith("warn transport 3 of 4 were lost\n"));
}

// Text from outside is never used as a format string.
TEST_F(LogTest, DoesNotFormatArgumentsWithBraces) {
  const std::string name = "{} {0:x} %s {";
  const std::string text = lines_of([&] {
    log_line(LogLevel::info, "core", name);
    log_info("core", "{}", name);
  });
  EXPECT_THAT(text, HasSubstr("core      " + name + "\n"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

TEST_F(LogTest, ArgumentsOfDroppedLinesAreNotFormatted) {
  set_log_level(LogLevel::off);
  EXPECT_EQ(lines_of([] { log_error("core", "{}", std::string(1000, 'x')); }), "");
}

TEST_F(LogTest, LinesOfManyThreadsAreNotMixed) {
  const std::string text = lines_of([] {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([thread] {
        for (int i = 0; i < 100; ++i) log_line(LogLevel::info, "core", core::format("line {} of thread {}", i, thread));
      });
    for (std::thread& thread : threads) thread.join();
  });
  for (int thread = 0; thread < 4; ++thread)
    for (int i = 0; i < 100; ++i)
      EXPECT_THAT(text, HasSubstr(core::format("core      line {} of thread {}\n", i, thread)));
}

TEST_F(LogTest, ModulesHaveTheirOwnLevels) {
  set_log_levels(LogLevels::parse("warn,net=debug").value());
  EXPECT_TRUE(log_enabled(LogLevel::debug, "net"));
  EXPECT_FALSE(log_enabled(LogLevel::trace, "net"));
  EXPECT_FALSE(log_enabled(LogLevel::info, "server"));
  EXPECT_EQ(to_string(log_levels()), "warn,net=debug");
  const std::string text = lines_of([] {
    log_debug("net", "written");
    log_info("server", "suppressed");
    log_line(LogLevel::info, "server", "suppressed too");
  });
  EXPECT_THAT(text, HasSubstr("net       written\n"));
  EXPECT_THAT(text, Not(HasSubstr("suppressed")));
}

TEST_F(LogTest, ScopeAddsFields) {
  const std::string text = lines_of([] {
    const LogScope tick({.tick = 7});
    log_info("core", "outer one");
    {
      const LogScope session({.world = "lobby", .session = 3, .entity = {12, 1}});
      log_info("core", "inner");
      std::thread([] { log_info("core", "another thread's"); }).join();
    }
    {
      const LogScope lobby({.world = "lobby", .tick = 9});
      const LogScope same({.world = "lobby"});
      log_info("core", "the same");
      const LogScope room({.world = "room"});
      log_info("core", "another world");
    }
    log_info("core", "outer two");
  });
  EXPECT_THAT(text, HasSubstr("core      outer one  tick=7\n"));
  EXPECT_THAT(text, HasSubstr("core      inner  world=lobby tick=7 session=3 entity=12.1\n"));
  EXPECT_THAT(text, HasSubstr("core      another thread's\n"));
  EXPECT_THAT(text, HasSubstr("core      the same  world=lobby tick=9\n"));
  EXPECT_THAT(text, HasSubstr("core      another world  world=room\n"));
  EXPECT_THAT(text, HasSubstr("core      outer two  tick=7\n"));
}

TEST_F(LogTest, SuppressesAndReportsRepeats) {
  const std::string text = lines_of([] {
    for (int i = 0; i < 50; ++i) log_info("core", "repeat {}", i);
    for (int i = 0; i < 7; ++i) log_info("core", "other {} ({:.2f}) of {}", i, 0.5, "all");
  });
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 10) << text;
  EXPECT_THAT(text, HasSubstr("core      repeat 4\n"));
  EXPECT_THAT(text, HasSubstr("core      other 4 (0.50) of all\n"));
  std::string after;
  for (int i = 0; i < 500 && after.find("other") == std::string::npos; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    after += lines_of([] { log_held_lines(); });
  }
  EXPECT_THAT(after, HasSubstr("core      45 more like this: repeat …\n"));
  EXPECT_THAT(after, HasSubstr("core      2 more like this: other … (…) of …\n"));
}

TEST_F(LogTest, RestartReportsAndAdmitsRepeats) {
  const std::string text = lines_of([] {
    for (int i = 0; i < 7; ++i) log_info("core", "restarted {}", i);
    restart_log_repeats();
    for (int i = 7; i < 9; ++i) log_info("core", "restarted {}", i);
  });
  EXPECT_THAT(text, HasSubstr("restarted 4\n"));
  EXPECT_THAT(text, Not(HasSubstr("restarted 5\n")));
  EXPECT_THAT(text, HasSubstr("2 more like this: restarted …\n"));
  EXPECT_THAT(text, HasSubstr("restarted 7\n"));
  EXPECT_THAT(text, HasSubstr("restarted 8\n"));
}

TEST_F(LogTest, AllSuppressedLinesAreReportedAtTheEnd) {
  const std::string text = lines_of([] {
    for (int i = 0; i < 8; ++i) log_info("core", "last {}", i);
    log_held_lines(INT64_MAX);
  });
  EXPECT_THAT(text, testing::EndsWith("core      3 more like this: last …\n"));
}

TEST_F(LogTest, WithoutAnOutputLinesWaitForTheHost) {
  set_log_output(nullptr);
  set_log_level(LogLevel::warn);
  EXPECT_EQ(read_all(), "");
  const LogScope tick({.tick = 7});
  log_info("client", "not enabled");
  log_warn("client", "{} of {}", 3, 4);
  log_error("client", "the end");
  EXPECT_EQ(read_all(), "warn client    3 of 4  tick=7\nerror client    the end  tick=7\n");
  EXPECT_EQ(read_all(), "");
}

}  // namespace
}  // namespace mobula::core::log_test
