#include <algorithm>
#include <cmath>
#include <mobula/core/log.hpp>
#include <mobula/ecs/read_only.hpp>
#include <mobula/server/interest/changed_positions.hpp>
#include <mobula/server/interest/interest.hpp>
#include <optional>
#include <utility>

namespace mobula::server {

using engine::Vec3;
using hierarchy::WorldTransform;

namespace {

float distance_squared(const Vec3& a, const Vec3& b) {
  const float x = a.x - b.x;
  const float y = a.y - b.y;
  const float z = a.z - b.z;
  return x * x + y * y + z * z;
}

}  // namespace

Interest::Interest(ecs::Registry& registry, std::span<const Layer> layers)
    : registry_(registry),
      worlds_(registry.pool<WorldTransform>()),
      relevances_(registry.pool<Relevance>()),
      layer_count_(std::max<std::uint32_t>(static_cast<std::uint32_t>(layers.size()), 1)),
      grid_(layers),  // checks that they are valid
      parents_(registry) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const float half = layers[i].radius / 2;
    const float leave = leave_radius(layers[i]);
    falloffs_[i] = {half * half, leave * leave};
    continues_[i] = layers[i].continues_out_of_view;
  }
}

// Updates ---------------------------------------------------------------------------------

void Interest::add(std::uint32_t index) {
  if (index >= members_.size()) {
    members_.resize(std::max(index + 1, registry_.entities().index_end()));
    marks_.make_room(static_cast<std::uint32_t>(members_.size()));
  }
  read(index);
}

void Interest::remove(std::uint32_t index) {
  if (!is_published(index)) {
    ++version_;  // it may have hidden what was below it
    return;
  }
  if (std::exchange(removed_in_, registry_.tick()) != registry_.tick()) removed_.clear();
  removed_.push_back({index, members_[index], grid_.position(index)});
  update_member(index, {}, InterestGrid::nowhere);
}

void Interest::update() {
  MOBULA_ASSERT(registry_.tick() > last_tick_, "update() is called once per tick");
  follow_ghosts();
  follow_relevances();
  follow_positions();
  if (parents_.update(last_tick_)) ++version_;
  last_tick_ = registry_.tick();
}

// An entity that becomes a ghost, or a ghost that becomes an entity of this zone, may be published as it was before.
void Interest::follow_ghosts() {
  if (registry_.entities().config().own == ecs::OwnIndices{}) return;  // no zone
  for (const ecs::JournalEntry& entry : registry_.journal())
    for (std::uint32_t index = entry.first.index; index < entry.first.index + entry.count; ++index)
      if (is_published(index)) read(index);
}

// Reads removed components. Added ones are in blocks with new change ticks.
bool Interest::follow_departures(const ecs::Pool& pool, hierarchy::LastSeen& last_seen) {
  if (last_seen.is_current(pool)) return false;
  const auto removed = [this](std::uint32_t index) {
    if (is_published(index)) read(index);
  };
  last_seen.follow(pool, removed, [](std::uint32_t /*position*/) {});
  return true;
}

void Interest::follow_relevances() {
  follow_departures(relevances_, seen_relevances_);
  each_changed_after(relevances_, last_tick_, [this](std::uint32_t position) {
    const std::uint32_t index = relevances_.indices()[position];
    if (!is_published(index) || members_[index].relevance == *relevances_.typed_address<const Relevance>(position))
      return;
    read(index);
  });
}

void Interest::follow_positions() {
  bool any = follow_departures(worlds_, seen_worlds_);
  any |= each_changed_after(worlds_, last_tick_, [this](std::uint32_t position) {
    const std::uint32_t index = worlds_.indices()[position];
    const Vec3& now = worlds_.typed_address<const WorldTransform>(position)->position;
    // By the grid alone: the entity's other data is far away in memory.
    if (grid_.is_at(index, now) || !grid_.contains(index)) return;
    if (std::isnan(grid_.position(index).x)) return read(index);  // it may have got a position
    grid_.move(index, now);
  });
  if (any && grid_.near_count() > 0) ++version_;
}

