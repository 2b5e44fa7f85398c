// Cost of a datagram on one core, from a message to the system call and back, with 1,000 sessions on real sockets. The
// full path and its parts are measured in the same run on the same datagrams.
//
//   bare      system calls only, of ready datagrams, on a socket that an epoll watches as in the product
//   crypto    sealing or opening only
//   whole     message -> session -> seal -> socket, and socket -> open -> session -> message
//   Mobula    whole - bare - crypto: the product's share
//   inside    of it, without sockets: the same path from or to memory, less the crypto
//
// Also handshakes per second, and memory per idle session. Usage: mobula-transport-table [--rounds N]
#include <CLI/CLI.hpp>
#include <arpa/inet.h>
#include <malloc.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <mobula/core/aead.hpp>
#include <mobula/core/clock.hpp>
#include <mobula/core/format.hpp>
#include <mobula/net/udp_socket.hpp>
#include <mobula/transport/client_endpoint.hpp>
#include <mobula/transport/server_endpoint.hpp>

namespace mobula::bench {
namespace {

constexpr std::size_t sessions = 1000;
// Datagrams that wait in a socket at once: the capacity of a kernel's default buffer for large ones.
constexpr std::size_t group = 100;
constexpr int batch = 64;
constexpr std::uint64_t unix_time = 1'700'000'000;
// Bytes that a session and its seal add to a message, for sequences below 2^16.
constexpr std::size_t added_bytes = 8 + 2 + 1 + 2 + core::seal_bytes;

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

// A plain socket on loopback, without the product's code.
class BareSocket {
 public:
  BareSocket() : handle_(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0)) {
    sockaddr_in any = to_sockaddr(transport::Address::v4(127, 0, 0, 1, 0));
    if (::bind(handle_, reinterpret_cast<sockaddr*>(&any), sizeof(any)) != 0) std::perror("bind");
    socklen_t size = sizeof(any);
    ::getsockname(handle_, reinterpret_cast<sockaddr*>(&any), &size);
    address_ = transport::Address::v4(127, 0, 0, 1, ntohs(any.sin_port));
  }
  ~BareSocket() { ::close(handle_); }
  BareSocket(const BareSocket&) = delete;
  BareSocket& operator=(const BareSocket&) = delete;

  static sockaddr_in to_sockaddr(const transport::Address& address) {
    sockaddr_in result{};
    result.sin_family = AF_INET;
    result.sin_port = htons(address.port);
    result.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return result;
  }
  [[nodiscard]] int handle() const { return handle_; }
  [[nodiscard]] const transport::Address& address() const { return address_; }
  void send(const transport::Address& to, core::ByteView datagram) const {
    const sockaddr_in where = to_sockaddr(to);
    ::sendto(handle_, datagram.data(), datagram.size(), 0, reinterpret_cast<const sockaddr*>(&where), sizeof(where));
  }
  void drain() const {
    std::array<std::byte, 2048> room;
    while (::recv(handle_, room.data(), room.size(), 0) >= 0) continue;
  }

 private:
  int handle_;
  transport::Address address_;
};

// A batch of messages for sendmmsg or recvmmsg.
struct Batch {
  std::array<mmsghdr, batch> headers{};
  std::array<iovec, batch> parts{};
  std::array<sockaddr_in, batch> addresses{};
  std::vector<std::array<std::byte, 2048>> rooms{batch};

