#include <algorithm>
#include <c/udp_socket.hpp>
#include <charconv>
#include <cstring>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <optional>
#include <string>
#include <utility>

#if defined(_WIN32)
#ifndef NOMINMAX
#define NOMINMAX  // else <winsock2.h> replaces std::min
#endif
#include <winsock2.h>
#include <ws2tcpip.h>
#else
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace mobula::c {
namespace {

using Addresses = std::vector<transport::Address>;

constexpr std::uint16_t game_port_default = 7777;

// --- The system ----------------------------------------------------------------------------------------------------

#if defined(_WIN32)
using Handle = SOCKET;
using Length = int;
using Size = int;
using PollEntry = WSAPOLLFD;

bool start_sockets() {
  static const bool started = [] {
    WSADATA data;
    return WSAStartup(MAKEWORD(2, 2), &data) == 0;
  }();
  return started;
}
int socket_error() { return WSAGetLastError(); }
// A datagram that is too long, or the report of one that did not arrive.
bool is_passing(int error) { return error == WSAEMSGSIZE || error == WSAECONNRESET || error == WSAENETRESET; }
bool make_nonblocking(Handle socket) {
  u_long yes = 1;
  return ioctlsocket(socket, static_cast<long>(FIONBIO), &yes) == 0;
}
void close_handle(Handle socket) { closesocket(socket); }
// Without a socket it sleeps, as poll() does.
void poll_one(PollEntry& entry, int milliseconds) {
  if (entry.fd == INVALID_SOCKET) return Sleep(static_cast<DWORD>(milliseconds));
  WSAPoll(&entry, 1, milliseconds);
}
constexpr Handle bad_handle = INVALID_SOCKET;
#else
using Handle = int;
using Length = socklen_t;
using Size = std::size_t;
using PollEntry = pollfd;

bool start_sockets() { return true; }
int socket_error() { return errno; }
bool is_passing(int error) { return error == EINTR || error == ECONNREFUSED || error == EHOSTUNREACH; }
bool make_nonblocking(Handle socket) {
  const int flags = fcntl(socket, F_GETFL);
  return flags >= 0 && fcntl(socket, F_SETFL, flags | O_NONBLOCK) == 0 && fcntl(socket, F_SETFD, FD_CLOEXEC) == 0;
}
void close_handle(Handle socket) { ::close(socket); }
void poll_one(PollEntry& entry, int milliseconds) { static_cast<void>(poll(&entry, 1, milliseconds)); }
constexpr Handle bad_handle = -1;
#endif

constexpr std::size_t addresses_max = 8;
constexpr int passing_errors_max = 64;  // in a row, so that a broken socket ends a receive
constexpr int buffer_bytes = 1 << 20;   // a burst of a joining client

Handle handle(std::intptr_t socket) { return static_cast<Handle>(socket); }

bool accepts_v4(Handle socket) {
  const int no = 0;
  return setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, reinterpret_cast<const char*>(&no), sizeof no) == 0;
}

// --- Addresses -----------------------------------------------------------------------------------------------------

transport::Address to_address(const sockaddr* from) {
  transport::Address address;
  if (from->sa_family == AF_INET) {
    sockaddr_in v4;
    std::memcpy(&v4, from, sizeof v4);
    address.ip[10] = address.ip[11] = 0xff;
    std::memcpy(address.ip.data() + 12, &v4.sin_addr, 4);
    address.port = ntohs(v4.sin_port);
  } else if (from->sa_family == AF_INET6) {
    sockaddr_in6 v6;
    std::memcpy(&v6, from, sizeof v6);
    std::memcpy(address.ip.data(), &v6.sin6_addr, 16);
    address.port = ntohs(v6.sin6_port);
  }
  return address;
}

// Returns the length; 0 if a socket for IPv4 cannot send there.
Length to_system(const transport::Address& address, bool v4_only, sockaddr_storage& to) {
  std::memset(&to, 0, sizeof to);
  if (v4_only) {
    if (!address.is_v4()) return 0;
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(address.port);
    std::memcpy(&v4.sin_addr, address.ip.data() + 12, 4);
    std::memcpy(&to, &v4, sizeof v4);
    return sizeof v4;
  }
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(address.port);
  std::memcpy(&v6.sin6_addr, address.ip.data(), 16);
  std::memcpy(&to, &v6, sizeof v6);
  return sizeof v6;
}

// Link-local addresses are not: a transport::Address has no scope.
bool is_reachable(const transport::Address& address) {
  const bool link_local = address.ip[0] == 0xfe && (address.ip[1] & 0xc0) == 0x80;
  const bool any = address.is_any() || address == transport::Address::v4(0, 0, 0, 0, address.port);
  return !link_local && !any;
}

core::Error bad_address(std::string_view text, std::string_view what) {
  constexpr std::size_t shown_bytes = 80;
  return {"bad address",
          core::format("'{}' is not an address: {}; expected HOST or HOST:PORT, such as 192.0.2.1:7777 or [::1]:7777, "
                       "also with udp:// before it",
                       core::shown(text, shown_bytes), what)};
}

struct HostPort {
  std::string host;
  std::uint16_t port;
};

// Takes "udp:" or "udp://" off, and the slash that may end a URL. A host may be named "udp": "udp:7777" is a host and
// a port.
core::Result<std::string_view> without_scheme(std::string_view text) {
  const std::string_view scheme = text.substr(0, std::min(text.find(':'), text.size()));
  std::string_view rest = text.substr(std::min(scheme.size() + 1, text.size()));
  const bool url = rest.starts_with("//");
  const bool known = scheme == "udp" || scheme == "tcp" || scheme == "ws" || scheme == "wss";
  if (!url && (!known || rest.find_first_not_of("0123456789") == std::string_view::npos)) return text;
  if (scheme != "udp") return bad_address(text, "this library connects over udp");
  if (url) rest.remove_prefix(2);
  if (url && rest.ends_with('/')) rest.remove_suffix(1);
  return rest;
}

std::optional<std::uint16_t> parse_port(std::string_view digits) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size() || port == 0) return std::nullopt;
  return port;
}

