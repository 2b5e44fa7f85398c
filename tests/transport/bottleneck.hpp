// Pairs of sessions whose senders share one link of limited bandwidth with a queue, for tests.
#pragma once

#include <deque>
#include <transport/session_pair.hpp>

namespace mobula::transport {

struct Bottleneck {
  std::uint64_t bytes_per_second = 0;
  core::Nanoseconds latency = 0;  // one way, without the queue
  std::size_t queue_bytes_max = SIZE_MAX;
  std::uint32_t loss_permille = 0;  // in addition to drops of the queue; both directions
};

// Each sender sends through the link to its receiver. The reverse direction has no bandwidth limit.
class BottleneckWorld {
 public:
  BottleneckWorld(std::size_t pairs, const Bottleneck& conditions, const SessionConfig& config, std::uint64_t seed)
      : senders(pairs, Session(config, 0)), receivers(pairs, Session({}, 0)), link(conditions), random_(seed) {}

  // Returns the queueing delay of a datagram sent now.
  [[nodiscard]] core::Nanoseconds queue_delay() const { return std::max<core::Nanoseconds>(0, link_free_at_ - now); }

  void step(core::Nanoseconds duration) {
    deliver(up_, receivers);
    deliver(down_, senders);
    const std::size_t first =
        random_.below(static_cast<std::uint32_t>(senders.size()));  // the first one has the least delay
    for (std::size_t n = 0; n < senders.size(); ++n) {
      const std::size_t i = (first + n) % senders.size();
      senders[i].flush(now, [&](core::ByteView body) { send_up(i, body); });
      receivers[i].flush(now, [&](core::ByteView body) { fly(down_, i, body, now + link.latency); });
      senders[i].check();
    }
    now += duration;
  }

  std::vector<Session> senders;
  std::vector<Session> receivers;
  Bottleneck link;
  core::Nanoseconds now = 0;

 private:
  struct Flight {
    core::Nanoseconds at;
    std::size_t pair;
    core::Bytes bytes;
  };

  void send_up(std::size_t pair, core::ByteView body) {
    const auto waiting =
        static_cast<std::uint64_t>(queue_delay() / core::microsecond) * link.bytes_per_second / 1'000'000;
    if (waiting + body.size() > link.queue_bytes_max) return;
    link_free_at_ = std::max(link_free_at_, now) +
                    static_cast<core::Nanoseconds>(body.size() * core::second / link.bytes_per_second);
    fly(up_, pair, body, link_free_at_ + link.latency);
  }
  void fly(std::deque<Flight>& flights, std::size_t pair, core::ByteView body, core::Nanoseconds at) {
    if (random_.chance(link.loss_permille, 1000)) return;
    flights.push_back({at, pair, core::Bytes(body.begin(), body.end())});
  }
  void deliver(std::deque<Flight>& flights, std::vector<Session>& to) {
    for (; !flights.empty() && flights.front().at <= now; flights.pop_front()) {
      to[flights.front().pair].receive(flights.front().bytes, now);
    }
  }

  core::Random random_;
  core::Nanoseconds link_free_at_ = 0;
  std::deque<Flight> up_;
  std::deque<Flight> down_;
};

}  // namespace mobula::transport
