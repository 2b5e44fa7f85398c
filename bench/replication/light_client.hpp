// A client that accepts deltas without decoding them: a real session and real acknowledgements, but no mirror. It costs
// a server the same as any other client.
#pragma once

#include <mobula/transport/client_endpoint.hpp>

#include "delta_acks.hpp"

namespace mobula::bench {

class LightClient {
 public:
  LightClient(const transport::ClientEndpointConfig& config, core::Nanoseconds now) : endpoint_(config, now) {}

  void receive(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now);
  // Sends one input; called once per tick.
  void update(core::Nanoseconds now, transport::Output& output);

  [[nodiscard]] std::uint64_t deltas() const { return deltas_; }
  [[nodiscard]] bool closed() const { return endpoint_.closed(); }

 private:
  transport::ClientEndpoint endpoint_;
  DeltaAcks acks_;
  core::Bytes buffer_;
  std::uint64_t deltas_ = 0;
  bool greeted_ = false;
};

}  // namespace mobula::bench
