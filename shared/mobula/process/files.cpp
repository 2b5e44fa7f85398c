#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <mobula/process/files.hpp>

namespace mobula::process {

bool sync_file(int descriptor) { return ::fsync(descriptor) == 0 || errno == EINVAL; }

bool sync_file_at(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool synced = sync_file(descriptor);
  ::close(descriptor);
  return synced;
}

void sync_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  static_cast<void>(sync_file(descriptor));
  ::close(descriptor);
}

bool others_may_read(const std::string& path) {
  struct stat found = {};
  return ::stat(path.c_str(), &found) == 0 && (found.st_mode & (S_IRGRP | S_IROTH)) != 0;
}

}  // namespace mobula::process
