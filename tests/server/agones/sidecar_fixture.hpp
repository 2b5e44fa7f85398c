// The client of Agones' sidecar with its stand-in, over sockets. Time is virtual but for timeouts of requests.
#pragma once

#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/server/agones/sidecar.hpp>
#include <net/peers.hpp>
#include <optional>
#include <server/agones/sidecar_twin.hpp>

namespace mobula::agones::test {

inline constexpr core::Nanoseconds second = core::second;
inline constexpr const char* players_path = "/v1beta1/counters/players";

class SidecarTest : public testing::Test {
 protected:
  void open(SidecarConfig config = {.request_timeout = 10 * second}) {
    config.url = twin.url();
    sidecar.emplace(events, std::move(config));
    twin.with_model([](SidecarModel& model) { model.counters = {{"players", {0, 100}}, {"worlds", {0, 10}}}; });
  }
  // Runs the loop at a time, until the condition holds.
  template <class Condition>
  [[nodiscard]] bool until(Condition condition) {
    return net::run_until_true(events, [&] {
      sidecar->update(now);
      return condition();
    });
  }
  // Lets time pass in steps of a tick, each of which the network sees. Ticks run, or the process hangs.
  void pass(core::Nanoseconds time, bool ticks = true) {
    constexpr core::Nanoseconds step = second / 20;
    for (const core::Nanoseconds end = now + time; now < end; now += step) {
      if (ticks) sidecar->tick_ran();
      sidecar->update(now);
      idle();
    }
  }
  // Waits until every request has its answer, but for `unanswered_` ones.
  void idle() {
    EXPECT_TRUE(net::run_until_true(events, [this] {
      return stats().requests <= stats().answered + stats().refused + stats().unanswered + unanswered_;
    }));
  }
  [[nodiscard]] const SidecarStats& stats() const { return sidecar->stats(); }
  std::size_t sent(const std::string& path) { return twin.bodies(path).size(); }
  std::optional<ModelCounter> players() {
    return twin.with_model([](SidecarModel& model) { return std::optional(model.counters["players"]); });
  }

  static Trouble any_trouble(core::Random& random) {
    constexpr Trouble all[] = {Trouble::none,     Trouble::lost_request, Trouble::lost_answer, Trouble::unavailable,
                               Trouble::nonsense, Trouble::no_http,      Trouble::closes_after};
    return all[random.below(7)];
  }

  net::EventLoop events;
  SidecarTwin twin;
  std::optional<Sidecar> sidecar;
  core::Nanoseconds now = 1000 * second;
  std::uint64_t unanswered_ = 0;  // requests that the stand-in leaves without an answer
};

}  // namespace mobula::agones::test
