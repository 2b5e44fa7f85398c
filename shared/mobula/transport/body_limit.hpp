// Size of the bodies that a session sends. Some paths carry small datagrams and drop large ones without a word, such as
// tunnels that filter ICMP. The sender notices that by itself, from the outcomes of its datagrams by their size
// (black hole detection in the spirit of RFC 8899).
//
//   untested ──► proven     a full body is acknowledged: reliable chunks may fill bodies
//      │           │
//      └───────────┴─────► reduced   several large ones in a row are lost while smaller ones arrive
//                               └──► untested    one as large as those is acknowledged: one in probe_interval is sent
//
// While large ones are suspected, every other body is small, so that there are outcomes of both. The share of the small
// ones that is lost bounds how many large ones are lost in a row by chance. A path that carries nothing decides
// nothing. A peer whose inbox of a lane is full acknowledges no chunks of that lane, of any size. So chunks are
// compared with chunks of their lane.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mobula/transport/session_body.hpp>

namespace mobula::transport {

/// Size of the bodies that a session sends.
class BodyLimit {
 public:
  static constexpr std::size_t large_bytes = session_body_bytes_max;
  /// Two chunks that fill a small body fill a large one together.
  static constexpr std::size_t small_bytes = body_header_bytes + (session_body_bytes_max - body_header_bytes) / 2;
  static constexpr int suspicious_losses = 4;
  static constexpr int decisive_losses = 12;
  static constexpr int decisive_losses_of_kind = 6;
  static constexpr int decisive_arrivals = 4;
  static constexpr int decisive_arrivals_of_lane = 8;  // more than a large body, so a full inbox would take one

  /// Kinds of bodies: the lane whose chunks they have, or `no_chunks`.
  using Kind = std::size_t;
  static constexpr Kind no_chunks = lane_count;
  static constexpr unsigned probe_interval = 512;

  /// Returns the size of the next body. A message that needs more may go in a large one.
  [[nodiscard]] std::size_t next() const {
    if (reduced_) return since_probe_ + 1 < probe_interval ? small_bytes : large_bytes;
    return lost_ >= suspicious_losses && small_turn_ ? small_bytes : large_bytes;
  }
  void on_sent(std::size_t bytes) {
    small_turn_ = bytes > small_bytes;
    since_probe_ = bytes > small_bytes ? 0 : since_probe_ + 1;
  }
  // A body proves the path for its own size only: a tunnel may carry all but the last few bytes of a full one.
  void on_acked(std::size_t bytes, Kind kind) {
    if (bytes >= lost_bytes_min_) {
      const bool was_proven = proven_;
      *this = {};
      proven_ = was_proven;
    } else if (lost_ >= suspicious_losses) {
      ++arrived_;
      ++arrived_of_[kind];
      decide();
    }
    proven_ = proven_ || bytes == large_bytes;
  }
  void on_lost(std::size_t bytes, Kind kind) {
    if (bytes <= small_bytes) {
      if (lost_ >= suspicious_losses) ++small_lost_;
      return;
    }
    lost_bytes_min_ = std::min(lost_bytes_min_, bytes);
    ++lost_;
    ++lost_of_[kind];
    decide();
  }

  [[nodiscard]] bool reduced() const { return reduced_; }
  /// Returns the size of a body that has arrived, or for which there is no smaller one. Data that cannot be divided
  /// later, such as reliable chunks, has at most this size.
  [[nodiscard]] std::size_t certain_bytes() const { return proven_ ? large_bytes : small_bytes; }

 private:
  void decide() {
    bool certain = lost_of_[no_chunks] >= decisive_losses_of_kind;
    for (Kind lane = 0; lane < lane_count; ++lane)
      certain =
          certain || (lost_of_[lane] >= decisive_losses_of_kind && arrived_of_[lane] >= decisive_arrivals_of_lane);
    if (!certain || arrived_ < decisive_arrivals) return;
    // A path that loses the share p of all bodies loses n in a row with probability p^n. That is below e^-12 for
    // n = 12 / (1 - p). As the small ones are few, two more are counted as lost.
    if (std::int64_t{lost_} * arrived_ < std::int64_t{decisive_losses} * (arrived_ + small_lost_ + 2)) return;
    reduced_ = true;
    proven_ = false;
  }

  std::size_t lost_bytes_min_ = large_bytes + 1;  // smallest of the large ones that were lost in a row
  int lost_ = 0;                                  // large ones since one at least as large was acknowledged
  int arrived_ = 0;                               // smaller ones since large ones are suspected
  int small_lost_ = 0;                            // small ones since then
  std::array<int, lane_count + 1> lost_of_{};     // by kind
  std::array<int, lane_count + 1> arrived_of_{};  // by kind
  unsigned since_probe_ = 0;
  bool small_turn_ = false;
  bool proven_ = false;
  bool reduced_ = false;
};

static_assert(2 * (BodyLimit::small_bytes - body_header_bytes) <= BodyLimit::large_bytes - body_header_bytes);

}  // namespace mobula::transport
