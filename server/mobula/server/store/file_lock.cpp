#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mobula/core/format.hpp>
#include <mobula/server/store/file_lock.hpp>
#include <mutex>
#include <utility>
#include <vector>

namespace mobula::store {
namespace {

constexpr std::size_t text_bytes_max = 4096;
const core::Error in_use{"in use", "another server has locked it"};

// Files that this process has locked.
struct Held {
  std::mutex mutex;
  std::vector<FileId> ids;
};
Held& held() {
  static Held all;
  return all;
}

// Opens a read-only file as well: it is locked, and refused later with a precise reason.
int open_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  const int reason = errno;
  if (descriptor >= 0 || (reason != EACCES && reason != EROFS)) return descriptor;
  const int readable = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (readable < 0) errno = reason;
  return readable;
}

}  // namespace

core::Result<FileLock> FileLock::acquire(const std::string& path) {
  const std::lock_guard guard(held().mutex);
  const core::Result<std::optional<FileId>> there = file_at(path);
  if (!there) return there.error();
  if (std::ranges::find(held().ids, there->value_or(FileId{})) != held().ids.end()) return in_use;
  const int descriptor = open_file(path);
  const auto failed = [&] { return core::Error{"not writable", core::format("{}: {}", path, std::strerror(errno))}; };
  if (descriptor < 0) return failed();
  FileLock lock(descriptor, {});
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) return errno == EWOULDBLOCK ? in_use : failed();
  struct stat found = {};
  if (::fstat(descriptor, &found) != 0) return failed();
  lock.id_ = {found.st_dev, found.st_ino};
  held().ids.push_back(lock.id_);
  return lock;
}

std::string FileLock::text() const {
  std::string read(text_bytes_max, '\0');
  const ssize_t bytes = ::pread(descriptor_, read.data(), read.size(), 0);
  read.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  return read;
}

void FileLock::set_text(std::string_view text) const noexcept {
  if (::ftruncate(descriptor_, 0) != 0) return;
  [[maybe_unused]] const ssize_t written = ::pwrite(descriptor_, text.data(), text.size(), 0);
}

FileLock::FileLock(FileLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), id_(std::exchange(other.id_, {})) {}
FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(id_, other.id_);
  return *this;
}
FileLock::~FileLock() {
  if (id_ != FileId{}) {
    const std::lock_guard guard(held().mutex);
    std::erase(held().ids, id_);
  }
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace mobula::store
