// Components with predicted fields, by their structs.
#pragma once

#include <concepts>
#include <mobula/ecs/component_type.hpp>

namespace mobula::prediction {

/// A component with predicted fields, which a step may write.
template <class T>
concept PredictedComponent = ecs::SchemaComponent<T> && requires {
  { T::has_predicted_fields } -> std::convertible_to<bool>;
};

}  // namespace mobula::prediction