  void set(std::size_t i, void* data, std::size_t size) {
    parts[i] = {data, size};
    headers[i].msg_hdr = {};
    headers[i].msg_hdr.msg_iov = &parts[i];
    headers[i].msg_hdr.msg_iovlen = 1;
    headers[i].msg_hdr.msg_name = &addresses[i];
    headers[i].msg_hdr.msg_namelen = sizeof(sockaddr_in);
  }
};

struct Nowhere : transport::Output {
  void send(const transport::Address& /*to*/, core::ByteView /*datagram*/) override {}
};

struct Kept : transport::Output {
  void send(const transport::Address& to, core::ByteView datagram) override {
    addresses.push_back(to);
    datagrams.emplace_back(datagram.begin(), datagram.end());
  }
  std::vector<transport::Address> addresses;
  std::vector<core::Bytes> datagrams;
};

transport::ServerEndpointConfig server_config(const transport::Address& address) {
  transport::ServerEndpointConfig config;
  config.sessions_max = sessions;
  config.private_key.fill(std::byte{1});
  config.challenge_key.fill(std::byte{2});
  config.public_addresses = {address};
  config.handshakes = config.handshakes_per_address = {.per_second = 1'000'000, .burst = 1'000'000};
  config.session.bytes_per_second_start = config.session.bytes_per_second_max = 1u << 30;
  return config;
}

transport::ConnectToken token_for(std::uint64_t client_id, const transport::Address& server) {
  const transport::TokenRequest request{.client_id = client_id, .servers = {server}, .expire_seconds = 3600};
  core::SecretKey key;
  key.fill(std::byte{1});
  return *transport::read_token(*transport::mint_token(request, key, transport::random_token_secrets(), unix_time));
}

transport::ClientEndpointConfig client_config(std::uint64_t client_id, const transport::Address& server) {
  transport::ClientEndpointConfig config;
  config.token = token_for(client_id, server);
  config.session.bytes_per_second_start = config.session.bytes_per_second_max = 1u << 30;
  return config;
}

// A server on one real socket, and clients whose addresses are real sockets.
class Crowd {
 public:
  Crowd() : server_(make_server()), clients_(sessions), epoll_(::epoll_create1(0)) {
    epoll_event watched{};
    watched.events = EPOLLIN | EPOLLPRI | EPOLLERR | EPOLLHUP | EPOLLET;  // as Asio's
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, bare_.handle(), &watched);
    for (std::size_t i = 0; i < sessions; ++i) {
      endpoints_.push_back(std::make_unique<transport::ClientEndpoint>(client_config(i + 1, server_address_), now_));
    }
    for (int step = 0; step < 8; ++step) exchange();
    if (server_->sessions().size() != sessions) std::fprintf(stderr, "not all are connected\n");
  }

  // Exchanges datagrams in both directions without sockets.
  void exchange() {
    tick();
    Kept to_clients;
    for (std::size_t i = 0; i < sessions; ++i) {
      Kept to_server;
      endpoints_[i]->update(now_, to_server);
      for (const core::Bytes& datagram : to_server.datagrams)
        server_->receive(clients_[i].address(), datagram, now_, to_clients);
    }
    server_->update(now_, to_clients);
    for (std::size_t i = 0; i < to_clients.datagrams.size(); ++i)
      client_of(to_clients.addresses[i]).receive(server_address_, to_clients.datagrams[i], now_);
    transport::ServerEvent event;
    while (server_->poll_event(event)) continue;
  }

  struct Costs {
    double bare = 0;
    double crypto = 0;
    double whole = 0;
    double inside = 0;
  };
  // Returns nanoseconds per datagram of `size` bytes.
  Costs measure_send(std::size_t size, int rounds);
  Costs measure_receive(std::size_t size, int rounds);

 private:
  std::unique_ptr<transport::ServerEndpoint> make_server() {
    socket_ = std::move(*net::UdpSocket::open(loop_, transport::Address::v4(127, 0, 0, 1, 0)));
    server_address_ = transport::Address::v4(127, 0, 0, 1, socket_->local_port());
    auto server = std::make_unique<transport::ServerEndpoint>(server_config(server_address_));
    server->set_unix_time(unix_time);
    return server;
  }
  transport::ClientEndpoint& client_of(const transport::Address& address) {
    const auto found = std::ranges::find_if(clients_, [&](const auto& client) { return client.address() == address; });
    return *endpoints_[static_cast<std::size_t>(found - clients_.begin())];
  }
  void tick() { now_ += 50 * core::millisecond; }
  void drain_clients() {
    for (const BareSocket& client : clients_) client.drain();
  }
  double bare_send(const Kept& kept);
  double bare_receive(const std::vector<core::Bytes>& datagrams);
  double receive_from_memory(const core::Bytes& message);

