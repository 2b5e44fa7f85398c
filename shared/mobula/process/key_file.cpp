#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mobula/core/format.hpp>
#include <mobula/core/hex.hpp>
#include <mobula/core/log.hpp>
#include <mobula/core/random_source.hpp>
#include <mobula/process/files.hpp>
#include <mobula/process/key_file.hpp>

namespace mobula::process {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] bool open() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

core::Error failed(const char* reason, const std::string& path) {
  return {reason, core::format("{}: {}", path, std::strerror(errno))};
}

// Reads the beginning of a file, up to the size of `buffer`. Returns the number of bytes, or -1 on an error.
ssize_t read_into(const Descriptor& file, std::span<char> buffer) {
  std::size_t size = 0;
  while (size < buffer.size()) {
    const ssize_t got = ::read(file.number(), buffer.data() + size, buffer.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  return static_cast<ssize_t>(size);
}

bool write_all(const Descriptor& file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(file.number(), text.data(), text.size());
    if (put < 0 && errno != EINTR) return false;
    if (put > 0) text.remove_prefix(static_cast<std::size_t>(put));
  }
  return sync_file(file.number());
}

}  // namespace

core::Result<KeyFile> load_key_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) return failed("cannot read", path);
  std::array<char, 1024> buffer;
  const ssize_t size = read_into(file, buffer);
  if (size < 0) return failed("cannot read", path);
  std::string_view text(buffer.data(), static_cast<std::size_t>(size));
  text.remove_suffix(text.size() - (text.find_last_not_of(" \t\r\n") + 1));
  KeyFile result;
  const std::optional<core::Bytes> key = core::from_hex(text);
  if (!key || key->size() != result.key.size())
    return core::Error{
        "malformed", core::format("{}: not a key: expected 64 hex digits (mobula-token --new-key creates one)", path)};
  std::copy(key->begin(), key->end(), result.key.begin());
  result.others_may_read = others_may_read(path);
  return result;
}

core::Result<core::SecretKey> load_shared_key(const std::string& path, std::string_view module) {
  const core::Result<KeyFile> file = load_key_file(path);
  if (!file) return file.error();
  if (file->others_may_read) core::log_warn(module, "{}: others may read this key (chmod 600)", path);
  return file->key;
}

core::Result<core::SecretKey> create_key_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file.open()) return failed(errno == EEXIST ? "exists" : "cannot write", path);
  core::SecretKey key;
  core::random_bytes(key);
  if (write_all(file, core::to_hex(key) + '\n')) return key;
  const core::Error error = failed("cannot write", path);
  ::unlink(path.c_str());
  return error;
}

}  // namespace mobula::process
