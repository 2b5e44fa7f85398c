#include <algorithm>
#include <mobula/core/did_you_mean.hpp>
#include <mobula/core/format.hpp>
#include <mobula/prediction/predicted_types.hpp>

namespace mobula::prediction {
namespace {

core::Error unknown_component(const reflect::Schema& schema, std::string_view name) {
  std::vector<std::string_view> known;
  for (const reflect::Component& component : schema.components()) known.push_back(component.name);
  return {"unknown component", core::format("Rules::reads lists {}, which the schema does not have{}", name,
                                            core::did_you_mean(name, known))};
}

}  // namespace

bool has_predicted_fields(const reflect::Component& component) {
  return std::ranges::any_of(component.fields, &reflect::Field::predicted);
}

core::Result<PredictedTypes> PredictedTypes::resolve(const ecs::Registry& registry, const reflect::Schema& schema,
                                                     const Rules& rules) {
  PredictedTypes types;
  for (const reflect::Component& component : schema.components()) {
    if (!has_predicted_fields(component)) continue;
    const ecs::PoolId pool = registry.find_pool(component.id, component.id);
    MOBULA_CHECK(pool != ecs::no_pool, "the registry has no component " + component.name);
    types.predicted_.push_back({pool, wire::RowCodec(component)});
    types.permit(pool, Access::write);
  }
  for (const std::string_view name : rules.reads) {
    const reflect::Component* const component = schema.find(name);
    if (component == nullptr) return unknown_component(schema, name);
    if (component->not_sent)
      return core::Error{"not sent", core::format("Rules::reads lists {}, which clients do not receive", name)};
    const ecs::PoolId pool = registry.find_pool(component->id, component->id);
    MOBULA_CHECK(pool != ecs::no_pool, "the registry has no component " + component->name);
    if (types.is_readable(pool)) continue;  // it is predicted, or listed twice
    types.declared_.push_back(pool);
    types.permit(pool, Access::read);
  }
  return types;
}

void PredictedTypes::permit(ecs::PoolId pool, Access access) {
  if (pool >= access_.size()) access_.resize(pool + std::size_t{1});
  access_[pool] = access;
}

void PredictedTypes::fail_read(std::string_view component) {
  core::check_failed(core::format("the step reads {}, which Rules::reads does not list", component));
}

}  // namespace mobula::prediction
