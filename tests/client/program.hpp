// A program as a child process, and its output.
#pragma once

#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <signal.h>
#include <sstream>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace mobula {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Timeout of all waits. Only a program that hangs reaches it.
inline constexpr auto patience = std::chrono::seconds(60);

inline std::string read(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}
inline void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

// A child process with its output in files. It is killed with this object, and when the tests crash. A name without a
// path is that of a program of ours.
class Program {
 public:
  // Standard error is a file unless `err` is a descriptor.
  Program(const fs::path& folder, const std::string& name, std::vector<std::string> arguments, int err = -1) {
    static int count = 0;
    const std::string stem = fs::path(name).filename().string() + "." + std::to_string(++count);
    out_ = folder / (stem + ".out");
    err_ = folder / (stem + ".err");
    arguments.insert(arguments.begin(), (fs::path(MOBULA_BIN_DIR) / name).string());
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // even when the tests crash
    ::dup2(::open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    ::dup2(err >= 0 ? err : ::open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ~Program() {
    if (status_) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void signal(int number) const { ::kill(pid_, number); }
  [[nodiscard]] bool running() {
    if (status_) return false;
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == 0) return true;
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return false;
  }
  // Waits for the end of the program and returns its exit status, or 128 + n after signal n.
  int wait() {
    for (const auto end = steady_clock::now() + patience; running();) {
      if (steady_clock::now() > end) {
        ADD_FAILURE() << "does not end: " << err();
        return -1;
      }
      std::this_thread::sleep_for(milliseconds(5));
    }
    return *status_;
  }
  // Waits until the log contains a text. Returns false if the program ends before.
  bool logs(const std::string& text) { return wait_for(err_, text); }
  // Waits until the output contains a text. Returns false if the program ends before.
  bool prints(const std::string& text) { return wait_for(out_, text); }
  [[nodiscard]] std::string out() const { return read(out_); }
  [[nodiscard]] std::string err() const { return read(err_); }

 private:
  bool wait_for(const fs::path& where, const std::string& text) {
    for (const auto end = steady_clock::now() + patience; steady_clock::now() < end;) {
      const bool alive = running();
      if (read(where).find(text) != std::string::npos) return true;
      if (!alive) return false;
      std::this_thread::sleep_for(milliseconds(5));
    }
    return false;
  }

  fs::path out_;
  fs::path err_;
  pid_t pid_ = -1;
  std::optional<int> status_;
};

}  // namespace mobula
