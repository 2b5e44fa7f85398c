// A stand-in for Agones' sidecar: SidecarModel behind HTTP/1.1 on a port of this machine, on a thread of its own. It
// can be slow, close connections, refuse, answer nonsense, and be absent.
#pragma once

#include <atomic>
#include <list>
#include <map>
#include <mutex>
#include <net/raw_http.hpp>
#include <server/agones/sidecar_model.hpp>
#include <thread>
#include <vector>

namespace mobula::agones::test {

using mobula::test::RawSocket;

// Ways in which a request goes wrong.
enum class Trouble : std::uint8_t {
  none,
  silent,        // it is never answered
  lost_request,  // the connection is closed, nothing is carried out
  lost_answer,   // it is carried out, and the connection is closed without an answer
  unavailable,   // status 503
  nonsense,      // status 200, and a body that is no JSON
  wrong_object,  // status 200, and a JSON object without the expected fields
  no_http,       // bytes that are no HTTP
  closes_after,  // it is answered, and the connection is closed
};

class SidecarTwin {
 public:
  // Starts at once, or has a port where nothing listens until start().
  explicit SidecarTwin(bool started = true);
  ~SidecarTwin();
  SidecarTwin(const SidecarTwin&) = delete;
  SidecarTwin& operator=(const SidecarTwin&) = delete;

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  void start();
  // Closes all connections and the port.
  void stop();

  // Applies to requests whose path begins with `path`, until it is set again.
  void set_trouble(Trouble trouble, const std::string& path = "/");
  // Calls `change` while no request is handled.
  template <class Change>
  auto with_model(Change change) {
    const std::lock_guard lock(mutex_);
    return change(model_);
  }
  [[nodiscard]] std::string state() {
    return with_model([](const SidecarModel& model) { return model.state; });
  }
  // Returns the bodies of the requests to a path, in order.
  [[nodiscard]] std::vector<std::string> bodies(const std::string& path);
  [[nodiscard]] int accepted() const { return accepted_; }

 private:
  struct Peer {
    RawSocket socket;
    std::string received;
  };

  void serve();
  void accept();
  // Returns false if the connection ends.
  bool receive(Peer& peer);
  bool handle(Peer& peer, const ModelRequest& request);
  [[nodiscard]] Trouble trouble_of(const std::string& path) const;

  std::mutex mutex_;
  SidecarModel model_;
  std::map<std::string, Trouble> troubles_;
  std::vector<ModelRequest> requests_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  std::list<Peer> peers_;  // a RawSocket is not assignable
  std::atomic<int> accepted_ = 0;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace mobula::agones::test
