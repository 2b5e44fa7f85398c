// Sees to it that one process at a time has a file, by whatever name.
#pragma once

#include <mobula/core/result.hpp>
#include <string>

namespace mobula::store {

// A lock that goes with the process, however it ends.
class FileLock {
 public:
  // Of a file, which is made if there is none. Reasons: "in use", "not writable".
  static core::Result<FileLock> take(const std::string& path);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

  // Whether a path leads to this very file.
  [[nodiscard]] bool is_at(const std::string& path) const;

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace mobula::store
