// A real etcd of one or several members, on free ports of this machine.
#pragma once

#include <client/program.hpp>
#include <memory>
#include <net/raw_http.hpp>
#include <string>
#include <vector>

namespace mobula::test {

inline constexpr const char* etcd_program = "/usr/bin/etcd";

// Ports that are free now.
inline std::vector<int> free_ports(int count) {
  const std::vector<RawListener> listeners(static_cast<std::size_t>(count));
  std::vector<int> ports;
  for (const RawListener& each : listeners) ports.push_back(each.port());
  return ports;
}

inline std::string url(int port) { return "http://127.0.0.1:" + std::to_string(port); }

// An etcd of one or three members.
class Members {
 public:
  explicit Members(int count)
      : folder_(fs::path(std::getenv("TEST_MEMORY_TMPDIR") != nullptr ? std::getenv("TEST_MEMORY_TMPDIR")
                                                                      : testing::TempDir()) /
                ("etcd." + std::to_string(::getpid()) + "." + std::to_string(++made))),
        client_ports_(free_ports(2 * count)) {
    peer_ports_.assign(client_ports_.begin() + count, client_ports_.end());
    client_ports_.resize(static_cast<std::size_t>(count));
    fs::create_directories(folder_);
    for (std::size_t i = 0; i < client_ports_.size(); ++i) start(i);
  }
  ~Members() {
    programs_.clear();
    fs::remove_all(folder_);
  }

  [[nodiscard]] std::vector<std::string> urls() const {
    std::vector<std::string> all;
    for (const int each : client_ports_) all.push_back(url(each));
    return all;
  }
  [[nodiscard]] const fs::path& folder() const { return folder_; }
  void kill(std::size_t member) { programs_.at(member).reset(); }
  void pause(std::size_t member) { programs_.at(member)->signal(SIGSTOP); }
  void resume(std::size_t member) { programs_.at(member)->signal(SIGCONT); }
  // Saves the keys of the first member to a file.
  void back_up() {
    run_tool({"--endpoints", url(client_ports_[0]), "snapshot", "save", (folder_ / "backup").string()});
  }
  // Restores the keys of an only member. It stays the same cluster to its clients.
  void restore() {
    kill(0);
    fs::remove_all(folder_ / "m0");
    run_tool({"snapshot", "restore", (folder_ / "backup").string(), "--name", "m0", "--data-dir",
              (folder_ / "m0").string(), "--initial-cluster", initial_cluster(), "--initial-advertise-peer-urls",
              url(peer_ports_[0])});
    start(0);
  }
  void start(std::size_t member) {
    const std::string name = "m" + std::to_string(member);
    programs_.resize(std::max(programs_.size(), member + 1));
    programs_[member] = std::make_unique<Program>(
        folder_, etcd_program,
        std::vector<std::string>{"--name", name, "--data-dir", (folder_ / name).string(), "--listen-client-urls",
                                 url(client_ports_[member]), "--advertise-client-urls", url(client_ports_[member]),
                                 "--listen-peer-urls", url(peer_ports_[member]), "--initial-advertise-peer-urls",
                                 url(peer_ports_[member]), "--initial-cluster", initial_cluster(), "--unsafe-no-fsync",
                                 "--heartbeat-interval", "50", "--election-timeout", "300"});
  }

 private:
  static inline int made = 0;

  [[nodiscard]] std::string initial_cluster() const {
    std::string all;
    for (std::size_t i = 0; i < peer_ports_.size(); ++i)
      all += (i > 0 ? ",m" : "m") + std::to_string(i) + "=" + url(peer_ports_[i]);
    return all;
  }
  void run_tool(std::vector<std::string> arguments) const {
    Program tool(folder_, "/usr/bin/etcdctl", std::move(arguments));
    EXPECT_EQ(tool.wait(), 0) << tool.err();
  }

  fs::path folder_;
  std::vector<int> client_ports_;
  std::vector<int> peer_ports_;
  std::vector<std::unique_ptr<Program>> programs_;
};

}  // namespace mobula::test
