// A temporary folder that is removed when the test ends, and the world files in it.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace mobula::store {

namespace fs = std::filesystem;

class TestFolder {
 public:
  TestFolder() {
    const fs::path parent = parent_folder();
    std::string made = (parent / "mobula_store_XXXXXX").string();
    if (::mkdtemp(made.data()) == nullptr) throw std::runtime_error("no folder can be made in " + parent.string());
    path_ = made;
  }
  ~TestFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  [[nodiscard]] fs::path path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name = "world.db") const { return (path_ / name).string(); }

 private:
  // In memory if possible, as each commit waits for a disk. run_suite.sh names a folder, which it checks.
  static fs::path parent_folder() {
    if (const char* const named = std::getenv("TEST_MEMORY_TMPDIR")) return named;
    return fs::is_directory("/dev/shm") ? "/dev/shm" : fs::temp_directory_path();
  }

  fs::path path_;
};

// Copies the files as a kill at this moment would leave them. The owner keeps its lock.
inline void copy_world(const std::string& from, const std::string& to) {
  for (const char* suffix : {"", "-wal"}) {
    fs::remove(to + suffix);
    if (fs::exists(from + suffix)) fs::copy_file(from + suffix, to + suffix);
  }
  fs::remove(to + "-shm");
}

// Returns the bytes of a file. Empty if it is missing.
inline std::string read_file_bytes(const std::string& path) {
  std::string bytes(fs::exists(path) ? fs::file_size(path) : 0, '\0');
  std::ifstream(path, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}
inline void write_file_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace mobula::store
