#include <gtest/gtest.h>

#include <server/agones/sidecar_twin.hpp>

namespace mobula::agones::test {
namespace {

constexpr int poll_milliseconds = 2;

// Takes a complete request from the front of received bytes. Nothing if there is none yet.
std::optional<ModelRequest> take_request(std::string& bytes) {
  const std::size_t header_end = bytes.find("\r\n\r\n");
  if (header_end == std::string::npos) return std::nullopt;
  const std::string header = bytes.substr(0, header_end);
  constexpr std::string_view length_name = "\r\nContent-Length: ";
  const std::size_t length_at = header.find(length_name);
  const std::size_t length =
      length_at == std::string::npos ? 0 : std::stoul(header.substr(length_at + length_name.size()));
  if (bytes.size() < header_end + 4 + length) return std::nullopt;
  const std::size_t method_end = header.find(' ');
  const std::size_t path_end = header.find(' ', method_end + 1);
  ModelRequest request{.method = header.substr(0, method_end),
                       .path = header.substr(method_end + 1, path_end - method_end - 1),
                       .body = bytes.substr(header_end + 4, length)};
  bytes.erase(0, header_end + 4 + length);
  return request;
}

std::string http_of(const ModelAnswer& answer, bool closes) {
  return "HTTP/1.1 " + std::to_string(answer.status) + " Status\r\nContent-Type: application/json\r\n" +
         (closes ? "Connection: close\r\n" : "") + "Content-Length: " + std::to_string(answer.body.size()) +
         "\r\n\r\n" + answer.body;
}

}  // namespace

SidecarTwin::SidecarTwin(bool started) {
  port_ = mobula::test::RawListener().port();
  if (started) start();
}

SidecarTwin::~SidecarTwin() { stop(); }

void SidecarTwin::start() {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int on = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const sockaddr_in address = RawSocket::loopback(port_);
  ASSERT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener_, 8), 0);
  ends_ = false;
  thread_ = std::thread([this] { serve(); });
}

void SidecarTwin::stop() {
  if (!thread_.joinable()) return;
  ends_ = true;
  thread_.join();
  peers_.clear();
  ::close(std::exchange(listener_, -1));
}

void SidecarTwin::set_trouble(Trouble trouble, const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (trouble == Trouble::none)
    troubles_.erase(path);
  else
    troubles_[path] = trouble;
}

Trouble SidecarTwin::trouble_of(const std::string& path) const {
  for (const auto& [prefix, trouble] : troubles_)
    if (path.starts_with(prefix)) return trouble;
  return Trouble::none;
}

std::vector<std::string> SidecarTwin::bodies(const std::string& path) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> found;
  for (const ModelRequest& each : requests_)
    if (each.path == path) found.push_back(each.body);
  return found;
}

void SidecarTwin::serve() {
  while (!ends_) {
    std::vector<pollfd> waits{{.fd = listener_, .events = POLLIN, .revents = 0}};
    for (const Peer& each : peers_) waits.push_back({.fd = each.socket.number(), .events = POLLIN, .revents = 0});
    ::poll(waits.data(), waits.size(), poll_milliseconds);
    accept();
    peers_.remove_if([this](Peer& each) { return !receive(each); });
  }
}

void SidecarTwin::accept() {
  for (;;) {
    RawSocket socket(::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.open()) return;
    ++accepted_;
    peers_.push_back({std::move(socket), {}});
  }
}

bool SidecarTwin::receive(Peer& peer) {
  char buffer[4096];
  const ssize_t got = ::recv(peer.socket.number(), buffer, sizeof buffer, 0);
  if (got == 0) return false;
  if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
  peer.received.append(buffer, static_cast<std::size_t>(got));
  while (const std::optional<ModelRequest> request = take_request(peer.received))
    if (!handle(peer, *request)) return false;
  return true;
}

bool SidecarTwin::handle(Peer& peer, const ModelRequest& request) {
  const std::lock_guard lock(mutex_);
  requests_.push_back(request);
  const Trouble trouble = trouble_of(request.path);
  switch (trouble) {
    case Trouble::silent: return true;
    case Trouble::lost_request: return false;
    case Trouble::unavailable:
      return peer.socket.send(http_of({503, R"({"code":14,"message":"unavailable","details":[]})"}, false));
    case Trouble::nonsense: return peer.socket.send(http_of({200, "<html>"}, false));
    case Trouble::wrong_object: return peer.socket.send(http_of({200, R"({"status":7,"count":"999"})"}, false));
    case Trouble::no_http: return peer.socket.send("SSH-2.0-dropbear\r\n\r\n");
    default: break;
  }
  const ModelAnswer answer = model_.answer(request);
  if (trouble == Trouble::lost_answer) return false;
  const bool closes = trouble == Trouble::closes_after;
  return peer.socket.send(http_of(answer, closes)) && !closes;
}

}  // namespace mobula::agones::test
