// Progress of a run: on a terminal one line that is overwritten, elsewhere a line every 10 seconds.
#pragma once

#include <bots/report.hpp>
#include <cstdio>

namespace mobula::client {

/// Formats "12.0 of 60 s: 2000 of 2000 play, interval p99 52.1 ms, in 3.1 MB/s, out 0.9 MB/s, loss 0.0%, 0 mismatches".
std::string progress_line(const BotsSample& sample, double seconds, std::uint64_t mismatches);

class BotsProgress {
 public:
  /// `seconds` is the length of the run.
  BotsProgress(std::FILE* out, bool terminal, double seconds) : out_(out), terminal_(terminal), seconds_(seconds) {}

  void show(const BotsSample& sample);
  /// Keeps the last line on the terminal.
  void end();

 private:
  std::FILE* out_;
  bool terminal_;
  double seconds_;
  double shown_at_ = 0;
  std::uint64_t mismatches_ = 0;
  std::size_t width_ = 0;  // width of the line on the terminal
};

}  // namespace mobula::client
