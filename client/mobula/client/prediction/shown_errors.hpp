// Differences between what was shown of a component and what a correction makes of it. They decay evenly and end after
// a duration, so that corrections show as motion. No other curve that ends by then moves less in its fastest frame.
// Rotations turn along the shortest way. Fields that are neither floats nor rotations change at once. A position that
// is corrected by more than the snap distance does so too, with its whole component.
#pragma once

#include <array>
#include <mobula/client/prediction/prediction_config.hpp>
#include <mobula/client/prediction/snapshot_ring.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/wire/stored_rotation.hpp>
#include <span>
#include <vector>

namespace mobula::client {

/// How the errors of a component type decay.
class SmoothedType {
 public:
  static constexpr std::size_t values_max = 16;  // floats, and four for each rotation; fields beyond change at once
  using Values = std::array<float, values_max>;

  /// `duration` is in ticks. Paths of the floats of a position begin with `position_field`.
  SmoothedType(const reflect::Component& type, double duration, double snap_distance, std::string_view position_field);

  [[nodiscard]] double duration() const { return duration_; }  // in ticks
  /// Writes the error that leads from `to` to `from`. Returns false if there is none, or if that of the position is
  /// beyond the snap distance.
  bool difference(const std::byte* from, const std::byte* to, Values& error) const;
  /// Adds a share of an error to a component.
  void add(const Values& error, double share, std::byte* component) const;

 private:
  struct SmoothedRotation {
    wire::StoredRotation rotation;
    std::uint32_t first = 0;  // the first of four values, which are parts of a turn
  };
  struct SmoothedFloat {
    reflect::FieldKind kind{};
    std::uint32_t offset = 0;
    std::uint32_t first = 0;  // its value
    bool is_position = false;
  };

  std::vector<SmoothedRotation> rotations_;
  std::vector<SmoothedFloat> floats_;
  double duration_;
  double snap_distance_;
};

/// Errors of entities, by component type. Moments are ticks.
class ShownErrors {
 public:
  /// Adds a type, whose number is the count of those before it.
  void add_type(SmoothedType type) { types_.push_back(std::move(type)); }
  [[nodiscard]] const SmoothedType& type(std::size_t number) const { return types_[number]; }
  /// Sets the error of a component: from now on `shown` decays to `actual`. `duration` is in ticks.
  void set(ecs::Entity entity, std::size_t type, const std::byte* shown, const std::byte* actual, double moment,
           double duration);
  /// Adds what is left of the error at a moment to the component.
  void apply(ecs::Entity entity, std::size_t type, double moment, std::byte* component) const;
  /// Gives the errors of entities to others, all at once. Those that go on under null end.
  void rename(std::span<const RenamedEntity> renamed);
  /// Removes the errors of which nothing is left.
  void drop(double moment);
  void clear() { errors_.clear(); }
  [[nodiscard]] std::size_t size() const { return errors_.size(); }

 private:
  struct Error {
    ecs::Entity entity;
    std::uint32_t type = 0;
    double moment = 0;  // when it was all of `values`
    double duration = 1;
    SmoothedType::Values values{};

    [[nodiscard]] double share(double at) const;
    [[nodiscard]] std::uint64_t key() const { return std::uint64_t{entity.index} << 32 | type; }
  };

  std::vector<SmoothedType> types_;
  std::vector<Error> errors_;  // by key
};

}  // namespace mobula::client
