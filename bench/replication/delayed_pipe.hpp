// One direction of a network in memory: datagrams arrive some steps later, or never. All datagrams of a step lie in one
// array, so that sending is only a copy.
#pragma once

#include <array>
#include <mobula/core/bytes.hpp>
#include <mobula/core/random.hpp>
#include <vector>

namespace mobula::bench {

class DelayedPipe {
 public:
  static constexpr std::uint32_t delay_max = 7;  // steps

  DelayedPipe(std::uint64_t seed, std::uint32_t loss_percent) : random_(seed), loss_percent_(loss_percent) {}

  void send(std::uint32_t client, core::ByteView datagram, std::uint32_t delay) {
    if (random_.chance(loss_percent_, 100)) return;
    Step& step = steps_[(now_ + delay) % steps_.size()];
    step.under_way.push_back({client, static_cast<std::uint32_t>(datagram.size())});
    step.bytes.insert(step.bytes.end(), datagram.begin(), datagram.end());
  }
  // Calls receive(client, datagram) for each datagram that arrives in this step.
  template <class Receive>
  void deliver(Receive&& receive) {
    Step& step = steps_[now_ % steps_.size()];
    core::ByteView rest(step.bytes);
    for (const auto& [client, size] : step.under_way) {
      receive(client, rest.first(size));
      rest = rest.subspan(size);
    }
    step.under_way.clear();
    step.bytes.clear();
  }
  void next_step() { ++now_; }

 private:
  struct UnderWay {
    std::uint32_t client;
    std::uint32_t size;
  };
  struct Step {
    std::vector<UnderWay> under_way;
    core::Bytes bytes;
  };

  core::Random random_;
  std::uint32_t loss_percent_;
  std::array<Step, delay_max + 1> steps_;  // by when it arrives
  std::size_t now_ = 0;
};

}  // namespace mobula::bench
