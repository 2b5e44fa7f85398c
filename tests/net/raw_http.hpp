// Raw bytes over TCP on the loopback address, for malformed requests and answers.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace mobula::test {

// One connection. Owns the socket.
class RawSocket {
 public:
  explicit RawSocket(int number) : number_(number) {}
  RawSocket(RawSocket&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  ~RawSocket() { close(); }

  static RawSocket connect(std::uint16_t port, const char* ip = "127.0.0.1") {
    RawSocket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = loopback(port);
    ::inet_pton(AF_INET, ip, &address.sin_addr);
    if (::connect(socket.number_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) socket.close();
    return socket;
  }
  static sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }

  [[nodiscard]] bool open() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t put = ::send(number_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (put <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
  }
  void end_sending() const { ::shutdown(number_, SHUT_WR); }
  // Returns the bytes received until the peer closes, or until they contain `end`.
  [[nodiscard]] std::string receive(std::string_view end = {}) const {
    std::string all;
    char buffer[4096];
    for (;;) {
      const ssize_t got = ::recv(number_, buffer, sizeof buffer, 0);
      if (got <= 0) return all;
      all.append(buffer, static_cast<std::size_t>(got));
      if (!end.empty() && all.find(end) != std::string::npos) return all;
    }
  }
  // Waits for data. Returns false after the timeout.
  [[nodiscard]] bool answers_within(int milliseconds) const {
    pollfd waits{.fd = number_, .events = POLLIN, .revents = 0};
    return ::poll(&waits, 1, milliseconds) == 1;
  }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_;
};

// A listening socket on a port that was free.
class RawListener {
 public:
  RawListener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = RawSocket::loopback(0);
    socklen_t size = sizeof address;
    ::bind(socket_.number(), reinterpret_cast<const sockaddr*>(&address), size);
    ::listen(socket_.number(), 8);
    ::getsockname(socket_.number(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  // Waits for a connection. It is not open after end().
  [[nodiscard]] RawSocket accept() const { return RawSocket(::accept(socket_.number(), nullptr, nullptr)); }
  void end() const { ::shutdown(socket_.number(), SHUT_RDWR); }

 private:
  RawSocket socket_;
  std::uint16_t port_ = 0;
};

// Accepts one connection, reads the header of a request and the part of the body received with it, and sends `answer`.
// Keeps the connection open on request.
class CannedServer {
 public:
  explicit CannedServer(std::string answer, bool keeps = false)
      : answer_(std::move(answer)), keeps_(keeps), thread_([this] { serve(); }) {}
  ~CannedServer() {
    stop_ = true;
    listener_.end();
    if (thread_.joinable()) thread_.join();
  }

  [[nodiscard]] std::uint16_t port() const { return listener_.port(); }
  [[nodiscard]] std::string url(std::string_view path) const {
    return "http://127.0.0.1:" + std::to_string(port()).append(path);
  }
  // Waits until the client has closed its connection.
  std::string question() {
    thread_.join();
    return question_;
  }

 private:
  void serve() {
    const RawSocket peer = listener_.accept();
    if (!peer.open()) return;
    question_ = peer.receive("\r\n\r\n");
    peer.send(answer_);
    while (keeps_ && !stop_) std::this_thread::yield();
    peer.end_sending();
    (void)peer.receive();
  }

  std::string answer_;
  bool keeps_;
  RawListener listener_;
  std::atomic<bool> stop_ = false;
  std::string question_;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace mobula::test
