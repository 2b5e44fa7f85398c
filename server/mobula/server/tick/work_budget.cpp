#include <algorithm>
#include <mobula/core/assert.hpp>
#include <mobula/server/tick/work_budget.hpp>
#include <utility>

namespace mobula::server {
namespace {

constexpr core::Nanoseconds admissions_part = 4;
constexpr std::uint32_t first_admissions_max = 16;
constexpr std::uint32_t admissions_limit = 4096;
// An expectation falls by this part per tick, so that one short tick among long ones is not believed.
constexpr core::Nanoseconds forgotten_part = 8;

}  // namespace

WorkBudget::WorkBudget(Config config)
    : config_(std::move(config)),
      budget_(config_.period * std::max(config_.percent, percent_least) / 100),
      least_(config_.period * percent_least / 100),
      admissions_max_(first_admissions_max) {
  MOBULA_CHECK(!limited() || config_.period > 0, "a work budget needs a period");
}

void WorkBudget::begin_tick() {
  began_ = config_.clock();
  served_time_ = 0;
}

void WorkBudget::begin_admissions() {
  bracket_began_ = config_.clock();
  serve_until_ = bracket_began_ + std::max((budget_ - expected_) / admissions_part, least_);
}

void WorkBudget::begin_first_states() {
  bracket_began_ = config_.clock();
  serve_until_ = std::max(began_ + budget_, bracket_began_ + least_);
}

void WorkBudget::end_tick(std::uint32_t admitted) {
  last_tick_ = config_.clock() - began_;
  // Long ticks of players alone do not count against admissions.
  const bool kept = last_tick_ <= std::max(budget_, expected_ + least_) + least_;
  if (!kept && admitted > 0) {
    admissions_max_ = std::max(admitted / 2, 1u);
  } else if (admitted >= admissions_max_) {
    admissions_max_ = std::min(admissions_max_ + admissions_max_ / 4 + 1, admissions_limit);
  }
  expected_ = std::max(last_tick_ - served_time_, expected_ - expected_ / forgotten_part);
}

}  // namespace mobula::server
