#include <algorithm>
#include <cluster/merged_map.hpp>

namespace mobula::cluster {
namespace {

using nlohmann::json;
using Numbers = std::vector<std::int64_t>;

// Layout of a node's lists:
//   came   index, generation, prototype, owner, x, y, z
//   moved  index, x, y, z
//   cut    index
//   went   index
constexpr std::size_t came_size = 7;
constexpr std::size_t moved_size = 4;

// Returns a list of whole numbers in groups of `size`. Nothing for another value.
std::optional<Numbers> numbers(const json& frame, const char* name, std::size_t size) {
  const auto found = frame.find(name);
  if (found == frame.end() || !found->is_array() || found->size() % size != 0) return std::nullopt;
  Numbers list;
  list.reserve(found->size());
  for (const json& each : *found) {
    if (!each.is_number_integer()) return std::nullopt;
    list.push_back(each.get<std::int64_t>());
  }
  return list;
}

bool flag(const json& frame, const char* name) {
  const auto found = frame.find(name);
  return found != frame.end() && found->is_boolean() && found->get<bool>();
}

}  // namespace

core::Status MergedMap::apply(std::uint32_t zone, const json& frame) {
  const core::Error bad{"bad frame", "the node's feed has another form than this program knows"};
  if (!frame.is_object()) return bad;
  const std::optional<Numbers> came = numbers(frame, "came", came_size);
  const std::optional<Numbers> moved = numbers(frame, "moved", moved_size);
  const std::optional<Numbers> jumped = numbers(frame, "cut", 1);
  const std::optional<Numbers> went = numbers(frame, "went", 1);
  if (!came || !moved || !jumped || !went) return bad;
  Zone& at = zones_[zone];
  if (flag(frame, "reset")) {
    at.complete = at.truncated = false;
    at.old.merge(at.places);
  }
  for (std::size_t i = 0; i < came->size(); i += came_size) gain(zone, &(*came)[i]);
  for (std::size_t i = 0; i < moved->size(); i += moved_size) move(zone, &(*moved)[i]);
  for (const std::int64_t index : *jumped) cut(zone, index);
  for (const std::int64_t index : *went) lose(zone, index);
  at.truncated |= flag(frame, "truncated");
  if (!flag(frame, "complete")) return core::Done{};
  while (!at.old.empty()) lose(zone, at.old.begin()->first);
  at.complete = true;
  return core::Done{};
}

void MergedMap::gain(std::uint32_t zone, const std::int64_t* values) {
  const std::int64_t index = values[0];
  if (!entities_.contains(index) && entities_.size() >= entities_max_) {
    zones_[zone].truncated = true;
    return;
  }
  zones_[zone].old.erase(index);
  zones_[zone].places[index] = {values[1], values[3], values[4], values[5], values[6]};
  const bool known = entities_.contains(index);
  Entity& entity = entities_[index];
  if (!known) entity.sent = lost_.erase(index) != 0;
  set_zone(index, entity, zone);
}

// Entities that were left out are not moved.
void MergedMap::move(std::uint32_t zone, const std::int64_t* values) {
  const std::int64_t index = values[0];
  const auto place = zones_[zone].places.find(index);
  if (place == zones_[zone].places.end()) return;
  place->second.x = values[1];
  place->second.y = values[2];
  place->second.z = values[3];
  Entity& entity = entities_[index];
  if (entity.zone != zone) return;
  entity.change = std::max(entity.change, Change::moved);
  changed_.insert(index);
}

void MergedMap::cut(std::uint32_t zone, std::int64_t index) {
  const auto found = entities_.find(index);
  if (found != entities_.end() && found->second.zone == zone) found->second.cut = true;
}

void MergedMap::lose(std::uint32_t zone, std::int64_t index) {
  if (zones_[zone].places.erase(index) + zones_[zone].old.erase(index) == 0) return;
  const auto found = entities_.find(index);
  if (found->second.zone != zone) return;
  for (std::uint32_t other = 0; other < zones_.size(); ++other)
    if (zones_[other].places.contains(index) || zones_[other].old.contains(index))
      return set_zone(index, found->second, other);
  if (found->second.sent) lost_.insert(index);
  entities_.erase(found);
}

void MergedMap::set_zone(std::int64_t index, Entity& entity, std::uint32_t zone) {
  entity.zone = zone;
  entity.change = Change::gained;
  changed_.insert(index);
}

const MergedMap::Place& MergedMap::place(std::int64_t index, const Entity& entity) const {
  const Zone& zone = zones_[entity.zone];
  const auto found = zone.places.find(index);
  return found == zone.places.end() ? zone.old.at(index) : found->second;
}

bool MergedMap::complete() const {
  return std::ranges::all_of(zones_, [](const Zone& each) { return each.complete || !each.readable; });
}

json MergedMap::take() {
  json came = json::array();
  json moved = json::array();
  json cut = json::array();
  json went = json::array();
  for (const std::int64_t index : changed_) {
    const auto found = entities_.find(index);
    if (found == entities_.end()) continue;
    Entity& entity = found->second;
    const Place& at = place(index, entity);
    if (entity.change == Change::gained) {
      for (const std::int64_t value : {index, at.generation, std::int64_t{entity.zone}, at.owner, at.x, at.y, at.z})
        came.push_back(value);
    } else {
      for (const std::int64_t value : {index, at.x, at.y, at.z}) moved.push_back(value);
      if (entity.cut) cut.push_back(index);
    }
    entity.sent = true;
    entity.change = Change::none;
    entity.cut = false;
  }
  changed_.clear();
  for (const std::int64_t index : lost_) went.push_back(index);
  lost_.clear();
  json frame{{"reset", std::exchange(first_, false)},
             {"complete", complete()},
             {"truncated", truncated()},
             {"shown", entities_.size()},
             {"came", std::move(came)},
             {"moved", std::move(moved)},
             {"cut", std::move(cut)},
             {"went", std::move(went)}};
  return frame;
}

}  // namespace mobula::cluster
