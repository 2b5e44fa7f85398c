#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mobula/core/format.hpp>
#include <mobula/resource/file.hpp>

namespace mobula::resource {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

}  // namespace

core::Result<core::Bytes> read_file(const std::string& path, std::size_t limit) {
  const File file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return core::Error{"missing", core::format("{}: {}", path, std::strerror(errno))};
  core::Bytes bytes;
  std::size_t got = 1;
  while (got > 0 && bytes.size() <= limit) {
    const std::size_t before = bytes.size();
    bytes.resize(before + (before < 65536 ? 65536 : before));
    got = std::fread(bytes.data() + before, 1, bytes.size() - before, file.get());
    bytes.resize(before + got);
  }
  if (std::ferror(file.get()) != 0) return core::Error{"missing", core::format("{}: {}", path, std::strerror(errno))};
  if (bytes.size() > limit) return core::Error{"too large", core::format("{}: larger than {} bytes", path, limit)};
  return bytes;
}

core::Status write_file(const std::string& path, core::ByteView content) {
  const std::string temporary = core::format("{}.{}.tmp", path, ::getpid());
  const auto failed = [&] {
    const core::Error error{"not written", core::format("{}: {}", path, std::strerror(errno))};
    std::remove(temporary.c_str());
    return error;
  };
  {
    File file(std::fopen(temporary.c_str(), "wb"));
    if (file == nullptr) return failed();
    if (std::fwrite(content.data(), 1, content.size(), file.get()) != content.size()) return failed();
    if (std::fclose(file.release()) != 0) return failed();
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0) return failed();
  return core::Done{};
}

}  // namespace mobula::resource
