// A pipe that is full, and whose reader reads when it is asked to.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace mobula::test {

// The report of a LogSink.
inline std::string report_lost(std::uint64_t lost) { return "lost " + std::to_string(lost) + "\n"; }

class UnreadPipe {
 public:
  UnreadPipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) std::abort();
    ::fcntl(ends_[1], F_SETPIPE_SZ, 4096);
    fill();
  }
  ~UnreadPipe() {
    close_reader();
    ::close(ends_[1]);
  }
  UnreadPipe(const UnreadPipe&) = delete;
  UnreadPipe& operator=(const UnreadPipe&) = delete;

  [[nodiscard]] int writer() const { return ends_[1]; }
  void close_reader() {
    if (ends_[0] >= 0) ::close(ends_[0]);
    ends_[0] = -1;
  }
  /// Waits until the pipe has bytes, and returns them without those that filled it.
  std::string read() {
    std::array<char, 65536> bytes;
    for (;;) {
      const ssize_t count = ::read(ends_[0], bytes.data(), bytes.size());
      if (count <= 0) std::abort();
      std::string text(bytes.data(), static_cast<std::size_t>(count));
      std::erase(text, filler);
      if (!text.empty()) return text;
    }
  }
  /// Reads until the text that was read contains `end`.
  std::string read_until(const std::string& end) {
    std::string text;
    while (text.find(end) == std::string::npos) text += read();
    return text;
  }

 private:
  static constexpr char filler = '\1';

  void fill() {
    const int flags = ::fcntl(ends_[1], F_GETFL);
    ::fcntl(ends_[1], F_SETFL, flags | O_NONBLOCK);
    while (::write(ends_[1], &filler, 1) == 1) {
    }
    ::fcntl(ends_[1], F_SETFL, flags);
  }

  std::array<int, 2> ends_{};
};

}  // namespace mobula::test
