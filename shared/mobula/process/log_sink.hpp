// Writes the lines of a log to a file descriptor. A line that cannot be written, because the reader has ended (EPIPE)
// or the disk is full (ENOSPC), is lost and counted. A report of the lost lines precedes the next line that is written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mobula::process {

/// Writes lines to a file descriptor. A write waits for the reader, the terminal or the disk.
class LogSink {
 public:
  /// Returns the line that reports `lost` lines, with its line feed.
  using Report = std::string (*)(std::uint64_t lost);

  LogSink(int descriptor, Report report) : descriptor_(descriptor), report_(report) {}

  /// Writes a line, which ends with a line feed. Returns false if it is lost.
  bool write(std::string_view line);
  /// Counts lines that were dropped elsewhere, and reports them if that can be written now.
  void add_lost(std::uint64_t lines);
  /// Returns the lost lines that no report has named yet.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  bool write_report();
  bool write_line(std::string_view line);

  int descriptor_;
  Report report_;
  std::uint64_t lost_ = 0;
  bool torn_ = false;  // the last line was written in part
};

}  // namespace mobula::process
