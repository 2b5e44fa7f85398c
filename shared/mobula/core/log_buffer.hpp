// Lines of a log that wait for their reader: a ring of bytes, allocated once. For programs without a log of their own,
// such as an engine that hosts a client.
//
//   write ──► ring of bytes_max bytes: (level, length, text)… ──► read
//
// Lines that find no room are dropped and counted. Then none is added until the reader has all that were before them
// and a line with their number. So there is one gap at a time, and it is where that line is.
//
// A child of fork() has copies of its parent's lines, unless the fork interrupted a write or a read. Then it has none.
#pragma once

#include <cstdint>
#include <mobula/core/log_levels.hpp>
#include <mobula/core/spin_lock.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace mobula::core {

/// Bounded queue of lines. Thread-safe.
class LogBuffer {
 public:
  static constexpr std::size_t default_bytes_max = 64 * 1024;

  explicit LogBuffer(std::size_t bytes_max = default_bytes_max) : bytes_(bytes_max) {}

  /// Adds a line. Its text has no line feed.
  void write(LogLevel level, std::string_view text);

  /// A line that was read.
  struct Line {
    LogLevel level = LogLevel::off;
    std::size_t length = 0;  // bytes of its text
  };
  /// Copies the text of the oldest line, as much of it as fits. Removes the line if all did. Nothing if there is none.
  std::optional<Line> read(std::span<char> text);

 private:
  struct Head {
    LogLevel level;
    std::uint32_t length;
  };

  [[nodiscard]] std::size_t free_bytes() const { return bytes_.size() - used_; }
  void clear() { first_ = used_ = lost_ = 0; }
  void put(const void* from, std::size_t size);
  void get(void* to, std::size_t size, std::size_t after) const;
  void remove(std::size_t size);

  SpinLock lock_;
  std::vector<char> bytes_;  // its size never changes
  std::size_t first_ = 0;    // where the oldest line begins
  std::size_t used_ = 0;
  std::uint64_t lost_ = 0;  // dropped since the last line
};

}  // namespace mobula::core
