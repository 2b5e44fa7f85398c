#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <mobula/process/log_sink.hpp>

namespace mobula::process {
namespace {

// Another process may have made the descriptor non-blocking.
bool wait_for_room(int descriptor) {
  pollfd wanted{.fd = descriptor, .events = POLLOUT, .revents = 0};
  return ::poll(&wanted, 1, -1) >= 0 || errno == EINTR;
}

// Returns the rest that could not be written.
std::string_view write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    if (written >= 0 || errno == EINTR) continue;
    if (errno != EAGAIN || !wait_for_room(descriptor)) break;
  }
  return text;
}

}  // namespace

bool LogSink::write(std::string_view line) {
  if (write_report() && write_line(line)) return true;
  ++lost_;
  return false;
}

void LogSink::add_lost(std::uint64_t lines) {
  lost_ += lines;
  write_report();
}

bool LogSink::write_report() {
  if (lost_ > 0 && write_line(report_(lost_))) lost_ = 0;
  return lost_ == 0;
}

bool LogSink::write_line(std::string_view line) {
  if (torn_ && !write_all(descriptor_, "\n").empty()) return false;
  torn_ = false;
  const std::string_view rest = write_all(descriptor_, line);
  torn_ = !rest.empty() && rest.size() < line.size();
  return rest.empty();
}

}  // namespace mobula::process
