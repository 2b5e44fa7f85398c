#include "recordings/play_report.hpp"

#include <algorithm>
#include <mobula/core/format.hpp>

namespace mobula::bench {
namespace {

std::size_t percentile(std::vector<std::size_t> values, std::size_t percent) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) * percent / 100);
  std::ranges::nth_element(values, at);
  return *at;
}

}  // namespace

void add_traffic(PlayReport& report, const std::vector<FrameTraffic>& frames) {
  FrameTraffic sum;
  std::vector<std::size_t> sizes;
  for (const FrameTraffic& frame : frames) {
    sizes.push_back(frame.state_bytes);
    sum.deltas += frame.deltas;
    sum.delta_bytes += frame.delta_bytes;
    sum.state_bytes += frame.state_bytes;
    sum.datagram_bytes += frame.datagram_bytes;
    sum.encode += frame.encode;
    sum.decode += frame.decode;
  }
  const auto count = static_cast<double>(frames.size());
  report.mean_bytes = static_cast<double>(sum.state_bytes) / count;
  report.p50_bytes = percentile(sizes, 50);
  report.p95_bytes = percentile(sizes, 95);
  report.max_bytes = percentile(sizes, 100);
  report.mean_delta_bytes = static_cast<double>(sum.delta_bytes) / count;
  report.mean_datagram_bytes = static_cast<double>(sum.datagram_bytes) / count;
  report.datagrams_per_frame = static_cast<double>(sum.deltas) / count;
  report.encode_us = static_cast<double>(sum.encode) / count / 1e3;
  report.decode_us = static_cast<double>(sum.decode) / count / 1e3;
}

std::string to_json(const PlayReport& report) {
  return core::format(R"({{"frames":{},"mean_bytes":{:.2f},"p50_bytes":{},"p95_bytes":{},"max_bytes":{},)"
                      R"("mean_datagram_bytes":{:.2f},"encode_us":{:.2f},"decode_us":{:.2f},"mismatches":{}}})",
                      report.frames, report.mean_bytes, report.p50_bytes, report.p95_bytes, report.max_bytes,
                      report.mean_datagram_bytes, report.encode_us, report.decode_us, report.mismatches);
}

std::string to_table(const PlayReport& report, const PlayOptions& options) {
  return traffic_table(report, options) + core::format("{} mismatches\n", report.mismatches);
}

std::string traffic_table(const PlayReport& report, const PlayOptions& options) {
  std::string text = core::format(
      "{} frames of {} {}, deltas are encoded against the state {} frames before, {}% loss each way\n"
      "the first frame stands while the client joins ({} ticks, {} bytes of deltas): it is compared, not counted\n\n",
      report.frames, report.entities, report.noun, options.baseline_age, options.loss_percent, report.join_ticks,
      report.join_bytes);
  text += core::format("bytes per frame         mean     p50     p95     max\n");
  text += core::format("state                {:7.1f} {:7} {:7} {:7}    deltas without their headers\n",
                       report.mean_bytes, report.p50_bytes, report.p95_bytes, report.max_bytes);
  text += core::format(
      "datagrams            {:7.1f}                            {:.2f} per frame, with headers of delta, session and "
      "packet, and seal\n\n",
      report.mean_datagram_bytes, report.datagrams_per_frame);
  text += core::format("encode {:.1f} us per frame (publish, choose, write), decode {:.1f} us\n", report.encode_us,
                       report.decode_us);
  return text;
}

}  // namespace mobula::bench
