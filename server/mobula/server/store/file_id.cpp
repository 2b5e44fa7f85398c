#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <mobula/core/format.hpp>
#include <mobula/server/store/file_id.hpp>

namespace mobula::store {

core::Result<std::optional<FileId>> file_at(const std::string& path) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) == 0) return std::optional(FileId{found.st_dev, found.st_ino});
  if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) return std::optional<FileId>();
  return core::Error{"file error", core::format("{} cannot be examined: {}", path, std::strerror(errno))};
}

}  // namespace mobula::store