core::Result<HostPort> split(std::string_view text) {
  if (!core::is_printable(text)) return bad_address(text, "it has control characters");
  const core::Result<std::string_view> rest = without_scheme(text);
  if (!rest) return rest.error();
  const std::size_t last = rest->rfind(':');
  const bool with_port = last != std::string_view::npos && !rest->ends_with(']');
  std::string_view host = rest->substr(0, with_port ? last : rest->size());
  const std::optional<std::uint16_t> port = with_port ? parse_port(rest->substr(last + 1)) : game_port_default;
  if (!port) return bad_address(text, "a port is a number from 1 to 65535");
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host.empty() || host.find_first_of("[]/") != std::string_view::npos ||
      bracketed != (host.find(':') != std::string_view::npos))
    return bad_address(text, "its host is no name and no IP address");
  return HostPort{std::string(host), *port};
}

// `flags` are those of getaddrinfo.
core::Result<Addresses> look_up(std::string_view text, int flags) {
  const core::Result<HostPort> parts = split(text);
  if (!parts) return parts.error();
  if (!start_sockets()) return core::Error{"unknown host", "the system has no sockets"};
  addrinfo hints{};
  hints.ai_flags = flags;
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(parts->host.c_str(), nullptr, &hints, &found);
  if (error != 0)
    return core::Error{"unknown host", core::format("cannot find host '{}' (error {})", parts->host, error)};
  Addresses addresses;  // those of IPv4 first
  std::ptrdiff_t v4 = 0;
  for (const addrinfo* each = found; each != nullptr && addresses.size() < addresses_max; each = each->ai_next) {
    transport::Address address = to_address(each->ai_addr);
    address.port = parts->port;
    if (is_reachable(address)) addresses.insert(address.is_v4() ? addresses.begin() + v4++ : addresses.end(), address);
  }
  freeaddrinfo(found);
  if (addresses.empty())
    return core::Error{"unknown host", core::format("host '{}' has no usable address", parts->host)};
  return addresses;
}

}  // namespace

