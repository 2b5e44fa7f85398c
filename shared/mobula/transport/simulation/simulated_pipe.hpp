// A real pipe behind a simulated network, for one client. Sent datagrams pass the network before the real pipe,
// received ones before the client. It has no clock: the owner passes the time.
//
//   client -> send -> SimulatedNetwork -> real output       real socket -> receive -> SimulatedNetwork -> handler
//
// The owner calls deliver(now) before and after the client's work, and at next_due().
#pragma once

#include <functional>
#include <mobula/transport/endpoint.hpp>
#include <mobula/transport/simulation/simulated_network.hpp>

namespace mobula::transport {

/// Output that passes datagrams through a simulated network.
class SimulatedPipe final : public Output {
 public:
  using Handler = std::function<void(const Address& from, core::ByteView datagram)>;
  static constexpr core::Nanoseconds never = INT64_MAX;

  /// `real` must outlive the pipe.
  SimulatedPipe(Output& real, std::uint64_t seed, const NetworkConditions& conditions, core::Nanoseconds now);

  /// Sets the handler of received datagrams, which are valid during the call. The handler may send.
  void on_datagram(Handler handler) { handler_ = std::move(handler); }
  /// Handles a datagram received by the real pipe.
  void receive(const Address& from, core::ByteView datagram, core::Nanoseconds now);
  /// Delivers what is due in both directions and flushes the real output. Must not be called by the handler.
  void deliver(core::Nanoseconds now);
  /// Returns the time of the next deliver() call; `never` if nothing is in flight.
  [[nodiscard]] core::Nanoseconds next_due() const;

  /// Returns whether received datagrams have not been delivered.
  [[nodiscard]] bool is_receiving() const;

  /// Sends at the time of the last receive or deliver. The datagram is forwarded by the next deliver at the earliest.
  void send(const Address& to, core::ByteView datagram) override;
  [[nodiscard]] bool ready(const Address& to) const override { return real_->ready(to); }
  /// Forwards the end to the real pipe once no datagram to the peer is in flight.
  void finished(const Address& to) override;

  [[nodiscard]] SimulatedNetwork& network() { return network_; }
  [[nodiscard]] const SimulatedNetwork& network() const { return network_; }

 private:
  void forward_finished();

  Output* real_;
  SimulatedNetwork network_;
  core::Nanoseconds now_;
  Handler handler_;
  std::vector<Address> finished_;  // peers whose last datagrams are in flight
};

}  // namespace mobula::transport
