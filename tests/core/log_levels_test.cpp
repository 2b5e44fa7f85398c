#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <mobula/core/log_levels.hpp>

namespace mobula::core {
namespace {

TEST(LogLevels, ModulesOverrideTheDefault) {
  const LogLevels levels = LogLevels::parse("warn,net=debug,store=trace").value();
  EXPECT_EQ(levels.of("server"), LogLevel::warn);
  EXPECT_EQ(levels.of("net"), LogLevel::debug);
  EXPECT_EQ(levels.of("store"), LogLevel::trace);
  EXPECT_EQ(levels.lowest(), LogLevel::trace);
  EXPECT_EQ(levels.highest(), LogLevel::warn);
  EXPECT_EQ(LogLevels::parse("warn,net=off").value().highest(), LogLevel::off);
  EXPECT_EQ(to_string(levels), "warn,net=debug,store=trace");
}

TEST(LogLevels, DefaultIsInfo) {
  EXPECT_EQ(LogLevels::parse("net=off").value().of("server"), LogLevel::info);
  EXPECT_EQ(to_string(LogLevels{}), "info");
}

TEST(LogLevels, LastLevelOfAModuleIsUsed) {
  EXPECT_EQ(to_string(LogLevels::parse("info,net=debug,net=error").value()), "info,net=error");
}

TEST(LogLevels, RoundTrip) {
  for (const char* level : {"trace", "debug", "info", "warn", "error", "off"})
    EXPECT_EQ(to_string(LogLevels::parse(level).value()), level);
}

TEST(LogLevels, ReportMalformedText) {
  const auto refusal = [](std::string_view text) { return LogLevels::parse(text).error().message; };
  EXPECT_EQ(refusal("inffo"),
            "'inffo' is not a log level (did you mean 'info'?): expected trace, debug, info, warn, error or off");
  EXPECT_EQ(refusal(""), "'' is not a log level: expected trace, debug, info, warn, error or off");
  EXPECT_EQ(refusal("net=loud"), "'loud' is not a log level: expected trace, debug, info, warn, error or off");
  EXPECT_EQ(refusal("info,debug"), "'debug' needs a module: expected MODULE=LEVEL");
  EXPECT_EQ(refusal("info,=debug"), "'' is not a module name: expected lower-case letters, digits and '_'");
  EXPECT_EQ(refusal("info,a b=debug"), "'a b' is not a module name: expected lower-case letters, digits and '_'");
  std::string many = "info";
  for (int i = 0; i < 33; ++i) many += ",m" + std::to_string(i) + "=debug";
  EXPECT_EQ(refusal(many), "at most 32 modules");
}

// In a child process, as modules stay known.
TEST(LogLevels, RefuseModulesThatAProgramHasNotNamed) {
  const auto refusal = [](std::string_view text) {
    add_log_modules({"net", "server"});
    add_log_modules({"demo", "net"});
    const Result<LogLevels> levels = LogLevels::parse(text);
    std::fputs(levels ? to_string(*levels).c_str() : levels.error().message.c_str(), stderr);
    std::_Exit(0);
  };
  using testing::ExitedWithCode;
  EXPECT_EXIT(refusal("info,srever=debug"), ExitedWithCode(0),
              "^no lines have the module 'srever' .did you mean 'server'..: expected one of demo, net, server$");
  EXPECT_EXIT(refusal("info,transport=debug"), ExitedWithCode(0),
              "^no lines have the module 'transport': expected one of demo, net, server$");
  EXPECT_EXIT(refusal("info,net=debug,demo=trace"), ExitedWithCode(0), "^info,net=debug,demo=trace$");
}

}  // namespace
}  // namespace mobula::core
