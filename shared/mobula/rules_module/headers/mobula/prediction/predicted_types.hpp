// Access of a module's step to component types. It takes the place of <mobula/prediction/predicted_types.hpp> where
// rules are compiled to WebAssembly.
#pragma once

#include <mobula/core/format.hpp>
#include <mobula/ecs/registry.hpp>
#include <mobula/prediction/predicted_component.hpp>
#include <mobula/prediction/rules.hpp>

namespace mobula::prediction {

class PredictedTypes {
 public:
  /// Checks that the step may read the components of a pool.
  void check_readable(const ecs::Pool& pool) const {
    if (!pool.type().readable) [[unlikely]]
      core::check_failed(core::format("the step reads {}, which Rules::reads does not list", pool.instance_name()));
  }
};

}  // namespace mobula::prediction
