#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <headless/temporary_folder.hpp>
#include <mobula/core/format.hpp>

namespace mobula::client {

core::Result<TemporaryFolder> TemporaryFolder::make() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) return core::Error{"no folder", core::format("no place for temporary files: {}", error.message())};
  std::string path = (folder / "mobula.XXXXXX").string();
  if (::mkdtemp(path.data()) == nullptr)
    return core::Error{"no folder", core::format("{}: {}", path, std::strerror(errno))};
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace mobula::client
