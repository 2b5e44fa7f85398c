// The demo's server on the sockets of a loop, and access to it with a key file that ends with it.
#pragma once

#include <unistd.h>

#include <examples/demo/demo_game.hpp>
#include <filesystem>
#include <fstream>
#include <mobula/client/pipe/access.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/net/server_pipes.hpp>
#include <server/hamlet.hpp>

namespace mobula::test {

class ServedDemo {
 public:
  // The loop outlives it. The config's transport is that of test_transport(). `simulate` is for the clients.
  ServedDemo(net::EventLoop& loop, server::ServerConfig config, std::string simulate)
      : pipes(std::move(*net::ServerPipes::open(loop, {.listen = transport::Address::v4(127, 0, 0, 1, 0)}))),
        key_file_(std::filesystem::temp_directory_path() / ("mobula_served_demo." + std::to_string(::getpid()))) {
    const auto address = transport::Address::v4(127, 0, 0, 1, pipes->local_port(transport::Pipe::udp));
    config.transport.public_addresses = config.token_servers = {address};
    config.secret.fill(std::byte{0x5b});
    server = std::move(*server::Server::start(std::move(config), game));
    server->set_unix_time(core::unix_now());
    pipes->on_datagram([this](const transport::Address& from, core::ByteView datagram) {
      server->receive(from, datagram, core::monotonic_now(), *pipes);
    });
    write_key();
    access = *client::parse_access({.connect = transport::to_string(address),
                                    .token_file = {},
                                    .key_file = key_file_.string(),
                                    .admin = {},
                                    .ca_file = {},
                                    .simulate = std::move(simulate)});
  }
  ServedDemo(const ServedDemo&) = delete;
  ServedDemo& operator=(const ServedDemo&) = delete;
  ~ServedDemo() { std::filesystem::remove(key_file_); }

  void tick() { server->tick(core::monotonic_now(), *pipes); }

  demo::DemoGame game;
  std::unique_ptr<net::ServerPipes> pipes;
  std::unique_ptr<server::Server> server;
  client::Access access;

 private:
  // The key of test_transport().
  void write_key() const {
    std::string digits;
    for (int i = 0; i < 32; ++i) digits += "5a";
    std::ofstream(key_file_) << digits << '\n';
    std::filesystem::permissions(key_file_, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }

  std::filesystem::path key_file_;
};

}  // namespace mobula::test
