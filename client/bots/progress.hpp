// How a run goes, while it goes: on a terminal one line that is written over, elsewhere a line every 10 seconds.
#pragma once

#include <bots/report.hpp>
#include <cstdio>

namespace mobula::client {

// "12.0 of 60 s: 2000 of 2000 play, interval p99 52.1 ms, in 3.1 MB/s, out 0.9 MB/s, loss 0.0%, 0 mismatches"
std::string progress_line(const BotsSample& sample, double seconds, std::uint64_t mismatches);

class BotsProgress {
 public:
  // `seconds`: how long it will take.
  BotsProgress(std::FILE* out, bool terminal, double seconds) : out_(out), terminal_(terminal), seconds_(seconds) {}

  void tell(const BotsSample& sample);
  // Leaves the line on the terminal.
  void end();

 private:
  std::FILE* out_;
  bool terminal_;
  double seconds_;
  double told_at_ = 0;
  std::uint64_t mismatches_ = 0;
  std::size_t width_ = 0;  // of the line that is on the terminal
};

}  // namespace mobula::client
