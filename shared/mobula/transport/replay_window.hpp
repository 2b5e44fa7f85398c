// Which of a peer's last sequences have come. Whoever records a packet and sends it again is found out by it.
// Invariant: a sequence is new at most once. The bits are a ring of words, cleared as the newest sequence enters them
// (RFC 6479); the newest word is only partly behind the newest sequence, so the window is one word shorter.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace mobula::transport {

// 136 bytes
class ReplayWindow {
 public:
  static constexpr std::uint64_t size = 960;

  // Compares on the side that cannot overflow: sequences may be anything.
  [[nodiscard]] bool is_new(std::uint64_t sequence) const {
    if (sequence > newest_) return true;
    if (newest_ - sequence >= size) return false;
    return (words_[word_of(sequence)] & bit_of(sequence)) == 0;
  }

  // Only for a sequence that is new, and only after the packet has proved to be the peer's.
  void take(std::uint64_t sequence) {
    if (sequence > newest_) {
      const std::uint64_t entered = std::min(sequence / 64 - newest_ / 64, word_count);
      for (std::uint64_t n = 1; n <= entered; ++n) words_[(newest_ / 64 + n) % word_count] = 0;
      newest_ = sequence;
    }
    words_[word_of(sequence)] |= bit_of(sequence);
  }

 private:
  static constexpr std::uint64_t word_count = size / 64 + 1;
  static std::uint64_t word_of(std::uint64_t sequence) { return sequence / 64 % word_count; }
  static std::uint64_t bit_of(std::uint64_t sequence) { return std::uint64_t{1} << (sequence % 64); }

  std::uint64_t newest_ = 0;
  std::array<std::uint64_t, word_count> words_{};
};

}  // namespace mobula::transport
