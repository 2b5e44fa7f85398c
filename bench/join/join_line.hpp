// A client's connection to the server in memory: both directions have the same delay and no loss. Each datagram knows
// the number of round trips before it could be sent.
#pragma once

#include <deque>
#include <mobula/transport/endpoint.hpp>

namespace mobula::bench {

class JoinLine {
 public:
  explicit JoinLine(core::Nanoseconds one_way) : one_way_(one_way), up_(*this), down_(*this) {}

  void set_now(core::Nanoseconds now) { now_ = now; }
  [[nodiscard]] transport::Output& up() { return up_; }
  [[nodiscard]] transport::Output& down() { return down_; }
  // Calls receive(datagram) for each datagram that has arrived.
  template <class Receive>
  void deliver_up(Receive&& receive) {
    up_.deliver(0, receive);
  }
  template <class Receive>
  void deliver_down(Receive&& receive) {
    down_.deliver(1, receive);
  }
  // Round trips that the client has seen.
  [[nodiscard]] std::uint32_t round_trips() const { return down_.latest; }
  [[nodiscard]] std::uint64_t bytes_up() const { return up_.bytes; }

 private:
  struct Flight {
    core::Nanoseconds at;
    std::uint32_t round_trips;
    core::Bytes bytes;
  };
  // A sent datagram follows all that has arrived from the other side.
  struct Way final : transport::Output {
    explicit Way(JoinLine& the_line) : line(the_line) {}
    void send(const transport::Address& /*to*/, core::ByteView datagram) override {
      const Way& other = this == &line.up_ ? line.down_ : line.up_;
      bytes += datagram.size();
      flights.push_back({line.now_ + line.one_way_, other.latest, {datagram.begin(), datagram.end()}});
    }
    template <class Receive>
    void deliver(std::uint32_t more, Receive&& receive) {
      for (; !flights.empty() && flights.front().at <= line.now_; flights.pop_front()) {
        latest = std::max(latest, flights.front().round_trips + more);
        receive(core::ByteView(flights.front().bytes));
      }
    }
    JoinLine& line;
    std::deque<Flight> flights;
    std::uint32_t latest = 0;  // round trips of the delivered datagrams
    std::uint64_t bytes = 0;
  };

  core::Nanoseconds one_way_;
  core::Nanoseconds now_ = 0;
  Way up_;
  Way down_;
};

}  // namespace mobula::bench
