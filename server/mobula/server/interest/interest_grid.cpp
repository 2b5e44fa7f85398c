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
  MOBULA_ASSERT(places_[index].section == none, "index " + std::to_string(index) + " is inserted twice");
  const std::uint32_t section = open_section(group, layer);
  if (layer != everywhere) {
    ++near_count_;
    if (sections_[section].size == sections_[section].cells.size()) grow(section);
  }
  ++sections_[section].size;
  ++size_;
  push(section, index, position);
}

void InterestGrid::erase(std::uint32_t index) {
  const Place place = std::exchange(places_[index], {});
  Section& section = sections_[place.section];
  erase_from(list_at(section, place.position), place.slot);
  if (section.layer != everywhere) --near_count_;
  --size_;
  if (--section.size == 0) close_section(place.section);
}

void InterestGrid::move(std::uint32_t index, const engine::Vec3& position) {
  Place& place = places_[index];
  Section& section = sections_[place.section];
  InterestLines::List& before = list_at(section, place.position);
  if (&before == &list_at(section, position)) {
    place.position = position;
    lines_.set_position(place.slot, position);
  } else {
    erase_from(before, place.slot);
    push(place.section, index, position);
  }
}

void InterestGrid::push(std::uint32_t section, std::uint32_t index, const engine::Vec3& position) {
  places_[index] = {position, section, lines_.push(list_at(sections_[section], position), index, position)};
}

void InterestGrid::erase_from(InterestLines::List& list, std::uint32_t slot) {
  const InterestLines::Moved moved = lines_.erase(list, slot);
  if (moved.index != none) places_[moved.index].slot = moved.slot;
}

InterestLines::List& InterestGrid::list_at(Section& section, const engine::Vec3& position) {
  if (section.layer == everywhere) return section.cells[0];
  const Reach& reach = reaches_[section.layer];
  const std::uint32_t place = place_of(cell_at(position.x, reach), cell_at(position.z, reach));
  return section.cells[place & (section.cells.size() - 1)];
}

// Sections -----------------------------------------------------------------------------------

std::uint32_t InterestGrid::open_section(std::uint32_t group, std::uint8_t layer) {
  const std::uint64_t key = std::uint64_t{group} << 8 | layer;
  const auto at = std::lower_bound(sections_by_group_.begin(), sections_by_group_.end(), SectionOf{key, 0});
  if (at != sections_by_group_.end() && at->key == key) return at->section;
  if (free_sections_.empty()) {
    free_sections_.push_back(static_cast<std::uint32_t>(sections_.size()));
    sections_.emplace_back();
  }
  const std::uint32_t opened = free_sections_.back();
  free_sections_.pop_back();
  sections_[opened].group = group;
  sections_[opened].layer = layer;
  sections_[opened].cells.assign(layer == everywhere ? 1 : least_cells, {});
  sections_by_group_.insert(at, {key, opened});
  return opened;
}

void InterestGrid::close_section(std::uint32_t section) {
  const std::uint64_t key = std::uint64_t{sections_[section].group} << 8 | sections_[section].layer;
  sections_by_group_.erase(std::lower_bound(sections_by_group_.begin(), sections_by_group_.end(), SectionOf{key, 0}));
  // Otherwise each section would in time keep a table of the largest size. Small ones are kept: groups are often
  // reopened.
  if (sections_[section].cells.size() > least_cells) std::vector<InterestLines::List>().swap(sections_[section].cells);
  free_sections_.push_back(section);
}

// Moves a section to a table of twice the size.
void InterestGrid::grow(std::uint32_t section) {
  std::vector<InterestLines::List> old(sections_[section].cells.size() * 2);
  old.swap(sections_[section].cells);
  for (InterestLines::List& list : old) {
    lines_.each(list, [&](std::uint32_t index, std::uint32_t /*slot*/) {
      const engine::Vec3 position = places_[index].position;
      push(section, index, position);
    });
    lines_.clear(list);
  }
}

void InterestGrid::check() const {
  std::size_t in = 0;
  for (std::uint32_t index = 0; index < places_.size(); ++index) {
    const Place& place = places_[index];
    if (place.section == none) continue;
    ++in;
    MOBULA_ASSERT(lines_.index(place.slot) == index, "a place names the slot of its entity");
    MOBULA_ASSERT(sections_[place.section].size > 0, "the section of an entity is open");
  }
  std::size_t listed = 0;
  std::uint32_t near = 0;
  for (const SectionOf& open : sections_by_group_) {
    const Section& section = sections_[open.section];
    MOBULA_ASSERT(open.key == (std::uint64_t{section.group} << 8 | section.layer),
                  "a section is found by its interest group and layer");
    std::uint32_t in_section = 0;
    for (const InterestLines::List& list : section.cells)
      lines_.each(list, [&](std::uint32_t index, std::uint32_t slot) {
        ++in_section;
        MOBULA_ASSERT(places_[index].slot == slot && places_[index].section == open.section,
                      "a place names the slot in its list");
      });
    MOBULA_ASSERT(in_section == section.size, "a section knows its size");
    MOBULA_ASSERT(section.layer == everywhere || section.size <= section.cells.size(),
                  "tables have a place for each entity");
    listed += in_section;
    if (section.layer != everywhere) near += in_section;
  }
  MOBULA_ASSERT(listed == in && in == size_ && near == near_count_, "each is in one list");
  MOBULA_ASSERT(sections_by_group_.size() + free_sections_.size() == sections_.size(), "a section is open or free");
}

}  // namespace mobula::server
