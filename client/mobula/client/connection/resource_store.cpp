#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <mobula/client/connection/resource_store.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/hex.hpp>
#include <optional>
#include <tuple>
#include <utility>

namespace mobula::client {
namespace {

core::Error not_written(const std::string& path) {
  return {"not written", core::format("{}: {}", path, std::strerror(errno))};
}

// A file of the store.
struct Kept {
  std::pair<std::time_t, long> used;  // time of last use
  std::string path;
  std::uint64_t counted;

  [[nodiscard]] bool whole() const { return path.ends_with(".level"); }
};

std::uint64_t counted(std::uint64_t size) { return std::max(size, counted_bytes_min); }

// Whether a file is named HASH.level or HASH.part. Other programs may keep other files in the folder.
bool is_of_store(const std::filesystem::path& path) {
  const bool known = path.extension() == ".level" || path.extension() == ".part";
  const std::optional<core::Bytes> hash = core::from_hex(path.stem().string());
  return known && hash && hash->size() == sizeof(core::ContentHash);
}

// Lists the store's files, the most recently used last.
std::vector<Kept> files_of(const std::string& folder) {
  std::vector<Kept> files;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; at != end; at.increment(error)) {
    // Built as in ResourceStore::path, so that paths compare equal: the folder may end with a slash.
    const std::string path = core::format("{}/{}", folder, at->path().filename().string());
    struct stat found = {};
    if (!is_of_store(at->path()) || ::lstat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
    files.push_back(
        {{found.st_mtim.tv_sec, found.st_mtim.tv_nsec}, path, counted(static_cast<std::uint64_t>(found.st_size))});
  }
  std::ranges::sort(files, {}, [](const Kept& file) { return std::tie(file.used, file.path); });
  return files;
}

// Marks a file as used now. Sets an exact time: the kernel's own times have the resolution of its timer and may be
// equal.
void touch(const std::string& path) {
  std::error_code ignored;
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now(), ignored);
}

// Whether a file that was just locked is still at `path`. Its former owner may have completed or removed it.
bool is_named(int file, const std::string& path) {
  struct stat found = {};
  struct stat named = {};
  return ::fstat(file, &found) == 0 && ::stat(path.c_str(), &named) == 0 && named.st_ino == found.st_ino &&
         named.st_dev == found.st_dev;
}

// Removes a part. Returns false if a process is receiving it.
bool remove_part(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return false;
  const bool removed = ::flock(file, LOCK_EX | LOCK_NB) == 0 && is_named(file, path) && std::remove(path.c_str()) == 0;
  ::close(file);
  return removed;
}

}  // namespace

core::Result<ResourceStore> ResourceStore::open(const std::string& folder, std::uint64_t bytes_max) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder)) {
    const std::string why = error ? error.message() : "not a folder";
    return core::Error{"no folder", core::format("{}: {}", folder, why)};
  }
  return ResourceStore(folder, bytes_max);
}

std::string ResourceStore::path(const core::ContentHash& identity) const {
  return core::format("{}/{}.level", folder_, to_string(identity));
}

std::string ResourceStore::part_path(const core::ContentHash& identity) const {
  return core::format("{}/{}.part", folder_, to_string(identity));
}

std::shared_ptr<const resource::Resource> ResourceStore::find(const core::ContentHash& identity) const {
  const std::string whole = path(identity);
  core::Result<std::shared_ptr<const resource::Resource>> resource = resource::Resource::map(whole);
  if (resource && (*resource)->identity() == identity) {
    touch(whole);
    return *resource;
  }
  const bool is_unread = !resource && std::string_view(resource.error().reason) == "missing";  // or not readable now
  if (!is_unread) std::remove(whole.c_str());
  return nullptr;
}

std::vector<std::shared_ptr<const resource::Resource>> ResourceStore::newest(std::size_t count_max) const {
  const std::vector<Kept> files = files_of(folder_);
  std::vector<std::shared_ptr<const resource::Resource>> resources;
  for (auto file = files.rbegin(); file != files.rend() && resources.size() < count_max; ++file) {
    if (!file->whole()) continue;
    core::Result<std::shared_ptr<const resource::Resource>> found = resource::Resource::map(file->path);
    if (found && path((*found)->identity()) == file->path) resources.push_back(*found);
  }
  return resources;
}

