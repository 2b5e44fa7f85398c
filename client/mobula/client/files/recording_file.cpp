#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <mobula/client/files/recording_file.hpp>
#include <mobula/core/format.hpp>

namespace mobula::client {
namespace {

core::Error cannot_write(const std::string& path) {
  return {"not written", core::format("{}: {}", path, std::strerror(errno))};
}

class RecordingFile final : public RecordingSink {
 public:
  RecordingFile(std::string path, int file) : path_(std::move(path)), file_(file) {}
  ~RecordingFile() override { ::close(file_); }
  RecordingFile(const RecordingFile&) = delete;
  RecordingFile& operator=(const RecordingFile&) = delete;

  core::Status write(core::ByteView bytes) override {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return cannot_write(path_);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return core::Done{};
  }

 private:
  std::string path_;
  int file_;
};

class RecordedFile final : public RecordingSource {
 public:
  explicit RecordedFile(const std::string& path) : file_(path, std::ios::binary) {}

  [[nodiscard]] bool is_open() const { return file_.is_open(); }
  std::size_t read(core::MutableBytes out) override {
    file_.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
    return static_cast<std::size_t>(file_.gcount());
  }

 private:
  std::ifstream file_;
};

}  // namespace

core::Result<std::unique_ptr<RecordingWriter>> create_recording(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);  // it will hold keys
  if (file < 0) return cannot_write(path);
  return std::make_unique<RecordingWriter>(std::make_unique<RecordingFile>(path, file));
}

core::Result<std::unique_ptr<RecordingReader>> open_recording(const std::string& path) {
  auto file = std::make_unique<RecordedFile>(path);
  if (!file->is_open()) return core::Error{"missing", core::format("{}: {}", path, std::strerror(errno))};
  core::Result<std::unique_ptr<RecordingReader>> reader = RecordingReader::read(std::move(file));
  if (!reader) return core::Error{reader.error().reason, core::format("{}: {}", path, reader.error().message)};
  return reader;
}

}  // namespace mobula::client