// Keeps the priority in its range, so that no order depends on a NaN and equal states are equal.
Relevance Interest::counted(std::uint32_t index, const Relevance& written) {
  Relevance relevance = written;
  relevance.priority = counted_priority(written.priority);
  if (relevance.priority != written.priority && !std::exchange(logged_priority_, true))
    core::log_warn("server", "entity {} has priority {}, which counts as {}; the range is {} to {}",
                   to_string(registry_.entities().at(index)), written.priority, relevance.priority,
                   Relevance::priority_min, Relevance::priority_max);
  return relevance;
}

void Interest::read(std::uint32_t index) {
  Member now;
  now.published = true;
  now.ghost = registry_.entities().is_ghost(registry_.entities().at(index));
  const std::uint32_t relevance = relevances_.find(index);
  if (relevance != ecs::Pool::none)
    now.relevance = counted(index, *relevances_.typed_address<const Relevance>(relevance));
  now.layer = usable_layer(index, now.relevance.layer);
  const std::uint32_t world = worlds_.find(index);
  now.positioned = world != ecs::Pool::none;
  update_member(index, now,
                now.positioned ? worlds_.typed_address<const WorldTransform>(world)->position : InterestGrid::nowhere);
}

// A Relevance may come from outside of the game's code, so it does not end the server.
float Interest::reach() const {
  float squared = 0;
  for (const Falloff& layer : std::span(falloffs_).first(layer_count_))
    squared = layer.half_squared == 0 ? std::numeric_limits<float>::infinity() : std::max(squared, layer.leave_squared);
  return std::sqrt(squared);
}

std::uint8_t Interest::usable_layer(std::uint32_t index, std::uint8_t named) {
  if (named < layer_count_) return named;
  if (!std::exchange(logged_layer_, true))
    core::log_warn("server", "entity {} names layer {}, which counts as layer 0; the game declares {} layers",
                   to_string(registry_.entities().at(index)), named, layer_count_);
  return 0;
}

std::uint8_t Interest::section_layer(const Member& member) const {
  const std::uint8_t layer = member.layer;
  return member.positioned && falloffs_[layer].half_squared > 0 ? layer : InterestGrid::everywhere;
}

void Interest::update_member(std::uint32_t index, const Member& now, const Vec3& position) {
  Member& member = members_[index];
  const std::uint8_t layer = section_layer(now);
  const bool same_section =
      member.relevance.interest_group == now.relevance.interest_group && section_layer(member) == layer;
  if (member.published && now.published && same_section) {
    grid_.move(index, position);
  } else {
    if (member.published) grid_.erase(index);
    if (now.published) grid_.insert(index, now.relevance.interest_group, layer, position);
  }
  owners_.change(index, member.relevance.owner, now.relevance.owner);
  if (member.relevance.owner != now.relevance.owner) ++owners_version_;
  if (member != now) ++version_;
  member = now;
}

// Queries ---------------------------------------------------------------------------------

// A query of the game's rule, for its lifetime. Its failures are named. It runs after publication, so it must change
// nothing.
struct Interest::RuleQuery {
  explicit RuleQuery(ecs::Registry& registry) : reading(registry, name) {}

  static constexpr std::string_view name = "InterestRule::may_see";
  core::LogScope about{{.running = name}};
  ecs::ReadOnly reading;
};

