#include "replication/meter.hpp"

#include <algorithm>

#include "cpu_clock.hpp"

namespace mobula::bench {

void Meter::begin() { cpu_begin_ = thread_cpu_now(); }

void Meter::begin_tick() {
  cpu_tick_ = thread_cpu_now();
  wall_tick_ = core::monotonic_now();
  sums_.receive_cpu += cpu_tick_ - cpu_begin_;
}

void Meter::end_tick() {
  sums_.tick_wall += core::monotonic_now() - wall_tick_;
  const core::Nanoseconds now = thread_cpu_now();
  sums_.tick_cpu += now - cpu_tick_;
  ticks_.push_back(now - cpu_begin_);
  for (const auto& session : server_.sessions())
    if (session->replication.view != nullptr) sums_.visible += session->replication.view->visible().size();
}

void Meter::restart() {
  before_ = totals();
  ticks_.clear();
}

Meter::Totals Meter::totals() const {
  Totals totals = sums_;
  for (std::size_t phase = 0; phase < totals.phases.size(); ++phase)
    totals.phases[phase] = server_.phases().spent(static_cast<server::TickPhase>(phase));
  totals.send = output_.spent();
  totals.bytes = output_.bytes();
  totals.made = server_.encoded_deltas().made();
  totals.copied = server_.encoded_deltas().copied();
  return totals;
}

ReplicationReport Meter::report(std::uint32_t clients, double moving_share) {
  using server::TickPhase;
  const Totals now = totals();
  const double client_ticks = static_cast<double>(ticks_.size()) * clients;
  const auto us = [&](core::Nanoseconds spent) { return static_cast<double>(spent) / 1e3 / client_ticks; };
  // The phases' clock continues while other threads have the core.
  const double ran =
      static_cast<double>(now.tick_cpu - before_.tick_cpu) / static_cast<double>(now.tick_wall - before_.tick_wall);
  const auto phase = [&](TickPhase which) {
    const auto place = static_cast<std::size_t>(which);
    return us(now.phases[place] - before_.phases[place]) * ran;
  };
  ReplicationReport report;
  report.clients = clients;
  report.costs.send = us(now.send - before_.send) * ran;
  report.costs.publish = phase(TickPhase::publish);
  report.costs.choose = phase(TickPhase::choose);
  report.costs.encode = phase(TickPhase::encode);
  report.costs.seal = phase(TickPhase::seal) - report.costs.send;
  report.costs.receive = phase(TickPhase::receive) + us(now.receive_cpu - before_.receive_cpu);
  report.costs.game = phase(TickPhase::game);
  const auto bytes = static_cast<double>(now.bytes - before_.bytes);
  const auto states = static_cast<double>(now.copied - before_.copied);
  const auto ratio = [](double a, double b) { return b == 0 ? 0 : a / b; };
  const double moving = static_cast<double>(now.visible - before_.visible) * moving_share;
  report.bytes_per_moving_entity = ratio(bytes, moving);
  report.bytes_per_client_tick = bytes / client_ticks;
  report.states_per_client_tick = states / client_ticks;
  report.moving_per_client_tick = moving / client_ticks;
  report.copies_per_string = ratio(states, static_cast<double>(now.made - before_.made));
  std::ranges::sort(ticks_);
  const auto tick_ms = [&](std::size_t percent) {
    return static_cast<double>(ticks_[(ticks_.size() - 1) * percent / 100]) / 1e6;
  };
  report.tick_p50_ms = tick_ms(50);
  report.tick_p99_ms = tick_ms(99);
  return report;
}

}  // namespace mobula::bench
