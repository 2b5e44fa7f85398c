#include <mobula/core/log.hpp>
#include <mobula/server/agones/life_cycle.hpp>
#include <utility>

namespace mobula::agones {

LifeCycle::LifeCycle(net::EventLoop& events, LifeCycleConfig config)
    : config_(std::move(config)), sidecar_(std::make_unique<Sidecar>(events, config_.sidecar)) {}

void LifeCycle::ready() {
  if (!sidecar_ || ready_) return;
  ready_ = true;
  sidecar_->ready();
}

void LifeCycle::tick_ran(std::uint64_t players, std::uint64_t worlds, core::Nanoseconds now) {
  if (!sidecar_) return;
  sidecar_->tick_ran();
  sidecar_->set_counter(Counter::players, {players, config_.players_max});
  sidecar_->set_counter(Counter::worlds, {worlds, config_.worlds_max});
  note_players(players);
  sidecar_->update(now);
}

void LifeCycle::note_players(std::uint64_t players) {
  if (!config_.allocate_when_joined || !ready_ || in_use_ == (players > 0)) return;
  in_use_ = players > 0;
  if (in_use_) return sidecar_->allocate();
  if (config_.reserve_seconds > 0) return sidecar_->reserve(config_.reserve_seconds);
  sidecar_->ready();
}

bool LifeCycle::drain_wanted(core::Nanoseconds now) {
  if (!sidecar_) return ending_;
  sidecar_->update(now);
  ending_ = sidecar_->ending();
  return ending_;
}

void LifeCycle::shut_down() {
  if (!sidecar_) return;
  last_stats_ = sidecar_->stats();
  sidecar_.reset();
  const core::Status sent = send_shutdown(config_.sidecar.url, config_.shutdown_timeout);
  if (!sent) core::log_warn("agones", "the sidecar did not accept the shutdown: {}", sent.error().message);
}

}  // namespace mobula::agones
