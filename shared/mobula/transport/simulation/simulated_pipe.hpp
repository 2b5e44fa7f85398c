// A real pipe behind a simulated network, for one client: what it sends goes through the network before it reaches the
// real pipe, what comes in before it reaches the client. Without a clock: the owner tells the time.
//
//   client -> send -> SimulatedNetwork -> real output       real socket -> receive -> SimulatedNetwork -> handler
//
// The owner calls deliver(now) before and after the client's work, and wakes at next_due().
#pragma once

#include <functional>
#include <mobula/transport/endpoint.hpp>
#include <mobula/transport/simulation/simulated_network.hpp>

namespace mobula::transport {

class SimulatedPipe final : public Output {
 public:
  using Handler = std::function<void(const Address& from, core::ByteView datagram)>;
  static constexpr core::Nanoseconds never = INT64_MAX;

  // `real` must outlive it.
  SimulatedPipe(Output& real, std::uint64_t seed, const NetworkConditions& conditions, core::Nanoseconds now);

  // `datagram` is valid during the call. The handler may send.
  void on_datagram(Handler handler) { handler_ = std::move(handler); }
  // What the real pipe's handler is told.
  void receive(const Address& from, core::ByteView datagram, core::Nanoseconds now);
  // Hands out what is due in both directions, and flushes the real output. Not from within the handler.
  void deliver(core::Nanoseconds now);
  // When to call deliver next.
  [[nodiscard]] core::Nanoseconds next_due() const;

  // Sent at the time of the last receive or deliver; goes on at the next deliver, no earlier.
  void send(const Address& to, core::ByteView datagram) override;
  [[nodiscard]] bool ready(const Address& to) const override { return real_->ready(to); }
  // Passed on once all that was sent to the peer has gone on.
  void finished(const Address& to) override;

  [[nodiscard]] SimulatedNetwork& network() { return network_; }
  [[nodiscard]] const SimulatedNetwork& network() const { return network_; }

 private:
  void pass_on_finished();

  Output* real_;
  SimulatedNetwork network_;
  core::Nanoseconds now_;
  Handler handler_;
  std::vector<Address> finished_;  // peers whose last datagrams are in flight
};

}  // namespace mobula::transport
