// Checks that functions of a step share.
#pragma once

#include <c/prediction_call.hpp>

namespace mobula::c {

/// Most components that one call names.
inline constexpr std::uint32_t components_max = 64;

enum class Access : std::uint8_t { read, write };

/// Returns MOBULA_OK if the step may access a component of the mirror. `own` is its pool in the prediction.
mobula_result check_access(const Step& step, std::uint32_t component, Access access, ecs::PoolId& own);
/// Does the same for a list of components. Their pools are in HostPrediction::pools.
mobula_result check_all_access(const Step& step, const std::uint32_t* components, std::uint32_t count, Access access);
mobula_result not_stepped(mobula_entity entity);

}  // namespace mobula::c
