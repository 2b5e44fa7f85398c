// How corrections move what is shown: the same prediction is run with and without smoothing, and their bodies compared
// in each frame.
#pragma once

#include <client/prediction/court.hpp>
#include <map>
#include <optional>
#include <vector>

namespace mobula::bench {

class ShownMotion {
 public:
  /// The guest outlives it, and its prediction has not been updated yet.
  ShownMotion(const test::Court& court, test::Court::Guest& guest, client::PredictionConfig config);

  /// Predicts another entity too.
  void set_predicted(ecs::Entity entity);
  /// Notes a frame, after the guest's update at `now`.
  void frame(core::Nanoseconds now);
  /// Forgets what it has noted.
  void clear();
  /// Distances per frame by which decaying errors of less than a metre moved what is shown, in cm.
  [[nodiscard]] const std::vector<double>& moved_cm() const { return moved_cm_; }
  /// Times from corrections of 1 cm to 1 m until less than 1 cm was left. A later correction of the body begins anew.
  [[nodiscard]] const std::vector<double>& settled_ms() const { return settled_ms_; }

 private:
  // A body in the last frame.
  struct Track {
    core::Nanoseconds noted = 0;  // 0 before the first frame
    client::ShownMoment moment;
    std::array<double, 3> shown{};
    std::array<double, 3> actual{};
    std::optional<core::Nanoseconds> corrected{};  // when, if more than 1 cm is left
  };

  void note(ecs::Entity entity, core::Nanoseconds now);

  const test::Court& court_;
  test::Court::Guest& guest_;
  client::PredictionConfig config_;
  client::Prediction plain_;  // without smoothing
  bool corrected_ = false;    // in this frame
  std::map<ecs::Entity, Track> tracks_;
  std::vector<double> moved_cm_;
  std::vector<double> settled_ms_;
};

}  // namespace mobula::bench
