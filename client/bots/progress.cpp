#include <algorithm>
#include <bots/progress.hpp>
#include <cmath>
#include <mobula/core/format.hpp>

namespace mobula::client {
namespace {

constexpr double seconds_between_lines = 10;

std::string rate(double bytes_per_second) {
  if (bytes_per_second >= 1e6) return core::format("{:.1f} MB/s", bytes_per_second / 1e6);
  return core::format("{:.1f} KB/s", bytes_per_second / 1e3);
}

}  // namespace

std::string progress_line(const BotsSample& sample, double seconds, std::uint64_t mismatches) {
  const double in = std::isnan(sample.loss_in_percent) ? 0 : sample.loss_in_percent;
  const double out = std::isnan(sample.loss_out_percent) ? 0 : sample.loss_out_percent;
  return core::format(
      "{:.0f} of {:.0f} s: {} of {} play, interval p99 {:.1f} ms, in {}, out {}, loss {:.1f}%, {} mismatches",
      sample.seconds, seconds, sample.playing, sample.wanted, sample.intervals.p99, rate(sample.bytes_in_per_second),
      rate(sample.bytes_out_per_second), std::max(in, out), mismatches);
}

void BotsProgress::show(const BotsSample& sample) {
  mismatches_ += sample.mismatches;
  const std::string line = progress_line(sample, seconds_, mismatches_);
  if (terminal_) {
    const std::string rest(width_ > line.size() ? width_ - line.size() : 0, ' ');
    std::fputs(core::format("\r{}{}", line, rest).c_str(), out_);
    width_ = line.size();
  } else if (sample.seconds - shown_at_ >= seconds_between_lines) {
    std::fputs(core::format("{}\n", line).c_str(), out_);
    shown_at_ = sample.seconds;
  }
  std::fflush(out_);
}

void BotsProgress::end() {
  if (terminal_ && width_ > 0) std::fputs("\n", out_);
  width_ = 0;
}

}  // namespace mobula::client
