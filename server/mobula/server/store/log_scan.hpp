// Whether a write-ahead log is whole. SQLite takes a log up to the first frame that is not as it was written, and says
// nothing of what comes after: a flipped bit would quietly take the world back by many checkpoints.
//
//   0   header of 32 bytes, big-endian: magic, version, page size, count, two salts, two sums
//   32  frames: 24 bytes {page, pages after commit or 0, two salts, two sums}, then the page
//
// A log is begun anew with other salts; what follows its end is of older ones, or of transactions that failed and were
// written over in part. Sums go on from frame to frame: a frame that follows from the end of a transaction was written
// when that was on the disk, whole. So all before it has to be, and only the transaction at the end may not.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <string>

namespace mobula::store {

inline constexpr std::size_t log_header_bytes = 32;
inline constexpr std::size_t log_frame_header_bytes = 24;

inline std::uint32_t big_endian(const std::byte* at) { return __builtin_bswap32(core::load<std::uint32_t>(at)); }

// SQLite's own: over pairs of words, going on from the sum before.
struct LogSum {
  bool swapped = false;
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  void add(core::ByteView bytes);
  [[nodiscard]] std::uint32_t word(const std::byte* at) const {
    return swapped ? big_endian(at) : core::load<std::uint32_t>(at);
  }
  [[nodiscard]] bool is_at(const std::byte* at) const {
    return first == big_endian(at) && second == big_endian(at + 4);
  }
};

// Of a file that has just not opened: "not writable" where that is forbidden, "file error".
core::Error open_error(const std::string& path);

// Good if there is no log. Reasons: "damaged"; "not writable" and "file error", which cannot be read.
core::Status check_log(const std::string& path);

}  // namespace mobula::store
