// Differences between what was shown of a component and what a correction makes of it. They decay to nothing, so that
// corrections show as motion: after each half-life half of the error is left. Rotations turn along the shortest way.
// Fields that are neither floats nor unit quaternions change at once.
#pragma once

#include <array>
#include <mobula/client/prediction/prediction_config.hpp>
#include <mobula/reflect/schema.hpp>
#include <span>
#include <vector>

namespace mobula::client {

/// How the errors of a component type decay.
class SmoothedType {
 public:
  static constexpr std::size_t values_max = 16;  // those of later fields change at once
  using Values = std::array<float, values_max>;

  /// `half_life` is in ticks.
  SmoothedType(const reflect::Component& type, double half_life, double snap_distance);

  [[nodiscard]] double half_life() const { return half_life_; }
  [[nodiscard]] bool has_fields() const { return !fields_.empty(); }
  /// Writes the error that leads from `to` to `from`. Returns false if there is none, or if it is beyond the snap
  /// distance.
  bool difference(const std::byte* from, const std::byte* to, Values& error) const;
  /// Adds a share of an error to a component.
  void add(const Values& error, double share, std::byte* component) const;

 private:
  struct SmoothedField {
    reflect::FieldKind kind{};
    std::uint32_t offset = 0;
    std::uint32_t first = 0;  // value
  };

  std::vector<SmoothedField> fields_;
  double half_life_;
  double snap_distance_;
};

/// Errors of entities, by component type. Moments are ticks.
class ShownErrors {
 public:
  /// Adds a type, whose number is the count of those before it.
  void add_type(SmoothedType type) { types_.push_back(std::move(type)); }
  [[nodiscard]] const SmoothedType& type(std::size_t number) const { return types_[number]; }
  /// Sets the error of a component: from now on `shown` decays to `actual`. `half_life` is in ticks.
  void set(ecs::Entity entity, std::size_t type, const std::byte* shown, const std::byte* actual, double moment,
           double half_life);
  /// Adds what is left of the error at a moment to the component.
  void apply(ecs::Entity entity, std::size_t type, double moment, std::byte* component) const;
  /// Gives the errors of an entity to another one.
  void rename(ecs::Entity from, ecs::Entity to);
  /// Removes the errors of which next to nothing is left.
  void drop(double moment);
  void clear() { errors_.clear(); }
  [[nodiscard]] std::size_t size() const { return errors_.size(); }

 private:
  struct Error {
    ecs::Entity entity;
    std::uint32_t type = 0;
    double moment = 0;  // when it was all of `values`
    double half_life = 1;
    SmoothedType::Values values{};

    [[nodiscard]] double share(double at) const;
    [[nodiscard]] std::uint64_t key() const { return std::uint64_t{entity.index} << 32 | type; }
  };

  std::vector<SmoothedType> types_;
  std::vector<Error> errors_;  // by key
};

}  // namespace mobula::client