void Interest::query_visibility(const Viewer& viewer, std::span<const std::uint32_t> visible,
                                std::vector<std::uint32_t>& gained, std::vector<std::uint32_t>& lost) {
  std::optional<RuleQuery> rule_query;
  if (rule_ != nullptr) rule_query.emplace(registry_);
  marks_.begin();
  for (const std::uint32_t index : visible) {
    MOBULA_ASSERT(index < marks_.size(), "index " + std::to_string(index) + " was never published");
    marks_.note_visible(index);
  }
  const auto first_gained = static_cast<std::ptrdiff_t>(gained.size());
  const auto visit = [&](std::uint32_t index, bool may_enter) {
    if (marks_.decided(index)) return;
    const bool in_view = marks_.visible_only(index);
    if (!in_view && !may_enter) return;
    if (!may_have(viewer, index)) return marks_.note_refused(index);
    marks_.note_relevant(index);
    if (!in_view) gained.push_back(index);
  };
  const auto visit_own = [&](std::uint32_t index) {
    if (is_published(index) && viewer.is_in(members_[index].relevance.interest_group)) visit(index, true);
  };
  owners_.each(viewer.player(), visit_own);
  for (const ecs::Entity viewpoint : viewer.viewpoints())
    if (registry_.valid(viewpoint)) visit_own(viewpoint.index);
  const Observer at = observer(viewer);
  if (at.region) grid_.search(*at.region, visit);
  grid_.search(0, at.all(), visit);
  for (const std::uint32_t group : viewer.interest_groups()) grid_.search(group, at.all(), visit);
  if (parents_.count() > 0) decide_parents(viewer, visible, static_cast<std::size_t>(first_gained), gained);
  for (const std::uint32_t index : visible)
    if (!marks_.relevant(index)) lost.push_back(index);
  std::sort(gained.begin() + first_gained, gained.end());
}

// Extends what is relevant by itself to whole chains of parents.
void Interest::decide_parents(const Viewer& viewer, std::span<const std::uint32_t> visible, std::size_t first_gained,
                              std::vector<std::uint32_t>& gained) {
  for (const std::uint32_t index : visible) decide_chain(viewer, index, gained);
  for (std::size_t i = first_gained; i < gained.size(); ++i) decide_chain(viewer, gained[i], gained);
  const auto first = gained.begin() + static_cast<std::ptrdiff_t>(first_gained);
  gained.erase(std::remove_if(first, gained.end(), [this](std::uint32_t index) { return !marks_.relevant(index); }),
               gained.end());
}

// Decides an entity that is relevant by itself, and those above it: all are relevant, or all below a forbidden one are
// not. Marks are set on the way up, so that a cycle ends and nothing is asked about twice.
void Interest::decide_chain(const Viewer& viewer, std::uint32_t index, std::vector<std::uint32_t>& gained) {
  if (!marks_.relevant(index) || parents_.above(index) == InterestParents::none) return;
  bool is_permitted = true;
  chain_.clear();
  for (std::uint32_t at = index; at != InterestParents::none && is_permitted; at = parents_.above(at)) {
    if (is_published(at) && marks_.with_parents(at)) break;
    is_permitted = is_published(at) && !marks_.refused(at) && (marks_.relevant(at) || permits(viewer, at));
    if (!is_permitted) continue;
    if (!marks_.decided(at) && !marks_.visible_only(at)) gained.push_back(at);
    marks_.note_with_parents(at);
    chain_.push_back(at);
  }
  if (!is_permitted)
    for (const std::uint32_t below : chain_) marks_.note_refused(below);
}

bool Interest::permits(const Viewer& viewer, std::uint32_t index) const {
  return is_published(index) && viewer.is_in(members_[index].relevance.interest_group) && may_have(viewer, index);
}

// The rule is for players. Another zone asks its own rule.
bool Interest::may_have(const Viewer& viewer, std::uint32_t index) const {
  const ecs::Entity entity = registry_.entities().at(index);
  if (viewer.zone()) return !registry_.entities().is_ghost(entity);
  return rule_ == nullptr || rule_->may_see(viewer, entity);
}

// As many steps as there are Parents: a cycle ends after them.
bool Interest::permits_parents(const Viewer& viewer, std::uint32_t index) const {
  std::uint32_t at = parents_.above(index);
  for (std::uint32_t steps = parents_.count(); steps > 0 && at != InterestParents::none; --steps) {
    if (!permits(viewer, at)) return false;
    at = parents_.above(at);
  }
  return true;
}

bool Interest::may_see(const Viewer& viewer, std::uint32_t index, bool in_view) const {
  std::optional<RuleQuery> rule_query;
  if (rule_ != nullptr) rule_query.emplace(registry_);
  return is_published(index) &&
         is_within_reach(viewer, registry_.entities().at(index), members_[index], grid_.position(index), in_view) &&
         permits(viewer, index) && permits_parents(viewer, index);
}

