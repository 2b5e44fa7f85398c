// Memory for work that is done in one go: what it holds does not outlive the work, but the memory does,
// so that who keeps a Scratch allocates only until it has grown to what is needed.
#pragma once

#include <cstddef>
#include <new>

namespace mobula::ecs {

class Scratch {
 public:
  static constexpr std::align_val_t alignment{64};

  Scratch() = default;
  ~Scratch() { ::operator delete(memory_, alignment); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // Of undefined content, and the owner's until it asks again. Asking for no more than before cannot fail.
  std::byte* room(std::size_t bytes) {
    if (bytes > size_) grow(bytes > size_ + size_ / 2 ? bytes : size_ + size_ / 2);
    return memory_;
  }
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
