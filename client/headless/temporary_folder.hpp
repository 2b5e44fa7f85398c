// A folder for as long as it lives, with all that is put into it.
#pragma once

#include <mobula/core/result.hpp>
#include <string>

namespace mobula::client {

class TemporaryFolder {
 public:
  // Reason: "no folder".
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
