#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bots/progress.hpp>
#include <client/bots/reports.hpp>

namespace mobula::client {
namespace {

std::string shown(bool terminal, std::initializer_list<double> seconds) {
  std::FILE* file = std::tmpfile();
  BotsProgress progress(file, terminal, 60);
  for (const double each : seconds) {
    BotsSample sample = test::some_report().samples.back();
    sample.seconds = each;
    sample.mismatches = 1;
    progress.show(sample);
  }
  progress.end();
  std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  EXPECT_EQ(std::fread(text.data(), 1, text.size(), file), text.size());
  std::fclose(file);
  return text;
}

TEST(Progress, FormatsALine) {
  BotsSample sample = test::some_report().samples.back();
  sample.bytes_in_per_second = 3'140'000;
  sample.bytes_out_per_second = 900;
  sample.loss_out_percent = 0.04;
  EXPECT_EQ(progress_line(sample, 60, 3),
            "10 of 60 s: 19 of 20 play, interval p99 31.0 ms, in 3.1 MB/s, out 0.9 KB/s, loss 2.0%, 3 mismatches");
}

TEST(Progress, OverwritesOneLineOnATerminal) {
  const std::string text = shown(true, {1, 2, 3});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 3);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_THAT(text, testing::HasSubstr("3 mismatches"));
}

TEST(Progress, PrintsALineEveryTenSecondsElsewhere) {
  const std::string text = shown(false, {1, 2, 9.9, 10, 11, 19, 20.5, 21, 29});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 0);
}

}  // namespace
}  // namespace mobula::client
