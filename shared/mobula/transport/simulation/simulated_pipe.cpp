#include <algorithm>
#include <mobula/transport/simulation/simulated_pipe.hpp>

namespace mobula::transport {
namespace {

// The client's end of the network; no peer has this address.
constexpr Address here = Address::any(0);

}  // namespace

SimulatedPipe::SimulatedPipe(Output& real, std::uint64_t seed, const NetworkConditions& conditions,
                             core::Nanoseconds now)
    : real_(&real), network_(seed, conditions), now_(now) {}

void SimulatedPipe::receive(const Address& from, core::ByteView datagram, core::Nanoseconds now) {
  now_ = std::max(now_, now);
  network_.send(from, here, datagram, now_);
}

void SimulatedPipe::send(const Address& to, core::ByteView datagram) { network_.send(here, to, datagram, now_); }

void SimulatedPipe::deliver(core::Nanoseconds now) {
  now_ = std::max(now_, now);
  network_.deliver(now_, [this](const Address& from, const Address& to, core::ByteView datagram) {
    if (to != here) {
      real_->send(to, datagram);
    } else if (handler_) {
      handler_(from, datagram);
    }
  });
  pass_on_finished();
  real_->flush();
}

core::Nanoseconds SimulatedPipe::next_due() const { return network_.in_flight() > 0 ? network_.next_arrival() : never; }

void SimulatedPipe::finished(const Address& to) {
  finished_.push_back(to);
  pass_on_finished();
}

void SimulatedPipe::pass_on_finished() {
  std::erase_if(finished_, [this](const Address& to) {
    if (network_.in_flight_to(to)) return false;
    real_->finished(to);
    return true;
  });
}

}  // namespace mobula::transport