core::Status ResourceStore::make_room(const std::string& part, std::uint64_t size) const {
  std::vector<Kept> files = files_of(folder_);
  std::erase_if(files, [&](const Kept& file) { return file.path == part; });
  std::uint64_t taken = counted(size);
  for (const Kept& file : files) taken += file.counted;
  for (auto oldest = files.begin(); oldest != files.end() && taken > bytes_max_; ++oldest) {
    const bool removed = oldest->whole() ? std::remove(oldest->path.c_str()) == 0 : remove_part(oldest->path);
    if (removed) taken -= oldest->counted;
  }
  if (taken <= bytes_max_) return core::Done{};
  return core::Error{"no room", core::format("{}: no room for {} more bytes: the limit is {}, and other resources are "
                                             "being received",
                                             folder_, size, bytes_max_)};
}

core::Result<ResourceStore::Reception> ResourceStore::receive(const core::ContentHash& identity,
                                                              std::uint64_t size) const {
  const std::uint64_t size_max = std::min(resource_bytes_max, bytes_max_);
  if (size == 0 || size > size_max)
    return core::Error{"too large", core::format("a resource of {} bytes; the limit is {}", size, size_max)};
  Reception reception;
  reception.identity_ = identity;
  reception.size_ = size;
  reception.whole_ = path(identity);
  reception.part_ = part_path(identity);
  reception.file_ = ::open(reception.part_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (reception.file_ < 0) return not_written(reception.part_);
  if (::flock(reception.file_, LOCK_EX | LOCK_NB) != 0)
    return core::Error{"busy", core::format("{}: another process is receiving it", reception.part_)};
  if (!is_named(reception.file_, reception.part_))
    return core::Error{"busy", core::format("{}: another process has just received it", reception.part_)};
  if (const core::Status room = make_room(reception.part_, size); !room) {
    reception.stop(true);
    return room.error();
  }
  struct stat found = {};
  if (::fstat(reception.file_, &found) != 0) return not_written(reception.part_);
  reception.received_ = static_cast<std::uint64_t>(found.st_size);
  // As long as the resource or longer, and yet not complete: the part is useless.
  if (reception.received_ >= size) {
    if (::ftruncate(reception.file_, 0) != 0) return not_written(reception.part_);
    reception.received_ = 0;
  }
  return reception;
}

ResourceStore::Reception::Reception(Reception&& other) noexcept { *this = std::move(other); }

ResourceStore::Reception& ResourceStore::Reception::operator=(Reception&& other) noexcept {
  std::swap(identity_, other.identity_);
  std::swap(part_, other.part_);
  std::swap(whole_, other.whole_);
  std::swap(size_, other.size_);
  std::swap(received_, other.received_);
  std::swap(file_, other.file_);
  return *this;
}

ResourceStore::Reception::~Reception() { stop(false); }

void ResourceStore::Reception::stop(bool discard) {
  if (file_ < 0) return;
  if (discard) std::remove(part_.c_str());
  ::close(std::exchange(file_, -1));
}

core::Result<bool> ResourceStore::Reception::append(std::uint64_t offset, core::ByteView bytes) {
  if (!under_way() || offset != received_)
    return core::Error{"out of order", core::format("received byte {} where byte {} is next", offset, received_)};
  if (bytes.size() > size_ - received_)
    return core::Error{"too large", core::format("received more than the announced {} bytes", size_)};
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const core::Error error = not_written(part_);
      stop(false);
      return error;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    received_ += static_cast<std::uint64_t>(written);
  }
  if (received_ < size_) return false;
  return finish();
}

core::Result<bool> ResourceStore::Reception::finish() {
  const core::Result<std::shared_ptr<const resource::Resource>> resource = resource::Resource::load(part_);
  if (!resource || (*resource)->identity() != identity_ || (*resource)->complete()) {
    stop(true);
    return core::Error{"damaged", core::format("the received bytes are not resource {:.16}: {}", to_string(identity_),
                                               resource ? "their hash differs" : resource.error().message)};
  }
  const bool placed = std::rename(part_.c_str(), whole_.c_str()) == 0;
  const core::Error error = not_written(whole_);
  if (placed) touch(whole_);
  stop(false);
  if (!placed) return error;
  return true;
}

}  // namespace mobula::client
