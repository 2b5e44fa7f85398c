// Complete files: reading, mapping, and atomic replacement.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <string>
#include <vector>

namespace mobula::resource {

/// Reads a file. Errors: "missing" (or not readable), "too large".
core::Result<core::Bytes> read_file(const std::string& path, std::size_t limit);
/// Reads a file that is a regular one: a pipe or a device could keep the caller waiting. Errors: those of read_file.
core::Result<core::Bytes> read_regular_file(const std::string& path, std::size_t limit);

/// Owned bytes or the pages of a mapped file. Aligned to 16.
class FileBytes {
 public:
  FileBytes() = default;
  explicit FileBytes(core::Bytes bytes) : owned_(std::move(bytes)), view_(owned_) {}
  FileBytes(FileBytes&& other) noexcept { swap(other); }
  FileBytes& operator=(FileBytes&& other) noexcept {
    swap(other);
    return *this;
  }
  ~FileBytes();
  /// Maps a file read-only. Errors: those of read_file.
  static core::Result<FileBytes> map(const std::string& path, std::size_t limit);

  [[nodiscard]] core::ByteView view() const { return view_; }

 private:
  void swap(FileBytes& other) noexcept {
    owned_.swap(other.owned_);  // the buffer keeps its address
    std::swap(view_, other.view_);
    std::swap(mapped_, other.mapped_);
  }

  core::Bytes owned_;  // operator new aligns to 16
  core::ByteView view_;
  bool mapped_ = false;
};

struct NewFile {
  std::string path;
  core::ByteView content;
};

/// Writes files beside their destinations, then renames them. Readers see the old or the new content, and no file
/// changes if one cannot be written. A late failure of a rename does not undo earlier renames. Links are followed;
/// destinations that are not regular files stay. Errors: "not written".
core::Status write_files(const std::vector<NewFile>& files);

/// Returns whether two paths lead to the same file, existing or not.
bool same_file(const std::string& a, const std::string& b);

}  // namespace mobula::resource
