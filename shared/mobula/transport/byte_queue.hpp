// Queue of bytes in contiguous memory: append at the end, consume at the front. Owns the bytes.
// The remaining bytes are moved only when at least as many have been consumed, so each byte is moved about once.
// Memory is freed by trim(), and when a large queue becomes empty.
#pragma once

#include <algorithm>
#include <mobula/core/assert.hpp>
#include <mobula/core/bytes.hpp>
#include <mobula/core/prefetch.hpp>

namespace mobula::transport {

/// First-in first-out queue of contiguous bytes.
class ByteQueue {
 public:
  static constexpr std::size_t kept_bytes = 64 * 1024;

  [[nodiscard]] std::size_t size() const { return tail_ - head_; }
  [[nodiscard]] bool empty() const { return tail_ == head_; }
  [[nodiscard]] std::size_t capacity() const { return buffer_.size(); }
  /// Returns the queued bytes. Valid until the next append, extend, consume or trim.
  [[nodiscard]] core::ByteView view() const { return {buffer_.data() + head_, size()}; }

  /// Appends `count` uninitialised bytes and returns them for the caller to fill.
  core::MutableBytes extend(std::size_t count) {
    if (buffer_.size() - tail_ < count) make_room(count);
    tail_ += count;
    peak_ = std::max(peak_, size());
    return {buffer_.data() + tail_ - count, count};
  }
  void append(core::ByteView bytes) {
    if (!bytes.empty()) std::memcpy(extend(bytes.size()).data(), bytes.data(), bytes.size());
  }
  template <class T>
  void append_value(const T& value) {
    core::store(extend(sizeof(T)).data(), value);
  }

  /// Loads the memory of the next `count` bytes to append into the cache.
  void prefetch(std::size_t count) const {
    if (tail_ < buffer_.size())
      core::prefetch_for_write(buffer_.data() + tail_, std::min(count, buffer_.size() - tail_));
  }

  /// Removes bytes from the front. Requires count <= size().
  void consume(std::size_t count) {
    MOBULA_ASSERT(count <= size(), "consumes more bytes than the queue holds");
    head_ += count;
    if (empty()) {
      clear();
    } else if (head_ >= size()) {
      move_to_front();
    }
  }

  /// Removes all bytes. Frees the memory if it has more than kept_bytes.
  void clear() {
    head_ = tail_ = 0;
    if (buffer_.size() > kept_bytes) core::Bytes().swap(buffer_);
  }

  /// Frees memory if less than a quarter of it has been used since the last call. Call it every few seconds.
  void trim() {
    if (peak_ == 0) {
      core::Bytes().swap(buffer_);
    } else if (buffer_.size() > capacity_min && peak_ * 4 < buffer_.size()) {
      reallocate(std::max(peak_ * 2, capacity_min));
    }
    peak_ = size();
  }

 private:
  static constexpr std::size_t capacity_min = 256;

  void make_room(std::size_t count) {
    const std::size_t needed = size() + count;
    if (needed <= buffer_.size() / 2) {
      move_to_front();
    } else {
      reallocate(std::max({needed, buffer_.size() * 2, capacity_min}));
    }
  }
  void move_to_front() {
    std::memmove(buffer_.data(), buffer_.data() + head_, size());
    tail_ -= head_;
    head_ = 0;
  }
  void reallocate(std::size_t capacity) {
    core::Bytes buffer;
    buffer.reserve(capacity);
    const core::ByteView kept = view();
    buffer.assign(kept.begin(), kept.end());
    buffer.resize(capacity);
    buffer_.swap(buffer);
    tail_ = kept.size();
    head_ = 0;
  }

  core::Bytes buffer_;  // its size is the capacity
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
  std::size_t peak_ = 0;  // the largest size since the last trim
};

}  // namespace mobula::transport
