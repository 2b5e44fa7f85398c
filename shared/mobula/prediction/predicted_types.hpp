// Component types that a step may use, resolved once from schema and rules. A predicted component has at least one
// field with the attribute `predicted`. Only default instances are predicted.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/ecs/registry.hpp>
#include <mobula/prediction/predicted_component.hpp>
#include <mobula/prediction/rules.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/wire/row_codec.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace mobula::prediction {

/// Returns whether a component of the schema has predicted fields.
[[nodiscard]] bool has_predicted_fields(const reflect::Component& component);

/// Pools of a registry that a step may use.
class PredictedTypes {
 public:
  struct Predicted {
    ecs::PoolId pool;
    wire::RowCodec codec;
  };

  /// Resolves the types of the rules. The registry has the components of the schema. Errors: "unknown component" and
  /// "not sent", for names in Rules::reads.
  static core::Result<PredictedTypes> resolve(const ecs::Registry& registry, const reflect::Schema& schema,
                                              const Rules& rules);

  /// Returns the pools of predicted components, sorted by the component's name.
  [[nodiscard]] std::span<const Predicted> predicted() const { return predicted_; }
  /// Returns the pools that the step reads without predicting them, in the order of Rules::reads.
  [[nodiscard]] std::span<const ecs::PoolId> declared() const { return declared_; }
  /// Returns whether the step may read the components of a pool.
  [[nodiscard]] bool is_readable(ecs::PoolId pool) const { return access_of(pool) != Access::none; }
  /// Returns whether the step may write them: they are predicted.
  [[nodiscard]] bool is_writable(ecs::PoolId pool) const { return access_of(pool) == Access::write; }
  /// Checks that the step may read the components of a pool.
  void check_readable(const ecs::Pool& pool) const {
    if (!is_readable(pool.id())) [[unlikely]]
      fail_read(pool.instance_name());
  }

 private:
  enum class Access : std::uint8_t { none, read, write };

  PredictedTypes() = default;
  void permit(ecs::PoolId pool, Access access);
  [[nodiscard]] Access access_of(ecs::PoolId pool) const {
    return pool < access_.size() ? access_[pool] : Access::none;
  }
  [[noreturn, gnu::cold]] static void fail_read(std::string_view component);

  std::vector<Predicted> predicted_;
  std::vector<ecs::PoolId> declared_;
  std::vector<Access> access_;  // by pool
};

}  // namespace mobula::prediction
