// Apart from PredictedWorld, as modules of rules have a smaller one.
#include <algorithm>
#include <mobula/prediction/predicted_world.hpp>

namespace mobula::prediction {

void sort_by_index(std::span<ecs::Entity> entities) {
  if (!std::ranges::is_sorted(entities, {}, &ecs::Entity::index)) std::ranges::sort(entities, {}, &ecs::Entity::index);
}

}  // namespace mobula::prediction
