// A client that takes deltas without looking into them: a real session and real acknowledgements, and no mirror. What a
// server has to do for it is what it has to do for any other.
#pragma once

#include <mobula/transport/client_endpoint.hpp>

#include "delta_acks.hpp"

namespace mobula::bench {

class LightClient {
 public:
  LightClient(const transport::ClientEndpointConfig& config, core::Nanoseconds now) : endpoint_(config, now) {}

  void receive(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now);
  // Once per tick: one input.
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
