// Reusable memory for temporary data. The content is valid for one piece of work. The memory is kept: a Scratch
// stops allocating once it has grown to the size needed.
#pragma once

#include <cstddef>
#include <new>

namespace mobula::ecs {

/// Reusable memory for temporary data.
class Scratch {
 public:
  static constexpr std::align_val_t alignment{64};

  Scratch() = default;
  ~Scratch() { ::operator delete(memory_, alignment); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// Returns memory of undefined content, valid until the next call. Cannot fail if `bytes` is not larger than in an
  /// earlier call.
  std::byte* room(std::size_t bytes) {
    if (bytes > size_) grow(bytes > size_ + size_ / 2 ? bytes : size_ + size_ / 2);
    return memory_;
  }
  /// Returns room for `count` objects, none of which is constructed.
  template <class T>
  T* room_for(std::size_t count) {
    return reinterpret_cast<T*>(room(count * sizeof(T)));
  }

 private:
  void grow(std::size_t bytes) {
    ::operator delete(memory_, alignment);
    memory_ = nullptr;
    size_ = 0;
    memory_ = static_cast<std::byte*>(::operator new(bytes, alignment));
    size_ = bytes;
  }

  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace mobula::ecs
