// Sees to it that one server has a file, by whatever name: of all processes, and in this one.
#pragma once

#include <mobula/server/store/file_id.hpp>

namespace mobula::store {

// A lock that goes with the process, however it ends.
class FileLock {
 public:
  // Of a file, which is made if there is none. One that this process has locked is not even opened: to close it again
  // would end what other locks the process has on it (POSIX), as SQLite's. Reasons: "in use", "not writable", "file
  // error".
  static core::Result<FileLock> take(const std::string& path);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

  [[nodiscard]] const FileId& id() const { return id_; }

 private:
  FileLock(int descriptor, const FileId& id) : descriptor_(descriptor), id_(id) {}

  int descriptor_ = -1;
  FileId id_;  // none until it is locked
};

}  // namespace mobula::store
