#include <mobula/ecs/registry.hpp>
#include <mobula/rules_module/arena.hpp>

namespace mobula::rules_module {

void* detail::ListMemory::append(std::uint32_t element_size) {
  if (size == capacity) {
    capacity = capacity == 0 ? 16 : 2 * capacity;
    auto* const grown = static_cast<std::byte*>(allocate(std::size_t{capacity} * element_size));
    std::memcpy(grown, elements, std::size_t{size} * element_size);
    elements = grown;
  }
  return elements + std::size_t{size++} * element_size;
}

std::uint32_t number_column_types() {
  std::uint32_t count = 0;
  for (ColumnType* each = ColumnType::first; each != nullptr; each = each->next) {
    each->number = 0;
    for (const ColumnType* other = ColumnType::first; other != nullptr; other = other->next)
      if (other->name < each->name) ++each->number;
    ++count;
  }
  return count;
}

}  // namespace mobula::rules_module

namespace mobula::ecs {
namespace {

// Returns the place of the first element that is not below an index.
template <class T, class IndexOf>
std::uint32_t lower_bound(const rules_module::List<T>& list, std::uint32_t index, IndexOf index_of) {
  std::uint32_t low = 0;
  for (std::uint32_t high = list.size(); low < high;) {
    const std::uint32_t middle = (low + high) / 2;
    if (index_of(list[middle]) < index) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

std::uint32_t Pool::find(std::uint32_t index) const {
  const std::uint32_t place = lower_bound(indices_, index, [](std::uint32_t each) { return each; });
  return place < size() && indices_[place] == index ? place : none;
}

std::uint32_t Pool::append(std::uint32_t index) {
  MOBULA_CHECK(size() == 0 || indices_.back() < index, "rows of a column ascend by the entities' indices");
  if (size() % block_size == 0)
    blocks_.push_back(static_cast<std::byte*>(rules_module::allocate(std::size_t{block_size} * type_->size)));
  indices_.push_back(index);
  changed_.push_back(false);
  return size() - 1;
}

void EntityList::insert(Entity entity) {
  const std::uint32_t place = lower_bound(entities_, entity.index, [](const Entity& each) { return each.index; });
  const bool is_taken = place < entities_.size() && entities_[place].index == entity.index;
  MOBULA_CHECK(!is_taken || entities_[place] == entity, "two entities have one index");
  if (!is_taken) entities_.insert(place, entity);
}

Entity EntityList::at(std::uint32_t index) const {
  const std::uint32_t place = lower_bound(entities_, index, [](const Entity& each) { return each.index; });
  return place < entities_.size() && entities_[place].index == index ? entities_[place] : null_entity;
}

Registry::Registry() {
  const std::uint32_t count = rules_module::number_column_types();
  for (std::uint32_t number = 0; number < count; ++number) pools_.push_back({});
  for (const rules_module::ColumnType* each = rules_module::ColumnType::first; each != nullptr; each = each->next)
    pools_[each->number].type_ = each;
}

PoolId Registry::find_pool(core::StringId32 type, core::StringId32 /*instance*/) const {
  for (const Pool& each : pools())
    if (each.type().id == type) return each.id();
  return no_pool;
}

std::byte* Registry::find_row(Entity entity, PoolId pool, bool writes) const {
  Pool& in = pools_[pool];
  const std::uint32_t position = valid(entity) ? in.find(entity.index) : Pool::none;
  if (position == Pool::none) return nullptr;
  if (writes) in.mark_changed(position);
  return in.address(position);
}

std::byte* Registry::add_row(Entity entity, PoolId pool) {
  Pool& to = pools_[pool];
  const std::uint32_t position = to.append(entity.index);
  to.mark_changed(position);
  return to.address(position);
}

}  // namespace mobula::ecs
