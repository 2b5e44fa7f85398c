#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mobula/core/format.hpp>
#include <mobula/process/complete_files.hpp>
#include <mobula/process/files.hpp>

namespace mobula::process {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

core::Error missing(const std::string& path, std::string_view why) {
  return {"missing", core::format("{}: {}", path, why)};
}

core::Error too_large(const std::string& path, std::size_t limit) {
  return {"too large", core::format("{}: larger than {} bytes", path, limit)};
}

// Opens a file that must be a regular one. Does not wait for the writer of a pipe.
core::Result<File> open_regular_file(const std::string& path) {
  const int opened = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (opened < 0) return missing(path, std::strerror(errno));
  File file(::fdopen(opened, "rb"));
  if (file == nullptr) {
    const core::Error error = missing(path, std::strerror(errno));
    ::close(opened);
    return error;
  }
  struct stat found = {};
  if (::fstat(opened, &found) != 0 || !S_ISREG(found.st_mode)) return missing(path, "is not a regular file");
  return file;
}

core::Result<core::Bytes> read_all(std::FILE& file, const std::string& path, std::size_t limit) {
  core::Bytes bytes;
  std::size_t got = 1;
  while (got > 0 && bytes.size() <= limit) {
    const std::size_t before = bytes.size();
    bytes.resize(before + (before < 65536 ? 65536 : before));
    got = std::fread(bytes.data() + before, 1, bytes.size() - before, &file);
    bytes.resize(before + got);
  }
  if (std::ferror(&file) != 0) return missing(path, std::strerror(errno));
  if (bytes.size() > limit) return too_large(path, limit);
  return bytes;
}

// A file that is written, but not yet renamed to its final path.
struct Pending {
  std::string target;
  std::string temporary;
  bool fresh = false;  // no file existed there before
  bool renamed = false;
};

core::Error not_written(const std::string& path, std::string_view why) {
  return {"not written", core::format("{}: {}", path, why)};
}

core::Result<Pending> find_target(const std::string& path) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) == 0) {
    if (!S_ISREG(found.st_mode)) return not_written(path, "is not a regular file and stays as it is");
    std::error_code failed;
    const std::string target = std::filesystem::canonical(path, failed).string();
    if (failed) return not_written(path, failed.message());
    return Pending{target, core::format("{}.{}.tmp", target, ::getpid()), false, false};
  }
  if (errno != ENOENT) return not_written(path, std::strerror(errno));
  if (::lstat(path.c_str(), &found) == 0) return not_written(path, "is a link that leads nowhere");
  return Pending{path, core::format("{}.{}.tmp", path, ::getpid()), true, false};
}

core::Result<Pending> prepare(const NewFile& wanted) {
  core::Result<Pending> pending = find_target(wanted.path);
  if (!pending) return pending;
  const auto failed = [&] {
    const core::Error error = not_written(wanted.path, std::strerror(errno));
    std::remove(pending->temporary.c_str());
    return error;
  };
  File file(std::fopen(pending->temporary.c_str(), "wb"));
  if (file == nullptr) return not_written(wanted.path, std::strerror(errno));
  if (!wanted.content.empty() &&
      std::fwrite(wanted.content.data(), 1, wanted.content.size(), file.get()) != wanted.content.size())
    return failed();
  if (std::fflush(file.get()) != 0 || !sync_file(::fileno(file.get()))) return failed();
  if (std::fclose(file.release()) != 0) return failed();
  return pending;
}

void undo(const std::vector<Pending>& pending) {
  for (const Pending& each : pending) {
    if (!each.renamed) std::remove(each.temporary.c_str());
    if (each.renamed && each.fresh) std::remove(each.target.c_str());
  }
}

std::filesystem::path full_path(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path full = std::filesystem::weakly_canonical(std::filesystem::absolute(path, failed), failed);
  return failed ? std::filesystem::path(path).lexically_normal() : full;
}

}  // namespace

core::Result<core::Bytes> read_file(const std::string& path, std::size_t limit) {
  const File file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return missing(path, std::strerror(errno));
  return read_all(*file, path, limit);
}

core::Result<core::Bytes> read_regular_file(const std::string& path, std::size_t limit) {
  const core::Result<File> file = open_regular_file(path);
  if (!file) return file.error();
  return read_all(**file, path, limit);
}

core::Result<core::SharedBytes> map_file(const std::string& path, std::size_t limit) {
  const core::Result<File> opened = open_regular_file(path);
  if (!opened) return opened.error();
  const int file = ::fileno(opened->get());
  struct stat found = {};
  if (::fstat(file, &found) != 0) return missing(path, std::strerror(errno));
  const auto size = static_cast<std::size_t>(found.st_size);
  if (size > limit) return too_large(path, limit);
  if (size == 0) return core::SharedBytes{};  // an empty file cannot be mapped
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (at == MAP_FAILED) return missing(path, std::strerror(errno));
  const std::shared_ptr<void> owner(at, [size](void* pages) { ::munmap(pages, size); });
  return core::SharedBytes{{static_cast<const std::byte*>(at), size}, owner};
}

core::Status write_files(const std::vector<NewFile>& files) {
  std::vector<Pending> pending;
  for (const NewFile& file : files) {
    core::Result<Pending> prepared = prepare(file);
    if (!prepared) {
      undo(pending);
      return prepared.error();
    }
    pending.push_back(std::move(*prepared));
  }
  for (std::size_t i = 0; i < pending.size(); ++i) {
    Pending& each = pending[i];
    if (std::rename(each.temporary.c_str(), each.target.c_str()) != 0) {
      const core::Error error = not_written(files[i].path, std::strerror(errno));
      undo(pending);
      return error;
    }
    each.renamed = true;
  }
  for (const Pending& each : pending) sync_folder_of(each.target);
  return core::Done{};
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat of_a = {};
  struct stat of_b = {};
  const bool a_there = ::stat(a.c_str(), &of_a) == 0;
  const bool b_there = ::stat(b.c_str(), &of_b) == 0;
  if (a_there && b_there) return of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
  return a_there == b_there && full_path(a) == full_path(b);
}

}  // namespace mobula::process
