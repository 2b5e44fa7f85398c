#include <mobula/resource/compiler/drafted_level.hpp>
#include <mobula/resource/engine_components.hpp>

namespace mobula::resource {

DraftedLevel::DraftedLevel(const Draft& draft, Workshop& workshop) : draft_(draft), workshop_(workshop) {
  place_entities();
}

// Parents precede children. As in a world, an entity is a root if its parent has no Transform.
void DraftedLevel::place_entities() {
  places_.resize(draft_.num_entities());
  const DraftColumn* const transforms = find(transform_component);
  if (transforms == nullptr || transforms->data.size() != transforms->entity_index.size() * sizeof(engine::Transform))
    return;
  for (std::size_t i = 0; i < transforms->entity_index.size(); ++i) {
    const std::uint32_t entity = transforms->entity_index[i];
    const auto local = core::load<engine::Transform>(transforms->data.data() + transforms->row_begin[i]);
    const hierarchy::WorldTransform own{local.position, local.rotation};
    const std::uint32_t parent = draft_.parent_index[entity];
    const std::optional<hierarchy::WorldTransform> above = parent < entity ? places_[parent] : std::nullopt;
    places_[entity] = above ? hierarchy::compose(*above, local) : own;
  }
}

const DraftColumn* DraftedLevel::find(std::string_view component) const {
  const core::StringId32 id(component);
  for (const auto& [key, column] : draft_.columns)
    if (key.second == ComponentKey{id, id}) return &column;
  return nullptr;
}

void DraftedLevel::each(std::string_view component, const Visit& visit) const {
  const DraftColumn* const column = find(component);
  if (column == nullptr) return;
  for (std::size_t i = 0; i < column->entity_index.size(); ++i) {
    const std::uint32_t entity = column->entity_index[i];
    const std::size_t end = i + 1 < column->row_begin.size() ? column->row_begin[i + 1] : column->data.size();
    const std::optional<hierarchy::WorldTransform>& place = places_[entity];
    if (place) visit(*place, core::ByteView(column->data).first(end).subspan(column->row_begin[i]));
  }
}

std::uint64_t DraftedLevel::add_static(std::string_view type, core::ByteView data) {
  const core::StringId32 id = workshop_.names.intern(type, {}, Audience::everyone);
  return workshop_.statics.add(id, data, {}, Audience::everyone);
}

}  // namespace mobula::resource
