#include <algorithm>
#include <mobula/client/prediction/prediction_config.hpp>
#include <mobula/core/did_you_mean.hpp>
#include <mobula/core/format.hpp>
#include <mobula/prediction/predicted_types.hpp>
#include <string_view>

namespace mobula::client {
namespace {

// An empty name means any component.
core::Status check_name(const reflect::Schema& schema, std::string_view setting, std::string_view name) {
  std::vector<std::string_view> known;
  for (const reflect::Component& component : schema.components())
    if (prediction::has_predicted_fields(component)) known.push_back(component.name);
  if (name.empty() || std::ranges::count(known, name) > 0) return core::Done{};
  return core::Error{"not predicted", core::format("{} names {}, which is not predicted{}", setting, name,
                                                   core::did_you_mean(name, known))};
}

}  // namespace

core::Status check_names(const PredictionConfig& config, const reflect::Schema& schema) {
  for (const Smoothing& each : config.smoothing)
    if (const core::Status known = check_name(schema, "smoothing", each.component); !known) return known;
  return check_name(schema, "position_component", config.position_component);
}

}  // namespace mobula::client
