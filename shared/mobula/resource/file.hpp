// Whole files, read or mapped, and written at once.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <string>
#include <vector>

namespace mobula::resource {

// Reasons: "missing" (or not readable), "too large".
core::Result<core::Bytes> read_file(const std::string& path, std::size_t limit);

// Bytes that are owned, or a file's pages. Aligned to 16 at least.
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
  // Read only. Reasons: those of read_file.
  static core::Result<FileBytes> map(const std::string& path, std::size_t limit);

  [[nodiscard]] core::ByteView view() const { return view_; }

 private:
  void swap(FileBytes& other) noexcept {
    owned_.swap(other.owned_);  // the buffer stays where it is
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

// Writes all beside their places, then renames: whoever looks sees the old content or the new, never a part, and
// no new file if one cannot be written. (A rename that fails late does not bring back what earlier ones replaced.)
// Links are followed; what is there and no regular file stays as it is. Reason: "not written".
core::Status write_files(const std::vector<NewFile>& files);

// Whether two paths lead to one file, or will once it is there.
bool same_file(const std::string& a, const std::string& b);

}  // namespace mobula::resource
