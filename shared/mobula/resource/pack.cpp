#include <algorithm>
#include <map>
#include <mobula/core/format.hpp>
#include <mobula/reflect/value.hpp>
#include <mobula/resource/draft.hpp>
#include <mobula/resource/engine_components.hpp>
#include <mobula/resource/limits.hpp>
#include <mobula/resource/pack.hpp>
#include <unordered_map>

namespace mobula::resource {
namespace {

using reflect::Component;
using reflect::Field;

core::Error too_large(std::size_t count, std::string_view what, std::size_t most) {
  return {"too large", core::format("a pack of {} {}; the maximum is {}: pack fewer entities", count, what, most)};
}

class Packer {
 public:
  Packer(const ecs::Registry& registry, const reflect::Schema& schema, std::span<const ecs::Entity> entities,
         std::vector<ecs::Entity>* others)
      : registry_(registry), schema_(schema), entities_(entities), others_(others) {
    for (const ecs::Entity entity : entities) number_.emplace(entity, static_cast<std::uint32_t>(number_.size()));
    const core::StringId32 parent(parent_component);
    parents_ = registry.find_pool(parent, parent);
  }

  core::Result<core::Bytes> run() {
    for (std::uint32_t i = 0; i < entities_.size(); ++i) add(i);
    for (std::size_t i = entities_.size(); i < number_.size(); ++i) add_other();
    if (number_.size() > limits::entities) return too_large(number_.size(), "entities", limits::entities);
    if (level().columns.size() > pack_columns_max)
      return too_large(level().columns.size(), "kinds of components", pack_columns_max);
    for (auto& [key, column] : level().columns) std::ranges::sort(column.references, {}, &Reference::offset);
    core::Bytes bytes = write_clients_part(schema_.bytes(), part_);
    if (bytes.size() > limits::file_bytes) return too_large(bytes.size(), "bytes", limits::file_bytes);
    return bytes;
  }

 private:
  [[nodiscard]] Draft& level() { return part_.level; }

  void add(std::uint32_t number) {
    const ecs::Entity entity = entities_[number];
    std::vector<ComponentKey> keys;
    for (const ecs::PoolId pool : registry_.prototypes().pools(registry_.prototype(entity)))
      if (const Component* const component = packed(pool)) keys.push_back(add_component(number, pool, *component));
    std::ranges::sort(keys);
    const auto prototype = prototypes_.try_emplace(keys, static_cast<std::uint32_t>(prototypes_.size()));
    if (prototype.second) level().prototypes.push_back(std::move(keys));
    level().prototype_of.push_back(prototype.first->second);
    // A level is at most so deep. Parents may be written directly, beyond it.
    const std::uint32_t parent = parent_of(number);
    const std::uint32_t depth = parent == no_parent ? 1 : depth_[parent] + 1;
    const bool fits = depth <= limits::hierarchy_depth;
    depth_.push_back(fits ? depth : 1);
    level().parent_index.push_back(fits ? parent : no_parent);
  }

  void add_other() {
    const auto prototype = prototypes_.try_emplace({}, static_cast<std::uint32_t>(prototypes_.size()));
    if (prototype.second) level().prototypes.emplace_back();
    level().prototype_of.push_back(prototype.first->second);
    level().parent_index.push_back(no_parent);
  }

  // Returns null for components without a byte form, and those that saves leave out.
  [[nodiscard]] const Component* packed(ecs::PoolId id) const {
    const ecs::Pool& pool = registry_.pool(id);
    const Component* const component = pool.is_schema() ? schema_.find(pool.type().id) : nullptr;
    return component == nullptr || component->not_saved ? nullptr : component;
  }

  ComponentKey add_component(std::uint32_t number, ecs::PoolId id, const Component& component) {
    const ecs::Pool& pool = registry_.pool(id);
    const ComponentKey key{component.id, core::StringId32(pool.instance_name())};
    part_.names.emplace(key.type, component.name);
    part_.names.emplace(key.instance, pool.instance_name());
    DraftColumn& column = level().columns[{0, key}];
    const auto begin = static_cast<std::uint32_t>(column.data.size());
    column.entity_index.push_back(number);
    const std::byte* const row = registry_.try_read(entities_[number], id);
    column.data.insert(column.data.end(), row, row + component.size);
    reflect::repair_values(component, column.data.data() + begin);
    reflect::reset_unsaved(component, column.data.data() + begin);
    for (const Field& field : component.fields)
      if (field.kind == reflect::FieldKind::entity) take_references(field, begin, column);
    return key;
  }

  // A file has references in place of handles.
  void take_references(const Field& field, std::uint32_t begin, DraftColumn& column) {
    for (std::uint32_t i = 0; i < field.count; ++i) {
      const std::uint32_t offset = begin + field.offset + i * field.stride;
      const auto handle = core::load<ecs::Entity>(column.data.data() + offset);
      if (others_ != nullptr && handle &&
          number_.try_emplace(handle, static_cast<std::uint32_t>(number_.size())).second)
        others_->push_back(handle);
      const auto named = number_.find(handle);
      core::store(column.data.data() + offset, ecs::null_entity);
      if (named != number_.end()) column.references.push_back({offset, named->second});
    }
  }

  // Returns no_parent for a parent that is not packed, or not before its child.
  [[nodiscard]] std::uint32_t parent_of(std::uint32_t number) const {
    const std::byte* const row =
        parents_ == ecs::Registry::no_pool ? nullptr : registry_.try_read(entities_[number], parents_);
    const auto parent = row == nullptr ? number_.end() : number_.find(core::load<ecs::Entity>(row));
    return parent == number_.end() || parent->second >= number ? no_parent : parent->second;
  }

  const ecs::Registry& registry_;
  const reflect::Schema& schema_;
  std::span<const ecs::Entity> entities_;
  std::vector<ecs::Entity>* others_;  // null if their handles are erased
  ecs::PoolId parents_ = ecs::Registry::no_pool;
  std::unordered_map<ecs::Entity, std::uint32_t> number_;
  std::map<std::vector<ComponentKey>, std::uint32_t> prototypes_;
  std::vector<std::uint32_t> depth_;  // by number; a root has 1
  DraftPart part_;
};

}  // namespace

core::Result<core::Bytes> pack(const ecs::Registry& registry, const reflect::Schema& schema,
                               std::span<const ecs::Entity> entities, std::vector<ecs::Entity>* others) {
  if (entities.size() > limits::entities) return too_large(entities.size(), "entities", limits::entities);
  return Packer(registry, schema, entities, others).run();
}

}  // namespace mobula::resource
