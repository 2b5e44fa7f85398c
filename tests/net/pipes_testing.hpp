// Test fixture: the pipes of a server and the datagrams and closes they reported.
#pragma once

#include <gmock/gmock.h>

#include <mobula/net/client_pipe.hpp>
#include <mobula/net/server_pipes.hpp>
#include <unordered_map>

#include "peers.hpp"

namespace mobula::net {

struct TestServer {
  explicit TestServer(EventLoop& loop, StreamLimits limits = {}, const std::string& certificate = {},
                      const std::string& key = {}, std::vector<AddressRange> trusted_proxies = {},
                      std::vector<std::string> allowed_origins = {}) {
    auto opened = ServerPipes::open(loop, {.listen = transport::Address::any(0),
                                           .tcp_port = 0,
                                           .websocket_port = 0,
                                           .certificate_file = certificate,
                                           .key_file = key,
                                           .streams = limits,
                                           .trusted_proxies = std::move(trusted_proxies),
                                           .origins = {std::move(allowed_origins)}});
    if (!opened.ok()) {
      ADD_FAILURE() << opened.error().message;
      std::abort();
    }
    pipes = std::move(*opened);
    pipes->on_datagram([this](const transport::Address& from, core::ByteView datagram) {
      received.push_back(text_of(datagram));
      last_from = from;
      if (echo) pipes->send(from, datagram);
    });
    pipes->on_closed(
        [this](const transport::Address& from, std::string_view reason) { closed[from].emplace_back(reason); });
  }
  ~TestServer() { pipes->check(); }

  [[nodiscard]] std::uint16_t tcp() const { return pipes->local_port(transport::Pipe::tcp); }
  [[nodiscard]] std::uint16_t websocket() const { return pipes->local_port(transport::Pipe::websocket); }
  [[nodiscard]] std::uint32_t connections() const {
    return pipes->connections(transport::Pipe::tcp) + pipes->connections(transport::Pipe::websocket);
  }
  [[nodiscard]] std::uint64_t ended(transport::Pipe pipe, StreamEnd end) const {
    return pipes->stream_counters(pipe).ended[static_cast<std::size_t>(end)];
  }

  std::unique_ptr<ServerPipes> pipes;
  bool echo = true;
  std::vector<std::string> received;
  transport::Address last_from;
  std::unordered_map<transport::Address, std::vector<std::string>> closed;
};

struct TestClient {
  TestClient(EventLoop& loop, const Destination& destination, const ClientPipeConfig& config = {})
      : to(destination.address) {
    auto opened = ClientPipe::open(loop, destination, config);
    if (!opened.ok()) {
      ADD_FAILURE() << opened.error().message;
      std::abort();
    }
    pipe = std::move(*opened);
    pipe->on_datagram(inbox.handler());
    pipe->on_closed([this](std::string_view reason) { closed.emplace_back(reason); });
  }
  TestClient(EventLoop& loop, const transport::Address& address) : TestClient(loop, destination_of(address)) {}

  void send(std::string_view text) { pipe->send(to, bytes_of(text)); }
  [[nodiscard]] bool ready() const { return pipe->ready(to); }

  transport::Address to;
  std::unique_ptr<ClientPipe> pipe;
  Inbox inbox;
  std::vector<std::string> closed;
};

}  // namespace mobula::net
