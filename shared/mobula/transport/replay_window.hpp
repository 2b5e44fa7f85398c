// Replay protection: the last received sequences of a peer. Detects packets that were recorded and sent again.
// Invariant: a sequence is new at most once. The bits are a ring of words, cleared as the newest sequence enters them
// (RFC 6479). The newest word is used only partly, so the window is one word shorter than the ring.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace mobula::transport {

/// 136 bytes.
class ReplayWindow {
 public:
  static constexpr std::uint64_t size = 960;

  /// Returns whether the sequence is new. Compares without overflow: a hostile peer chooses the sequence.
  [[nodiscard]] bool is_new(std::uint64_t sequence) const {
    if (sequence > newest_) return true;
    if (newest_ - sequence >= size) return false;
    return (words_[word_of(sequence)] & bit_of(sequence)) == 0;
  }

  /// Records a new sequence. Call it only after the packet was authenticated.
  void add(std::uint64_t sequence) {
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
