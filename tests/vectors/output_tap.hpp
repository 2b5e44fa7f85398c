// Passes on the datagrams that a connection sends, and keeps copies of them.
#pragma once

#include <mobula/transport/endpoint.hpp>
#include <vector>

namespace mobula::test {

struct OutputTap final : transport::Output {
  explicit OutputTap(transport::Output& to) : output(to) {}
  void send(const transport::Address& to, core::ByteView datagram) override {
    sent.emplace_back(datagram.begin(), datagram.end());
    output.send(to, datagram);
  }
  [[nodiscard]] bool ready(const transport::Address& to) const override { return output.ready(to); }

  transport::Output& output;
  std::vector<core::Bytes> sent;
};

}  // namespace mobula::test
