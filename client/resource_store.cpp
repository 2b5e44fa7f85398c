#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <mobula/client/resource_store.hpp>
#include <mobula/core/format.hpp>
#include <utility>

namespace mobula::client {
namespace {

core::Error not_written(const std::string& path) {
  return {"not written", core::format("{}: {}", path, std::strerror(errno))};
}

}  // namespace

core::Result<ResourceStore> ResourceStore::open(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder)) {
    const std::string why = error ? error.message() : "is no folder";
    return core::Error{"no folder", core::format("{}: {}", folder, why)};
  }
  return ResourceStore(folder);
}

std::string ResourceStore::path(const core::ContentHash& identity) const {
  return core::format("{}/{}.level", folder_, to_string(identity));
}

std::shared_ptr<const resource::Resource> ResourceStore::find(const core::ContentHash& identity) const {
  const std::string whole = path(identity);
  core::Result<std::shared_ptr<const resource::Resource>> resource = resource::Resource::map(whole);
  if (resource && (*resource)->identity() == identity) return *resource;
  std::remove(whole.c_str());
  return nullptr;
}

std::vector<std::shared_ptr<const resource::Resource>> ResourceStore::newest(std::size_t count_max) const {
  std::vector<std::pair<std::filesystem::file_time_type, std::string>> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error))
    if (entry.path().extension() == ".level") files.emplace_back(entry.last_write_time(error), entry.path().string());
  std::ranges::sort(files, std::ranges::greater());
  std::vector<std::shared_ptr<const resource::Resource>> resources;
  for (const auto& [time, path] : files) {
    if (resources.size() == count_max) break;
    core::Result<std::shared_ptr<const resource::Resource>> found = resource::Resource::map(path);
    if (found && this->path((*found)->identity()) == path) resources.push_back(*found);
  }
  return resources;
}

core::Result<ResourceStore::Reception> ResourceStore::receive(const core::ContentHash& identity,
                                                              std::uint64_t size) const {
  if (size == 0 || size > resource_bytes_max)
    return core::Error{"too large",
                       core::format("a resource of {} bytes; at most {} are taken", size, resource_bytes_max)};
  Reception reception;
  reception.identity_ = identity;
  reception.size_ = size;
  reception.whole_ = path(identity);
  reception.part_ = core::format("{}/{}.part", folder_, to_string(identity));
  reception.file_ = ::open(reception.part_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (reception.file_ < 0) return not_written(reception.part_);
  if (::flock(reception.file_, LOCK_EX | LOCK_NB) != 0)
    return core::Error{"busy", core::format("{}: another process receives it", reception.part_)};
  // Who had the lock before may have finished: then this is the whole file, under its name by now.
  struct stat found = {};
  struct stat named = {};
  if (::fstat(reception.file_, &found) != 0) return not_written(reception.part_);
  if (::stat(reception.part_.c_str(), &named) != 0 || named.st_ino != found.st_ino || named.st_dev != found.st_dev)
    return core::Error{"busy", core::format("{}: another process has just received it", reception.part_)};
  reception.received_ = static_cast<std::uint64_t>(found.st_size);
  // More than all of it, or all of it and never finished: it is no good beginning.
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
    return core::Error{"out of order", core::format("byte {} where {} is next", offset, received_)};
  if (bytes.size() > size_ - received_)
    return core::Error{"too large", core::format("more than the {} bytes that were announced", size_)};
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
    return core::Error{"damaged", core::format("what came is not resource {:.16}: {}", to_string(identity_),
                                               resource ? "its content is another" : resource.error().message)};
  }
  const bool placed = std::rename(part_.c_str(), whole_.c_str()) == 0;
  const core::Error error = not_written(whole_);
  stop(false);
  if (!placed) return error;
  return true;
}

}  // namespace mobula::client
