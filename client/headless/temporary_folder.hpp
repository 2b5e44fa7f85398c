// A temporary folder that is removed with its content on destruction.
#pragma once

#include <mobula/core/result.hpp>
#include <string>

namespace mobula::client {

class TemporaryFolder {
 public:
  /// Creates a folder where temporary files go. Reason: "no folder".
  static core::Result<TemporaryFolder> make();
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~TemporaryFolder();

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace mobula::client
