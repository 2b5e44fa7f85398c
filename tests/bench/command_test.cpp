// Exit status and output of the programs that play a recording.
#include <gtest/gtest.h>

#include <recordings/command.hpp>

namespace mobula::bench {
namespace {

struct Outcome {
  int status;
  std::string out;
  std::string err;
};

core::Result<std::size_t> parse_size(core::ByteView bytes) { return bytes.size(); }

Outcome run_with(const PlayCommand& command, const core::Result<PlayReport>& played) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = run(command, parse_size, [&](std::size_t, const PlayOptions&) { return played; });
  std::string out = testing::internal::GetCapturedStdout();
  return {status, std::move(out), testing::internal::GetCapturedStderr()};
}

const PlayCommand readable{.program = "mobula-x", .path = MOBULA_SOURCE_DIR "/bench/cubes.bin.xz", .options = {}};

TEST(PlayCommand, PrintsTheReportAndSucceedsIfAllIsRight) {
  const PlayReport report{.noun = "cubes", .entities = 3, .frames = 2};
  EXPECT_EQ(run_with(readable, report).status, 0);
  EXPECT_EQ(run_with(readable, report).out, to_table(report, {}));
  PlayCommand json = readable;
  json.json = true;
  EXPECT_EQ(run_with(json, report).out, to_json(report) + "\n");
}

TEST(PlayCommand, EndsWithOneIfAnEntityIsWrong) {
  const PlayReport report{.entities = 3, .frames = 2, .mismatches = 1};
  const Outcome outcome = run_with(readable, report);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, to_table(report, {}));
}

TEST(PlayCommand, NamesTheFileAndTheReasonOfARefusal) {
  const Outcome refused = run_with(readable, core::Error{"too short", "two frames"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(refused.err, "mobula-x: " + readable.path + ": too short: two frames\n");
  PlayCommand missing = readable;
  missing.path = "/no/such/file";
  const Outcome unread = run_with(missing, PlayReport{});
  EXPECT_EQ(unread.status, 2);
  EXPECT_EQ(unread.err, "mobula-x: /no/such/file: cannot be read: no such file, or it cannot be read\n");
}

}  // namespace
}  // namespace mobula::bench