core::Result<Addresses> resolve(std::string_view text) { return look_up(text, 0); }

std::optional<transport::Address> parse_udp_address(std::string_view text) {
  const core::Result<Addresses> found = look_up(text, AI_NUMERICHOST);
  return found ? std::optional(found->front()) : std::nullopt;
}

core::Status UdpSocket::open() {
  close();
  if (!start_sockets()) return core::Error{"socket", "the system has no sockets"};
  Handle opened = ::socket(AF_INET6, SOCK_DGRAM, 0);
  if (opened != bad_handle && !accepts_v4(opened)) {
    close_handle(opened);
    opened = bad_handle;
  }
  v4_only_ = opened == bad_handle;  // a system without IPv6
  if (v4_only_) opened = ::socket(AF_INET, SOCK_DGRAM, 0);
  if (opened == bad_handle)
    return core::Error{"socket", core::format("cannot open a UDP socket (error {})", socket_error())};
  socket_ = static_cast<std::intptr_t>(opened);
  if (!make_nonblocking(opened)) {
    const int error = socket_error();
    close();
    return core::Error{"socket", core::format("cannot set up a UDP socket (error {})", error)};
  }
  // Less than this is the system's limit, and enough for most.
  static_cast<void>(
      setsockopt(opened, SOL_SOCKET, SO_RCVBUF, reinterpret_cast<const char*>(&buffer_bytes), sizeof buffer_bytes));
  return core::Done{};
}

void UdpSocket::take_over(UdpSocket& other) {
  close();
  socket_ = std::exchange(other.socket_, none);
  v4_only_ = other.v4_only_;
  sent_ += std::exchange(other.sent_, 0);
  sent_bytes_ += std::exchange(other.sent_bytes_, 0);
}

void UdpSocket::close() {
  if (socket_ != none) close_handle(handle(socket_));
  socket_ = none;
}

void UdpSocket::send(const transport::Address& to, core::ByteView datagram) {
  sockaddr_storage address;
  const Length length = to_system(to, v4_only_, address);
  if (socket_ == none || length == 0) return;
  static_cast<void>(::sendto(handle(socket_), reinterpret_cast<const char*>(datagram.data()),
                             static_cast<Size>(datagram.size()), 0, reinterpret_cast<const sockaddr*>(&address),
                             length));
  ++sent_;
  sent_bytes_ += datagram.size();
}

std::size_t UdpSocket::receive(transport::Address& from, core::MutableBytes buffer) {
  for (int errors = 0; socket_ != none && errors < passing_errors_max; ++errors) {
    sockaddr_storage address{};
    Length length = sizeof address;
    const auto size = ::recvfrom(handle(socket_), reinterpret_cast<char*>(buffer.data()),
                                 static_cast<Size>(buffer.size()), 0, reinterpret_cast<sockaddr*>(&address), &length);
    if (size > 0) {
      from = to_address(reinterpret_cast<const sockaddr*>(&address));
      return static_cast<std::size_t>(size);
    }
    if (size < 0 && !is_passing(socket_error())) return 0;
  }
  return 0;
}

void UdpSocket::wait(core::Nanoseconds at_most) const {
  PollEntry entry{};
  entry.fd = handle(socket_);
  entry.events = POLLIN;
  // Rounded up: a wait of less than a millisecond must not be a busy one.
  const core::Nanoseconds milliseconds = (at_most + core::millisecond - 1) / core::millisecond;
  poll_one(entry, static_cast<int>(std::clamp<core::Nanoseconds>(milliseconds, 0, 3'600'000)));
}

}  // namespace mobula::c
