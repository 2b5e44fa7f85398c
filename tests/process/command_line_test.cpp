#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <mobula/process/command_line.hpp>

namespace mobula::process {
namespace {

struct Parsed {
  std::optional<int> status;
  int number = 0;
  std::string out;
  std::string err;
};

Parsed parse(const char* argument) {
  Parsed parsed;
  CLI::App app("Counts.", "mobula-count");
  app.add_option("--number", parsed.number, "how many");
  const std::array arguments{"/some/where/else", argument};
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  parsed.status = parse_command_line(app, static_cast<int>(arguments.size()), arguments.data());
  parsed.out = testing::internal::GetCapturedStdout();
  parsed.err = testing::internal::GetCapturedStderr();
  return parsed;
}

TEST(CommandLine, ValidCommandLinePrintsNothing) {
  const Parsed parsed = parse("--number=7");
  EXPECT_EQ(parsed.status, std::nullopt);
  EXPECT_EQ(parsed.number, 7);
  EXPECT_EQ(parsed.out + parsed.err, "");
}

TEST(CommandLine, HelpGoesToStandardOutput) {
  const Parsed parsed = parse("--help");
  EXPECT_EQ(parsed.status, 0);
  EXPECT_NE(parsed.out.find("Usage: mobula-count"), std::string::npos) << parsed.out;
  EXPECT_EQ(parsed.err, "");
}

TEST(CommandLine, ErrorGoesToStandardErrorInOneLine) {
  const Parsed parsed = parse("--nummer=7");
  EXPECT_EQ(parsed.status, 2);
  EXPECT_EQ(parsed.out, "");
  EXPECT_EQ(parsed.err.find("mobula-count: "), 0u) << parsed.err;
  EXPECT_EQ(parsed.err.find("(see --help)\n"), parsed.err.size() - 13) << parsed.err;
}

}  // namespace
}  // namespace mobula::process
