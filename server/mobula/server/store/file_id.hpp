// Identity of a file, independent of its names and of links to it.
#pragma once

#include <cstdint>
#include <mobula/core/result.hpp>
#include <optional>
#include <string>

namespace mobula::store {

/// Device and inode. Unique as long as the file exists or a process has it open.
struct FileId {
  std::uint64_t device = 0;
  std::uint64_t number = 0;  // inode

  bool operator==(const FileId&) const = default;
};

/// Returns the id of the file at `path`. Empty if there is no file. Error "file error" if that is unknown.
core::Result<std::optional<FileId>> file_at(const std::string& path);

}  // namespace mobula::store
