#include <algorithm>
#include <mobula/transport/simulation/simulated_pipe.hpp>

namespace mobula::transport {
namespace {

// Address of the client's end of the network; no peer has it.
constexpr Address client_end = Address::any(0);

}  // namespace

SimulatedPipe::SimulatedPipe(Output& real, std::uint64_t seed, const NetworkConditions& conditions,
                             core::Nanoseconds now)
    : real_(&real), network_(seed, conditions), now_(now) {}

void SimulatedPipe::receive(const Address& from, core::ByteView datagram, core::Nanoseconds now) {
  now_ = std::max(now_, now);
  network_.send(from, client_end, datagram, now_);
}

void SimulatedPipe::send(const Address& to, core::ByteView datagram) { network_.send(client_end, to, datagram, now_); }

void SimulatedPipe::deliver(core::Nanoseconds now) {
  now_ = std::max(now_, now);
  network_.deliver(now_, [this](const Address& from, const Address& to, core::ByteView datagram) {
    if (to != client_end) {
      real_->send(to, datagram);
    } else if (handler_) {
      handler_(from, datagram);
    }
  });
  forward_finished();
  real_->flush();
}

core::Nanoseconds SimulatedPipe::next_due() const { return network_.in_flight() > 0 ? network_.next_arrival() : never; }

bool SimulatedPipe::is_receiving() const { return network_.in_flight_to(client_end); }

void SimulatedPipe::finished(const Address& to) {
  finished_.push_back(to);
  forward_finished();
}

void SimulatedPipe::forward_finished() {
  std::erase_if(finished_, [this](const Address& to) {
    if (network_.in_flight_to(to)) return false;
    real_->finished(to);
    return true;
  });
}

}  // namespace mobula::transport