  net::EventLoop loop_;
  std::unique_ptr<net::UdpSocket> socket_;
  transport::Address server_address_;
  core::Nanoseconds now_ = core::second;
  std::unique_ptr<transport::ServerEndpoint> server_;
  std::vector<BareSocket> clients_;
  std::vector<std::unique_ptr<transport::ClientEndpoint>> endpoints_;
  BareSocket bare_;
  int epoll_;
};

double per_datagram(core::Nanoseconds begin, std::size_t count) {
  return static_cast<double>(core::monotonic_now() - begin) / static_cast<double>(count);
}

// Seals in place, repeatedly over memory outside of the nearest cache.
double seal_alone(std::size_t size) {
  std::vector<std::array<std::byte, 2048>> rooms(sessions);
  std::array<std::byte, 22> associated{};
  core::SecretKey key{};
  const core::Nanoseconds begin = core::monotonic_now();
  for (std::size_t i = 0; i < sessions; ++i)
    core::seal(core::MutableBytes(rooms[i]).first(size - added_bytes + 10 + core::seal_bytes), associated, i, key);
  return per_datagram(begin, sessions);
}

double open_alone(std::size_t size) {
  std::vector<std::array<std::byte, 2048>> rooms(sessions);
  std::array<std::byte, 22> associated{};
  core::SecretKey key{};
  const std::size_t sealed = size - added_bytes + 10 + core::seal_bytes;
  for (std::size_t i = 0; i < sessions; ++i) core::seal(core::MutableBytes(rooms[i]).first(sealed), associated, i, key);
  bool good = true;
  const core::Nanoseconds begin = core::monotonic_now();
  for (std::size_t i = 0; i < sessions; ++i)
    good = core::open(core::ByteView(rooms[i]).first(sealed), associated, i, key, rooms[i]) && good;
  const double cost = per_datagram(begin, sessions);
  if (!good) std::fprintf(stderr, "a sealed body does not open\n");
  return cost;
}

double Crowd::bare_send(const Kept& kept) {
  Batch messages;
  const core::Nanoseconds begin = core::monotonic_now();
  for (std::size_t first = 0; first < kept.datagrams.size(); first += batch) {
    const std::size_t count = std::min<std::size_t>(batch, kept.datagrams.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      const core::Bytes& datagram = kept.datagrams[first + i];
      messages.addresses[i] = BareSocket::to_sockaddr(kept.addresses[first + i]);
      messages.set(i, const_cast<std::byte*>(datagram.data()), datagram.size());
    }
    ::sendmmsg(bare_.handle(), messages.headers.data(), static_cast<unsigned>(count), 0);
  }
  return per_datagram(begin, kept.datagrams.size());
}

double Crowd::bare_receive(const std::vector<core::Bytes>& datagrams) {
  for (std::size_t i = 0; i < datagrams.size(); ++i) clients_[i].send(bare_.address(), datagrams[i]);
  Batch messages;
  std::size_t taken = 0;
  const core::Nanoseconds begin = core::monotonic_now();
  for (int got = 1; got > 0; taken += static_cast<std::size_t>(std::max(got, 0))) {
    for (std::size_t i = 0; i < batch; ++i) messages.set(i, messages.rooms[i].data(), messages.rooms[i].size());
    got = ::recvmmsg(bare_.handle(), messages.headers.data(), batch, 0, nullptr);
  }
  return per_datagram(begin, std::max<std::size_t>(taken, 1));
}

