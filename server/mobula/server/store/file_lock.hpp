// Lock that gives a file to one server, among all processes and within this one. Other names of the file share it.
#pragma once

#include <mobula/server/store/file_id.hpp>

namespace mobula::store {

/// An exclusive lock on a file. The system releases it when the process ends.
class FileLock {
 public:
  /// Locks a file, which is created if it is missing. Errors: "in use", "not writable", "file error".
  /// A file that this process has locked is not opened again: closing a second descriptor would release
  /// the process's POSIX locks, such as SQLite's.
  static core::Result<FileLock> acquire(const std::string& path);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

  [[nodiscard]] const FileId& id() const { return id_; }
  /// Returns the begin of the file, at most 4 KiB. Empty if it cannot be read.
  [[nodiscard]] std::string text() const;
  /// Replaces the file's content, without allocating. Errors are ignored: the text is for people.
  void set_text(std::string_view text) const noexcept;

 private:
  FileLock(int descriptor, const FileId& id) : descriptor_(descriptor), id_(id) {}

  int descriptor_ = -1;
  FileId id_;  // zero until it is locked
};

}  // namespace mobula::store
