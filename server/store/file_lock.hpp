// Sees to it that one process at a time has a file: the lock is held on another beside it, which stays.
#pragma once

#include <mobula/core/result.hpp>
#include <string>

namespace mobula::store {

// A lock that goes with the process, however it ends.
class FileLock {
 public:
  // Reasons: "in use", "not writable".
  static core::Result<FileLock> take(const std::string& path);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace mobula::store
