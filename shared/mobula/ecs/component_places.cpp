#include <mobula/ecs/component_places.hpp>

namespace mobula::ecs {

void ComponentPlaces::push(std::uint32_t index) {
  set_.make_room(index);
  set_.push(index);
  positions_.push_back(0);
  components_.push_back(nullptr);
  pool_version_ = 0;
}

void ComponentPlaces::erase(std::uint32_t entry) {
  const auto fill_gap = [entry](auto& column) {
    column[entry] = column.back();
    column.pop_back();
  };
  set_.erase(set_.indices()[entry]);
  fill_gap(positions_);
  fill_gap(components_);
}

void ComponentPlaces::find_components(const Pool& pool) {
  pool_version_ = pool.version();
  const std::span<const std::uint32_t> there = pool.indices();
  for (std::uint32_t entry = 0; entry < size(); ++entry) {
    std::uint32_t& position = positions_[entry];
    if (position >= there.size() || there[position] != index(entry)) position = pool.find(index(entry));
    components_[entry] = pool.address(position);
  }
}

}  // namespace mobula::ecs
