// Bytes in at the end, out at the front, always contiguous. Owns them.
// Moves what is left only when at least as much has been consumed, so a byte is moved about once;
// gives memory back when it runs empty after having been large.
#pragma once

#include <mobula/core/assert.hpp>
#include <mobula/core/bytes.hpp>

namespace mobula::transport {

class ByteQueue {
 public:
  static constexpr std::size_t kept_bytes = 64 * 1024;

  [[nodiscard]] std::size_t size() const { return bytes_.size() - head_; }
  [[nodiscard]] bool empty() const { return size() == 0; }
  // Valid until the next append or consume.
  [[nodiscard]] core::ByteView view() const { return {bytes_.data() + head_, size()}; }

  void append(core::ByteView bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  template <class T>
  void append_value(const T& value) {
    append(core::as_bytes(&value, 1));
  }

  void consume(std::size_t count) {
    MOBULA_ASSERT(count <= size(), "consumes more than there is");
    head_ += count;
    if (empty()) {
      clear();
    } else if (head_ >= size()) {
      bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
  }

  void clear() {
    bytes_.clear();
    head_ = 0;
    if (bytes_.capacity() > kept_bytes) core::Bytes().swap(bytes_);
  }

 private:
  core::Bytes bytes_;
  std::size_t head_ = 0;
};

}  // namespace mobula::transport
