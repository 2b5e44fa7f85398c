// Check of a write-ahead log. SQLite reads a log up to the first invalid frame and silently ignores the rest. A flipped
// bit would revert the world by many checkpoints without a warning.
//
//   0   header of 32 bytes, big-endian: magic, version, page size, count, two salts, two sums
//   32  frames: 24 bytes {page, pages after commit or 0, two salts, two sums}, then the page
//
// A restarted log has other salts. The frames behind its end belong to older logs, or to failed transactions that were
// partly overwritten. Each frame's sum includes that of the frame before. A frame whose sum continues from the end of a
// transaction was written after that transaction had reached the disk. So everything before it must be valid; only the
// last transaction may be torn.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <string>

namespace mobula::store {

inline constexpr std::size_t log_header_bytes = 32;
inline constexpr std::size_t log_frame_header_bytes = 24;

inline std::uint32_t big_endian(const std::byte* at) { return __builtin_bswap32(core::load<std::uint32_t>(at)); }

/// SQLite's checksum of a log: over pairs of words, continued from frame to frame.
struct LogSum {
  bool swapped = false;  // words are big-endian
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  void add(core::ByteView bytes);
  [[nodiscard]] std::uint32_t word(const std::byte* at) const {
    return swapped ? big_endian(at) : core::load<std::uint32_t>(at);
  }
  /// Returns true if the eight bytes at `at` are this sum.
  [[nodiscard]] bool is_at(const std::byte* at) const {
    return first == big_endian(at) && second == big_endian(at + 4);
  }
};

/// Returns the error of a file that failed to open, from errno: "not writable" if access is denied, or "file error".
core::Error open_error(const std::string& path);

/// Checks a log. A missing log is valid. Errors: "damaged"; "not writable" or "file error" if it cannot be read.
core::Status check_log(const std::string& path);

}  // namespace mobula::store