Crowd::Costs Crowd::measure_send(std::size_t size, int rounds) {
  std::vector<double> bare, crypto, whole, inside;
  const core::Bytes message(size - added_bytes);
  core::Bytes taken;
  Nowhere nowhere;
  for (int round = 0; round < rounds; ++round) {
    exchange();  // acknowledgements keep histories short
    tick();
    const core::Nanoseconds without = core::monotonic_now();
    for (const transport::SessionId id : server_->sessions())
      static_cast<void>(server_->find(id)->send_unreliable(message));
    server_->update(now_, nowhere);
    inside.push_back(per_datagram(without, sessions));
    exchange();
    tick();
    const std::uint64_t before = socket_->counters().datagrams_sent;
    const core::Nanoseconds begin = core::monotonic_now();
    for (const transport::SessionId id : server_->sessions())
      static_cast<void>(server_->find(id)->send_unreliable(message));
    server_->update(now_, *socket_);
    socket_->flush();
    whole.push_back(per_datagram(begin, sessions));
    if (socket_->counters().datagrams_sent - before != sessions) std::fprintf(stderr, "not one datagram each\n");
    Kept kept;
    for (std::size_t i = 0; i < sessions; ++i) {
      // Delivers received datagrams to the client, so that the session stays alive.
      std::array<std::byte, 2048> room;
      const ssize_t got = ::recv(clients_[i].handle(), room.data(), room.size(), 0);
      if (got <= 0) continue;
      endpoints_[i]->receive(server_address_, core::ByteView(room.data(), static_cast<std::size_t>(got)), now_);
      while (endpoints_[i]->session().next_unreliable(taken)) continue;
      kept.send(clients_[i].address(), core::ByteView(room.data(), static_cast<std::size_t>(got)));
    }
    bare.push_back(bare_send(kept));
    drain_clients();
    crypto.push_back(seal_alone(size));
  }
  return {median(bare), median(crypto), median(whole), median(inside) - median(crypto)};
}

double Crowd::receive_from_memory(const core::Bytes& message) {
  Nowhere nowhere;
  Kept kept;
  core::Bytes taken;
  for (const auto& endpoint : endpoints_) {
    static_cast<void>(endpoint->session().send_unreliable(message));
    endpoint->update(now_, kept);
  }
  const core::Nanoseconds begin = core::monotonic_now();
  for (std::size_t i = 0; i < sessions; ++i) server_->receive(clients_[i].address(), kept.datagrams[i], now_, nowhere);
  for (const transport::SessionId id : server_->sessions())
    while (server_->find(id)->next_unreliable(taken)) continue;
  return per_datagram(begin, sessions);
}

Crowd::Costs Crowd::measure_receive(std::size_t size, int rounds) {
  std::vector<double> bare, crypto, whole, inside;
  const core::Bytes message(size - added_bytes);
  core::Bytes taken;
  std::size_t received = 0;
  socket_->on_datagram([&](const transport::Address& from, core::ByteView datagram) {
    server_->receive(from, datagram, now_, *socket_);
    ++received;
  });
  for (int round = 0; round < rounds; ++round) {
    exchange();
    tick();
    double sum = 0;
    std::size_t all = 0;
    for (std::size_t first = 0; first < sessions; first += group) {
      std::vector<core::Bytes> datagrams;
      for (std::size_t i = first; i < first + group; ++i) {
        Kept kept;
        static_cast<void>(endpoints_[i]->session().send_unreliable(message));
        endpoints_[i]->update(now_, kept);
        clients_[i].send(server_address_, kept.datagrams.at(0));
        datagrams.push_back(std::move(kept.datagrams[0]));
      }
      received = 0;
      const core::Nanoseconds begin = core::monotonic_now();
      while (received < group) loop_.run_until(0);
      for (std::size_t i = first; i < first + group; ++i)
        while (server_->find(server_->sessions()[i])->next_unreliable(taken)) ++all;
      sum += static_cast<double>(core::monotonic_now() - begin);
      bare.push_back(bare_receive(datagrams));
    }
    if (all != sessions) std::fprintf(stderr, "%zu of %zu messages came\n", all, sessions);
    exchange();
    tick();
    inside.push_back(receive_from_memory(message));
    whole.push_back(sum / sessions);
    crypto.push_back(open_alone(size));
  }
  return {median(bare), median(crypto), median(whole), median(inside) - median(crypto)};
}

