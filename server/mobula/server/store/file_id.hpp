// Which file is at a path, whatever it is called and whichever links lead there.
#pragma once

#include <cstdint>
#include <mobula/core/result.hpp>
#include <optional>
#include <string>

namespace mobula::store {

// One of another file for as long as somebody has that open.
struct FileId {
  std::uint64_t device = 0;
  std::uint64_t number = 0;

  bool operator==(const FileId&) const = default;
};

// Nothing where there is no file. Reason: "file error", that cannot be told.
core::Result<std::optional<FileId>> file_at(const std::string& path);

}  // namespace mobula::store
