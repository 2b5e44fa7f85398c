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

// Parses `argument` for a program with a pair of real numbers, and a subcommand with one.
std::string error_of_reals(std::vector<const char*> arguments) {
  CLI::App app("Measures.", "mobula-measure");
  std::pair<double, double> tolerance;
  app.add_option("--tolerance", tolerance, "two parts")->delimiter(',')->check(CLI::Range(0.0, 1.0));
  double seconds = 0;
  app.add_subcommand("run", "runs")->add_option("--seconds", seconds, "time")->check(CLI::Range(0.1, 60.0));
  arguments.insert(arguments.begin(), "measure");
  testing::internal::CaptureStderr();
  const auto status = parse_command_line(app, static_cast<int>(arguments.size()), arguments.data());
  std::string error = testing::internal::GetCapturedStderr();
  EXPECT_EQ(status.value_or(0), error.empty() ? 0 : 2);
  return error;
}

TEST(CommandLine, ARealNumberThatIsNotFiniteIsRefused) {
  EXPECT_EQ(error_of_reals({"--tolerance=nan,nan"}),
            "mobula-measure: --tolerance: nan is not a finite number (see --help)\n");
  EXPECT_EQ(error_of_reals({"run", "--seconds=-nan"}),
            "mobula-measure: --seconds: -nan is not a finite number (see --help)\n");
  EXPECT_NE(error_of_reals({"--tolerance=0,inf"}), "");
  EXPECT_EQ(error_of_reals({"--tolerance=0,1", "run", "--seconds=2"}), "");
}

TEST(CommandLine, AnEmptyValueIsRefused) {
  CLI::App app("Writes.", "mobula-write");
  std::string file;
  app.add_option("-o,--output", file, "the file");
  app.add_option("--get", file, "an optional value")->expected(0, 1);
  const std::array arguments{"write", "--get", "-o", ""};
  testing::internal::CaptureStderr();
  EXPECT_EQ(parse_command_line(app, 2, arguments.data()), std::nullopt);
  EXPECT_EQ(parse_command_line(app, 4, arguments.data()), 2);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "mobula-write: --output: its value is empty (see --help)\n");
}

}  // namespace
}  // namespace mobula::process
