// Carries datagrams between one client and one server of a test, in order and without a network between.
#pragma once

#include <deque>
#include <mobula/transport/endpoint.hpp>
#include <utility>

namespace mobula::test {

class DirectPath : public transport::Output {
 public:
  explicit DirectPath(const transport::Address& server) : server_(server) {}

  void send(const transport::Address& to, core::ByteView datagram) override {
    in_flight_.emplace_back(to, core::Bytes(datagram.begin(), datagram.end()));
  }
  /// Calls `to_server(datagram)` or `to_client(datagram)` for each datagram that was sent, also for those sent
  /// meanwhile.
  template <class ToServer, class ToClient>
  void deliver(ToServer&& to_server, ToClient&& to_client) {
    for (; !in_flight_.empty(); in_flight_.pop_front()) {
      const auto& [to, datagram] = in_flight_.front();
      to == server_ ? to_server(core::ByteView(datagram)) : to_client(core::ByteView(datagram));
    }
  }

 private:
  transport::Address server_;
  std::deque<std::pair<transport::Address, core::Bytes>> in_flight_;
};

}  // namespace mobula::test
