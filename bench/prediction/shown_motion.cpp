#include "prediction/shown_motion.hpp"

#include <algorithm>
#include <cmath>

namespace mobula::bench {
namespace {

using Place = std::array<double, 3>;

constexpr double corrected_min = 0.01;  // metres
constexpr double corrected_max = 1;
constexpr double moved_min = 1e-5;  // rounding moves less

client::PredictionConfig without_smoothing(client::PredictionConfig config) {
  config.smoothing = {client::Smoothing{.duration = 0}};
  config.switch_duration = 0;
  return config;
}

std::optional<Place> place_of(const client::Prediction& prediction, const client::Mirror& mirror, ecs::Entity entity,
                              const client::ShownMoment& moment) {
  const auto body = client::sample<court::Body>(prediction, mirror, entity, moment);
  if (!body) return std::nullopt;
  return Place{static_cast<double>(body->position.x), static_cast<double>(body->position.y),
               static_cast<double>(body->position.z)};
}

Place apart(const Place& a, const Place& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double length(const Place& a) { return std::hypot(a[0], a[1], a[2]); }

}  // namespace

ShownMotion::ShownMotion(const test::Court& court, test::Court::Guest& guest, client::PredictionConfig config)
    : court_(court),
      guest_(guest),
      config_(without_smoothing(std::move(config))),
      plain_(test::court_rules(), config_, guest.connection()) {}

void ShownMotion::set_predicted(ecs::Entity entity) {
  guest_.prediction.set_predicted(entity, true);
  plain_.set_predicted(entity, true);
}

void ShownMotion::frame(core::Nanoseconds now) {
  const std::uint64_t rollbacks = plain_.stats().rollbacks;
  plain_.update(now);
  corrected_ = plain_.stats().rollbacks != rollbacks;
  MOBULA_CHECK(
      plain_.tick() == guest_.prediction.tick() && plain_.reconciled_tick() == guest_.prediction.reconciled_tick(),
      "both predictions are alike");
  for (const client::SpawnNotice& notice : guest_.prediction.spawns().notices())
    if (auto node = tracks_.extract(notice.local); !node.empty() && notice.kind == client::SpawnNotice::Kind::matched) {
      node.key() = notice.real;
      tracks_.insert(std::move(node));
    }
  note(guest_.avatar(), now);
  for (const ecs::Entity crate : court_.game.crates) note(crate, now);
  for (const client::PredictedSpawns::Local& local : guest_.prediction.spawns().locals()) note(local.entity, now);
  // Stones that the server has.
  for (auto each = tracks_.begin(); each != tracks_.end();) {
    if (each->second.noted != now) note(each->first, now);
    each = each->second.noted == now ? std::next(each) : tracks_.erase(each);
  }
}

void ShownMotion::note(ecs::Entity entity, core::Nanoseconds now) {
  const client::Mirror* const mirror = guest_.connection().mirror();
  if (!entity || mirror == nullptr) return;
  const client::ShownMoment moment = guest_.prediction.moment();
  const std::optional<Place> shown = place_of(guest_.prediction, *mirror, entity, moment);
  const std::optional<Place> actual = place_of(plain_, *mirror, entity, moment);
  if (!shown || !actual) return;
  Track& track = tracks_[entity];
  const Track last = std::exchange(track, {.noted = now, .moment = moment, .shown = *shown, .actual = *actual});
  if (last.noted == 0) return;
  // The actual place in the last frame, as it has been corrected since. Without a correction it has moved by commands.
  const std::optional<Place> before =
      corrected_ ? place_of(plain_, *mirror, entity, last.moment) : std::optional(last.actual);
  if (!before) return;
  const double error = length(apart(last.shown, *before));
  const double left = length(apart(*shown, *actual));
  const double added = length(apart(apart(last.shown, *before), apart(*shown, *actual)));
  // After a stall the prediction catches up in one frame. The error that begins then holds the body where it was shown.
  const double moved = std::min(added, length(apart(last.shown, *shown)));
  if (error < corrected_max && moved > moved_min) moved_cm_.push_back(moved * 100);
  track.corrected = last.corrected;
  if (length(apart(*before, last.actual)) > moved_min)
    track.corrected = error > corrected_min && error < corrected_max ? std::optional(last.noted) : std::nullopt;
  if (!track.corrected || left >= corrected_min) return;
  settled_ms_.push_back(static_cast<double>(now - *track.corrected) / core::millisecond);
  track.corrected.reset();
}

void ShownMotion::clear() {
  tracks_.clear();
  moved_cm_.clear();
  settled_ms_.clear();
}

}  // namespace mobula::bench
