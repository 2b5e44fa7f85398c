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
#include <mobula/client/files/resource_folder.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/hex.hpp>
#include <mobula/resource/files/resource_file.hpp>
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
    // Built as in ResourceFolder::path, so that paths compare equal: the folder may end with a slash.
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

core::Result<ResourceFolder> ResourceFolder::open(const std::string& folder, std::uint64_t bytes_max) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder)) {
    const std::string why = error ? error.message() : "not a folder";
    return core::Error{"no folder", core::format("{}: {}", folder, why)};
  }
  return ResourceFolder(folder, bytes_max);
}

std::string ResourceFolder::path(const core::ContentHash& identity) const {
  return core::format("{}/{}.level", folder_, to_string(identity));
}

std::string ResourceFolder::part_path(const core::ContentHash& identity) const {
  return core::format("{}/{}.part", folder_, to_string(identity));
}

std::shared_ptr<const resource::Resource> ResourceFolder::find(const core::ContentHash& identity) {
  const std::string whole = path(identity);
  core::Result<std::shared_ptr<const resource::Resource>> resource = resource::map_file(whole);
  if (resource && (*resource)->identity() == identity) {
    touch(whole);
    return *resource;
  }
  const bool is_unread = !resource && std::string_view(resource.error().reason) == "missing";  // or not readable now
  if (!is_unread) std::remove(whole.c_str());
  return nullptr;
}

std::vector<std::shared_ptr<const resource::Resource>> ResourceFolder::newest(std::size_t count_max) {
  const std::vector<Kept> files = files_of(folder_);
  std::vector<std::shared_ptr<const resource::Resource>> resources;
  for (auto file = files.rbegin(); file != files.rend() && resources.size() < count_max; ++file) {
    if (!file->whole()) continue;
    core::Result<std::shared_ptr<const resource::Resource>> found = resource::map_file(file->path);
    if (found && path((*found)->identity()) == file->path) resources.push_back(*found);
  }
  return resources;
}

core::Status ResourceFolder::make_room(const std::string& part, std::uint64_t size) const {
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

// Closes a file at its end, which unlocks it.
class ResourceFolder::FolderReception final : public Reception {
 public:
  FolderReception(const core::ContentHash& identity, std::uint64_t size, std::string part, std::string whole)
      : Reception(identity, size), size_(size), part_(std::move(part)), whole_(std::move(whole)) {}
  ~FolderReception() override { stop(false); }
  FolderReception(const FolderReception&) = delete;
  FolderReception& operator=(const FolderReception&) = delete;

  // Opens and locks the part. `make_room` is called in between.
  template <class MakeRoom>
  core::Status open(const MakeRoom& make_room);

 private:
  core::Status write(core::ByteView bytes) override;
  core::Status finish() override;
  void stop(bool discard);

  std::uint64_t size_;
  std::string part_;
  std::string whole_;
  int file_ = -1;
};

template <class MakeRoom>
core::Status ResourceFolder::FolderReception::open(const MakeRoom& make_room) {
  file_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (file_ < 0) return not_written(part_);
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0)
    return core::Error{"busy", core::format("{}: another process is receiving it", part_)};
  if (!is_named(file_, part_))
    return core::Error{"busy", core::format("{}: another process has just received it", part_)};
  if (const core::Status room = make_room(); !room) {
    stop(true);
    return room;
  }
  struct stat found = {};
  if (::fstat(file_, &found) != 0) return not_written(part_);
  auto received = static_cast<std::uint64_t>(found.st_size);
  // As long as the resource or longer, and yet not complete: the part is useless.
  if (received >= size_) {
    if (::ftruncate(file_, 0) != 0) return not_written(part_);
    received = 0;
  }
  continue_at(received);
  return core::Done{};
}

void ResourceFolder::FolderReception::stop(bool discard) {
  if (file_ < 0) return;
  if (discard) std::remove(part_.c_str());
  ::close(std::exchange(file_, -1));
}

core::Status ResourceFolder::FolderReception::write(core::ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const core::Error error = not_written(part_);
      stop(false);
      return error;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return core::Done{};
}

core::Status ResourceFolder::FolderReception::finish() {
  if (const auto verified = verify_received(identity(), resource::load_file(part_)); !verified) {
    stop(true);
    return verified.error();
  }
  const bool placed = std::rename(part_.c_str(), whole_.c_str()) == 0;
  const core::Error error = not_written(whole_);
  if (placed) touch(whole_);
  stop(false);
  if (!placed) return error;
  return core::Done{};
}

core::Result<std::unique_ptr<ResourceStore::Reception>> ResourceFolder::receive(const core::ContentHash& identity,
                                                                                std::uint64_t size) {
  if (const core::Status fits = check_resource_size(size, bytes_max_); !fits) return fits.error();
  const std::string part = part_path(identity);
  auto reception = std::make_unique<FolderReception>(identity, size, part, path(identity));
  if (const core::Status opened = reception->open([&] { return make_room(part, size); }); !opened)
    return opened.error();
  return std::unique_ptr<Reception>(std::move(reception));
}

}  // namespace mobula::client
