#include <algorithm>
#include <cstring>
#include <mobula/core/format.hpp>
#include <mobula/core/log_buffer.hpp>

namespace mobula::core {

void LogBuffer::put(const void* from, std::size_t size) {
  if (size == 0) return;  // `from` may be null
  const std::size_t at = (first_ + used_) % bytes_.size();
  const std::size_t head = std::min(size, bytes_.size() - at);
  std::memcpy(bytes_.data() + at, from, head);
  std::memcpy(bytes_.data(), static_cast<const char*>(from) + head, size - head);
  used_ += size;
}

// Copies bytes of the oldest line, from `after` its beginning on.
void LogBuffer::get(void* to, std::size_t size, std::size_t after) const {
  if (size == 0) return;  // `to` may be null
  const std::size_t at = (first_ + after) % bytes_.size();
  const std::size_t head = std::min(size, bytes_.size() - at);
  std::memcpy(to, bytes_.data() + at, head);
  std::memcpy(static_cast<char*>(to) + head, bytes_.data(), size - head);
}

void LogBuffer::remove(std::size_t size) {
  first_ = (first_ + size) % bytes_.size();
  used_ -= size;
}

void LogBuffer::write(LogLevel level, std::string_view text) {
  const SpinLock::Guard locked(lock_, [this] { clear(); });
  if (lost_ > 0 || sizeof(Head) + text.size() > free_bytes()) {
    ++lost_;
    return;
  }
  const Head head{level, static_cast<std::uint32_t>(text.size())};
  put(&head, sizeof head);
  put(text.data(), text.size());
}

std::optional<LogBuffer::Line> LogBuffer::read(std::span<char> text) {
  const SpinLock::Guard locked(lock_, [this] { clear(); });
  if (used_ > 0) {
    Head head;
    get(&head, sizeof head, 0);
    get(text.data(), std::min<std::size_t>(text.size(), head.length), sizeof head);
    if (head.length <= text.size()) remove(sizeof head + head.length);
    return Line{head.level, head.length};
  }
  if (lost_ == 0) return std::nullopt;
  char lost_lines[64];
  const auto end = fmt::format_to_n(lost_lines, sizeof lost_lines, "{:<9} {} lines are lost here: the log was not read",
                                    "log", lost_);
  std::copy_n(lost_lines, std::min(text.size(), end.size), text.data());
  if (end.size <= text.size()) lost_ = 0;
  return Line{LogLevel::warn, end.size};
}

}  // namespace mobula::core
