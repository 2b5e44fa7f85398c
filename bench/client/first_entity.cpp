#include "client/first_entity.hpp"

#include <array>
#include <atomic>
#include <mobula/client/pipe/pipe_client.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/net/udp_socket.hpp>
#include <thread>

#include "client/measured_client.hpp"
#include "replication/crowd.hpp"

namespace mobula::bench {
namespace {

constexpr core::Nanoseconds patience = 10 * core::second;
constexpr std::uint32_t poll_ms = 5;
constexpr double failed = -1;

double milliseconds_since(core::Nanoseconds begin) {
  return static_cast<double>(core::monotonic_now() - begin) / static_cast<double>(core::millisecond);
}

// A server in a thread of its own.
class ServingThread {
 public:
  ServingThread(server::Server& server, net::EventLoop& loop, net::UdpSocket& socket, std::uint32_t ticks_per_second)
      : interval_(core::second / ticks_per_second), server_(server), loop_(loop), socket_(socket) {
    socket.on_datagram([this](const transport::Address& from, core::ByteView datagram) {
      server_.receive(from, datagram, core::monotonic_now(), socket_);
    });
    thread_ = std::thread([this] { serve(); });
  }
  ~ServingThread() {
    stopping_ = true;
    thread_.join();
  }
  ServingThread(const ServingThread&) = delete;
  ServingThread& operator=(const ServingThread&) = delete;

 private:
  void serve() {
    for (core::Nanoseconds next = core::monotonic_now(); !stopping_; next += interval_) {
      loop_.run_until(next);
      server_.tick(core::monotonic_now(), socket_);
      socket_.flush();
    }
  }

  core::Nanoseconds interval_;
  server::Server& server_;
  net::EventLoop& loop_;
  net::UdpSocket& socket_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

double join_in_cpp(const transport::ConnectToken& token, const transport::Address& address) {
  net::EventLoop loop;
  const core::Nanoseconds begin = core::monotonic_now();
  client::ConnectionConfig config;
  config.transport.token = token;
  client::Access access;
  access.destination.address = address;
  const auto opened = client::PipeClient::open(loop, access, config);
  if (!opened) return failed;
  client::PipeClient& client = **opened;
  client.set_token_source({});
  while (core::monotonic_now() - begin < patience && !client.over()) {
    client::run_until(loop, core::monotonic_now() + poll_ms * core::millisecond, std::array{&client});
    client.update();
    const client::Mirror* const mirror = client.connection().mirror();
    if (mirror != nullptr && mirror->size() > 0) {
      const double taken = milliseconds_since(begin);
      client.close();
      return taken;
    }
  }
  return failed;
}

double join_in_c(const transport::ConnectToken& token) {
  const core::Nanoseconds begin = core::monotonic_now();
  const CInterfaceClient client(token, begin);
  if (mobula_client_connect_udp(client.handle(), nullptr) != MOBULA_OK) return failed;
  while (core::monotonic_now() - begin < patience && mobula_client_poll(client.handle(), poll_ms) == MOBULA_OK)
    if (client.entities() > 0) return milliseconds_since(begin);
  return failed;
}

}  // namespace

core::Result<FirstEntity> time_first_entity(const ReplicationOptions& options, std::uint32_t joins) {
  net::EventLoop loop;
  const auto socket = net::UdpSocket::open(loop, transport::Address::v4(127, 0, 0, 1, 0));
  if (!socket) return socket.error();
  const auto address = transport::Address::v4(127, 0, 0, 1, (*socket)->local_port());
  Walkers walkers(options.walkers);
  ReplicationOptions many = options;
  many.clients = 2 * joins + 1;
  const auto server = start_bench_server(many, walkers, address);
  if (!server) return server.error();
  const ServingThread serving(**server, loop, **socket, options.walkers.ticks_per_second);
  FirstEntity times;
  for (std::uint32_t join = 0; join < joins; ++join) {
    times.cpp_ms.push_back(join_in_cpp(bench_token(2 * join, address), address));
    times.c_ms.push_back(join_in_c(bench_token(2 * join + 1, address)));
    if (times.cpp_ms.back() == failed || times.c_ms.back() == failed)
      return core::Error{"not joined", "no entity arrives over the loopback interface within 10 s"};
  }
  return times;
}

}  // namespace mobula::bench