// Request, challenge and response on the server's side, each with another token.
double handshakes_per_second() {
  const transport::Address address = transport::Address::v4(10, 0, 0, 1, 7777);
  transport::ServerEndpoint server(server_config(address));
  server.set_unix_time(unix_time);
  core::Nanoseconds spent = 0;
  core::Nanoseconds now = core::second;
  for (std::size_t i = 0; i < sessions; ++i) {
    const auto from =
        transport::Address::v4(10, 1, static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i), 5000);
    transport::ClientEndpoint client(client_config(i + 1, address), now);
    for (int step = 0; step < 4 && !client.connected(); ++step) {
      now += core::second / 4;
      Kept asked, answered;
      client.update(now, asked);
      const core::Nanoseconds begin = core::monotonic_now();
      for (const core::Bytes& datagram : asked.datagrams) server.receive(from, datagram, now, answered);
      spent += core::monotonic_now() - begin;
      for (const core::Bytes& datagram : answered.datagrams) client.receive(address, datagram, now);
    }
  }
  if (server.sessions().size() != sessions) std::fprintf(stderr, "not all are connected\n");
  return sessions * 1e9 / static_cast<double>(spent);
}

// Returns the heap of a server's endpoint per connected idle session, its tables included.
double bytes_per_idle_session() {
  const transport::Address address = transport::Address::v4(10, 0, 0, 1, 7777);
  const auto client_address = [](std::size_t i) {
    return transport::Address::v4(10, 1, static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i), 5000);
  };
  std::vector<std::unique_ptr<transport::ClientEndpoint>> clients;
  for (std::size_t i = 0; i < sessions; ++i)
    clients.push_back(std::make_unique<transport::ClientEndpoint>(client_config(i + 1, address), 0));
  auto server = std::make_unique<transport::ServerEndpoint>(server_config(address));
  server->set_unix_time(unix_time);
  for (core::Nanoseconds now = 0; now < 10 * core::second; now += 50 * core::millisecond) {
    Kept sent;
    for (std::size_t i = 0; i < sessions; ++i) {
      Kept asked;
      clients[i]->update(now, asked);
      for (const core::Bytes& datagram : asked.datagrams) server->receive(client_address(i), datagram, now, sent);
    }
    server->update(now, sent);
    for (std::size_t i = 0; i < sent.datagrams.size(); ++i)
      clients[std::size_t{sent.addresses[i].ip[14]} << 8 | sent.addresses[i].ip[15]]->receive(address,
                                                                                              sent.datagrams[i], now);
  }
  if (server->sessions().size() != sessions) std::fprintf(stderr, "not all are connected\n");
  const auto heap = [] {
    const struct mallinfo2 info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  const std::size_t with = heap();
  server.reset();
  return static_cast<double>(with - heap()) / sessions;
}

void print(const char* name, std::size_t size, const Crowd::Costs& costs) {
  std::printf("%-8s %5zu   %6.0f %8.0f %8.0f %8.0f %8.0f\n", name, size, costs.bare, costs.crypto, costs.whole,
              costs.whole - costs.bare - costs.crypto, costs.inside);
}

}  // namespace
}  // namespace mobula::bench

int main(int argc, char** argv) {
  using namespace mobula::bench;
  CLI::App app("Measures sessions: memory, handshakes, and the cost of a datagram.", "mobula-transport-table");
  int rounds = 60;
  app.add_option("--rounds", rounds, "measure each cost N times and print the median")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  CLI11_PARSE(app, argc, argv);
  std::printf("%.0f bytes of heap per idle session\n", bytes_per_idle_session());
  std::printf("%.0f handshakes per second\n\n", handshakes_per_second());
  std::printf("ns per datagram, %zu sessions\n         bytes     bare   crypto    whole   Mobula   inside\n", sessions);
  Crowd crowd;
  for (const std::size_t size : {std::size_t{100}, std::size_t{1200}}) {
    print("send", size, crowd.measure_send(size, rounds));
    print("receive", size, crowd.measure_receive(size, rounds));
  }
}
