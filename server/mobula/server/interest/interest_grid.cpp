#include <algorithm>
#include <mobula/core/assert.hpp>
#include <mobula/core/format.hpp>
#include <mobula/server/interest/interest_grid.hpp>
#include <string>
#include <utility>

namespace mobula::server {
namespace {

// Smaller cells mean more lists to search, larger ones more entities that are too far.
constexpr float cells_per_leave_radius = 2.0f;

constexpr float leave_max = 1e9f;

}  // namespace

void check_layers(std::span<const Layer> layers) {
  MOBULA_CHECK(layers.size() <= Layer::count_max,
               core::format("the game declares {} layers; it may have {}", layers.size(), Layer::count_max));
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const float enter = layers[i].radius;
    const float leave = leave_radius(layers[i]);
    if (enter == 0) continue;
    MOBULA_CHECK(enter > 0 && leave >= enter && leave < leave_max,
                 core::format("layer {} is entered at radius {} and left at {}: both are between 0 and {} m, and it is "
                              "not left before it is entered",
                              layers[i].name, enter, leave, leave_max));
  }
}

InterestGrid::InterestGrid(std::span<const Layer> layers) {
  check_layers(layers);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const float enter = layers[i].radius;
    const float leave = leave_radius(layers[i]);
    if (enter == 0) continue;
    reaches_[i] = {enter * enter, leave * leave, leave, cells_per_leave_radius / leave};
  }
}

void InterestGrid::insert(std::uint32_t index, std::uint32_t group, std::uint8_t layer, const engine::Vec3& position) {
  if (index >= places_.size()) places_.resize(index + 1);
  MOBULA_ASSERT(places_[index].zone == none, "index " + std::to_string(index) + " is inserted twice");
  const std::uint32_t zone = open_zone(group, layer);
  if (layer != everywhere) {
    ++near_count_;
    if (zones_[zone].size == zones_[zone].cells.size()) grow(zone);
  }
  ++zones_[zone].size;
  ++size_;
  push(zone, index, position);
}

void InterestGrid::erase(std::uint32_t index) {
  const Place place = std::exchange(places_[index], {});
  Zone& zone = zones_[place.zone];
  erase_from(list_at(zone, place.position), place.slot);
  if (zone.layer != everywhere) --near_count_;
  --size_;
  if (--zone.size == 0) close_zone(place.zone);
}

void InterestGrid::move(std::uint32_t index, const engine::Vec3& position) {
  Place& place = places_[index];
  Zone& zone = zones_[place.zone];
  InterestLines::List& before = list_at(zone, place.position);
  if (&before == &list_at(zone, position)) {
    place.position = position;
    lines_.set_position(place.slot, position);
  } else {
    erase_from(before, place.slot);
    push(place.zone, index, position);
  }
}

void InterestGrid::push(std::uint32_t zone, std::uint32_t index, const engine::Vec3& position) {
  places_[index] = {position, zone, lines_.push(list_at(zones_[zone], position), index, position)};
}

void InterestGrid::erase_from(InterestLines::List& list, std::uint32_t slot) {
  const InterestLines::Moved moved = lines_.erase(list, slot);
  if (moved.index != none) places_[moved.index].slot = moved.slot;
}

InterestLines::List& InterestGrid::list_at(Zone& zone, const engine::Vec3& position) {
  if (zone.layer == everywhere) return zone.cells[0];
  const Reach& reach = reaches_[zone.layer];
  const std::uint32_t place = place_of(cell_at(position.x, reach), cell_at(position.z, reach));
  return zone.cells[place & (zone.cells.size() - 1)];
}

// Zones -----------------------------------------------------------------------------------

std::uint32_t InterestGrid::open_zone(std::uint32_t group, std::uint8_t layer) {
  const std::uint64_t key = std::uint64_t{group} << 8 | layer;
  const auto at = std::lower_bound(zones_by_group_.begin(), zones_by_group_.end(), ZoneOf{key, 0});
  if (at != zones_by_group_.end() && at->key == key) return at->zone;
  if (free_zones_.empty()) {
    free_zones_.push_back(static_cast<std::uint32_t>(zones_.size()));
    zones_.emplace_back();
  }
  const std::uint32_t opened = free_zones_.back();
  free_zones_.pop_back();
  zones_[opened].group = group;
  zones_[opened].layer = layer;
  zones_[opened].cells.assign(layer == everywhere ? 1 : least_cells, {});
  zones_by_group_.insert(at, {key, opened});
  return opened;
}

void InterestGrid::close_zone(std::uint32_t zone) {
  const std::uint64_t key = std::uint64_t{zones_[zone].group} << 8 | zones_[zone].layer;
  zones_by_group_.erase(std::lower_bound(zones_by_group_.begin(), zones_by_group_.end(), ZoneOf{key, 0}));
  // Otherwise each zone would in time keep a table of the largest size. Small ones are kept: groups are often reopened.
  if (zones_[zone].cells.size() > least_cells) std::vector<InterestLines::List>().swap(zones_[zone].cells);
  free_zones_.push_back(zone);
}

// Moves a zone to a table of twice the size.
void InterestGrid::grow(std::uint32_t zone) {
  std::vector<InterestLines::List> old(zones_[zone].cells.size() * 2);
  old.swap(zones_[zone].cells);
  for (InterestLines::List& list : old) {
    lines_.each(list, [&](std::uint32_t index, std::uint32_t /*slot*/) {
      const engine::Vec3 position = places_[index].position;
      push(zone, index, position);
    });
    lines_.clear(list);
  }
}

void InterestGrid::check() const {
  std::size_t in = 0;
  for (std::uint32_t index = 0; index < places_.size(); ++index) {
    const Place& place = places_[index];
    if (place.zone == none) continue;
    ++in;
    MOBULA_ASSERT(lines_.index(place.slot) == index, "a place names the slot of its entity");
    MOBULA_ASSERT(zones_[place.zone].size > 0, "the zone of an entity is open");
  }
  std::size_t listed = 0;
  std::uint32_t near = 0;
  for (const ZoneOf& open : zones_by_group_) {
    const Zone& zone = zones_[open.zone];
    MOBULA_ASSERT(open.key == (std::uint64_t{zone.group} << 8 | zone.layer),
                  "a zone is found by its interest group and layer");
    std::uint32_t in_zone = 0;
    for (const InterestLines::List& list : zone.cells)
      lines_.each(list, [&](std::uint32_t index, std::uint32_t slot) {
        ++in_zone;
        MOBULA_ASSERT(places_[index].slot == slot && places_[index].zone == open.zone,
                      "a place names the slot in its list");
      });
    MOBULA_ASSERT(in_zone == zone.size, "a zone knows its size");
    MOBULA_ASSERT(zone.layer == everywhere || zone.size <= zone.cells.size(), "tables have a place for each entity");
    listed += in_zone;
    if (zone.layer != everywhere) near += in_zone;
  }
  MOBULA_ASSERT(listed == in && in == size_ && near == near_count_, "each is in one list");
  MOBULA_ASSERT(zones_by_group_.size() + free_zones_.size() == zones_.size(), "a zone is open or free");
}

}  // namespace mobula::server