bool Interest::may_stay_for_others(const Viewer& viewer, ecs::Entity entity,
                                   std::span<const std::uint32_t> visible) const {
  return parents_.count() > 0 && std::ranges::any_of(visible, [&](std::uint32_t index) {
           return parents_.is_below(index, entity) && may_stay(viewer, index);
         });
}

bool Interest::would_have_stayed(const Viewer& viewer, ecs::Entity entity,
                                 std::span<const std::uint32_t> visible) const {
  if (removed_in_ != registry_.tick()) return false;
  const auto found = std::ranges::find(removed_, entity.index, &Removed::index);
  if (found == removed_.end()) return false;
  const auto stayed = [&](ecs::Entity handle, const Removed& removed) {
    return viewer.is_in(removed.member.relevance.interest_group) &&
           is_within_reach(viewer, handle, removed.member, removed.position, true);
  };
  if (stayed(entity, *found)) return true;
  if (parents_.count() == 0 && parents_.changed().empty()) return false;
  const auto stayed_below = [&](const Removed& other) {
    return parents_.was_below(other.index, entity) && stayed({}, other);
  };
  const auto stays_below = [&](std::uint32_t index) {
    return parents_.was_below(index, entity) && may_stay(viewer, index);
  };
  return std::ranges::any_of(removed_, stayed_below) || std::ranges::any_of(visible, stays_below);
}

bool Interest::is_within_reach(const Viewer& viewer, ecs::Entity entity, const Member& member, const Vec3& position,
                               bool in_view) const {
  const std::span<const ecs::Entity> viewpoints = viewer.viewpoints();
  const bool owned = member.relevance.owner != 0 && member.relevance.owner == viewer.player();
  if (owned || std::ranges::find(viewpoints, entity) != viewpoints.end()) return true;
  if (section_layer(member) == InterestGrid::everywhere) return true;
  const Falloff& layer = falloffs_[member.layer];
  const float radius_squared = in_view ? layer.leave_squared : 4 * layer.half_squared;
  const Observer at = observer(viewer);
  if (at.region && at.region->distance_squared(position) <= radius_squared) return true;
  return std::ranges::any_of(
      at.all(), [&](const Vec3& viewpoint) { return distance_squared(position, viewpoint) <= radius_squared; });
}

Interest::Observer Interest::observer(const Viewer& viewer) const {
  Observer found;
  if (const std::optional<ZoneRegion>& zone = viewer.zone()) found.region = zone->region;
  for (const ecs::Entity viewpoint : viewer.viewpoints()) {
    const std::uint32_t position = registry_.valid(viewpoint) ? worlds_.find(viewpoint.index) : ecs::Pool::none;
    if (position == ecs::Pool::none) continue;
    found.at[found.count++] = worlds_.typed_address<const WorldTransform>(position)->position;
  }
  return found;
}

float Interest::importance(const Observer& observer, std::uint32_t index) const {
  if (!is_published(index)) return Relevance{}.priority;
  const Member& member = members_[index];
  const Falloff& falloff = falloffs_[member.layer];
  if (!member.positioned || falloff.half_squared == 0) return member.relevance.priority;
  float nearest = falloff.leave_squared;
  if (observer.region) nearest = std::min(nearest, observer.region->distance_squared(grid_.position(index)));
  for (const Vec3& viewpoint : observer.all())
    nearest = std::min(nearest, distance_squared(grid_.position(index), viewpoint));
  return member.relevance.priority * falloff.half_squared / (falloff.half_squared + nearest);
}

void Interest::check() const {
  grid_.check();
  parents_.check();
  std::size_t published = 0;
  for (std::uint32_t index = 0; index < members_.size(); ++index) {
    if (!members_[index].published) continue;
    ++published;
    bool listed = members_[index].relevance.owner == 0;
    owners_.each(members_[index].relevance.owner, [&](std::uint32_t own) { listed |= own == index; });
    MOBULA_ASSERT(listed, "an entity is in its owner's list");
  }
  MOBULA_ASSERT(published == grid_.size(), "each published entity is in the grid");
}

}  // namespace mobula::server
