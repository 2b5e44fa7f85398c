#include <algorithm>
#include <cmath>
#include <cstring>
#include <mobula/client/prediction/shown_state.hpp>
#include <mobula/wire/component_blend.hpp>

namespace mobula::client {
namespace {

using Component = std::array<std::byte, reflect::Limits::component_bytes>;

// Returns the entry of the component, else that of all others, else the defaults.
Smoothing smoothing_of(const PredictionConfig& config, std::string_view component) {
  auto found = std::ranges::find(config.smoothing, component, &Smoothing::component);
  if (found == config.smoothing.end()) found = std::ranges::find(config.smoothing, "", &Smoothing::component);
  return found == config.smoothing.end() ? Smoothing{} : *found;
}

}  // namespace

ShownState::ShownState(const Mirror& mirror, const PredictedSet& set, const SnapshotRing& ring,
                       const PredictionConfig& config, std::uint32_t ticks_per_second)
    : mirror_(mirror),
      set_(set),
      ring_(ring),
      switch_duration_(static_cast<double>(config.switch_duration) * ticks_per_second / core::second) {
  for (const TrackedPool& pool : set.predicted()) {
    const Smoothing smoothing = smoothing_of(config, pool.type().name);
    const double duration = static_cast<double>(smoothing.duration) * ticks_per_second / core::second;
    errors_.add_type(SmoothedType(pool.type(), duration, smoothing.snap_distance, config.position_field));
    std::vector<wire::ByteRange>& cuts = cuts_.emplace_back();
    for (const reflect::Field& field : pool.type().fields)
      if (field.cut) cuts.push_back({field.offset, field.size});
    has_cuts_ = has_cuts_ || !cuts.empty();
  }
  find_position(config);
}

void ShownState::find_position(const PredictionConfig& config) {
  const std::span<const TrackedPool> pools = set_.predicted();
  for (std::size_t place = 0; place < pools.size() && position_fields_.empty(); ++place) {
    const bool may_be = config.position_component.empty() || pools[place].type().name == config.position_component;
    if (!may_be) continue;
    position_place_ = place;
    for (const reflect::Field& field : pools[place].type().fields)
      if (field.kind == reflect::FieldKind::float32 && wire::is_single_field(field) &&
          field.path.starts_with(config.position_field))
        position_fields_.push_back(&field);
  }
}

// --- Samples -------------------------------------------------------------------------------------------------------

ShownState::Around ShownState::around(double moment) const {
  const auto tick = static_cast<ecs::Tick>(std::max(moment, 0.0));
  const bool has_earlier = ring_.has(tick);
  const bool has_later = ring_.has(tick + 1);
  if (has_earlier && has_later) return {&ring_.snapshot(tick), &ring_.snapshot(tick + 1), moment - tick};
  if (has_earlier) return {.earlier = &ring_.snapshot(tick)};
  if (has_later) return {.earlier = &ring_.snapshot(tick + 1)};
  return {};
}

const std::byte* ShownState::row(const SnapshotRing::Snapshot& snapshot, std::size_t place, ecs::Entity entity) const {
  const TrackedPool& pool = set_.predicted()[place];
  const std::uint32_t position = pool.own().find(entity.index);
  if (position >= snapshot.counts[place] || !is_alive(snapshot.stepped, entity)) return nullptr;
  return ring_.rows(snapshot, place) + std::size_t{position} * pool.row_size();
}

bool ShownState::sample_predicted(ecs::Entity entity, std::size_t place, double moment, std::byte* component) const {
  const Around found = around(moment);
  if (found.earlier == nullptr) return false;
  const std::byte* const earlier = row(*found.earlier, place, entity);
  const std::byte* const later = found.later == nullptr ? earlier : row(*found.later, place, entity);
  if (later == nullptr) return false;
  const std::size_t size = set_.predicted()[place].row_size();
  const bool moves = earlier != nullptr && earlier != later && found.part > 0 && !is_cut(found, entity);
  std::memcpy(component, earlier != nullptr ? earlier : later, size);
  if (moves) blend(place, later, found.part, component);
  return true;
}

bool ShownState::is_cut(const Around& around, ecs::Entity entity) const {
  if (!has_cuts_) return false;
  for (std::size_t place = 0; place < cuts_.size(); ++place) {
    const std::byte* const a = cuts_[place].empty() ? nullptr : row(*around.earlier, place, entity);
    const std::byte* const b = a == nullptr ? nullptr : row(*around.later, place, entity);
    if (b == nullptr) continue;
    for (const wire::ByteRange& range : cuts_[place])
      if (std::memcmp(a + range.offset, b + range.offset, range.size) != 0) return true;
  }
  return false;
}

// Rotations in smallest-three form are blended as words, the other fields as values.
void ShownState::blend(std::size_t place, const std::byte* later, double part, std::byte* component) const {
  const TrackedPool& pool = set_.predicted()[place];
  const wire::RowCodec& codec = *pool.codec();
  const auto turns = [&](const wire::Unit& unit) { return wire::is_turning(pool.type(), unit); };
  if (std::ranges::any_of(codec.units(), turns)) {
    std::array<std::uint32_t, 2 + reflect::Limits::component_bytes> from;
    std::array<std::uint32_t, 2 + reflect::Limits::component_bytes> to;
    codec.to_words(component, from.data());
    codec.to_words(later, to.data());
    for (const wire::Unit& unit : codec.units())
      if (turns(unit)) wire::turn_words(unit, to.data() + unit.first, part, from.data() + unit.first);
    codec.to_component(from.data(), true, 0, component);
  }
  wire::blend_fields(pool.type(), later, part, component);
}

bool ShownState::sample(ecs::Entity entity, ecs::PoolId pool, const ShownMoment& moment, std::byte* component) const {
  const std::size_t place = set_.place_of(pool);
  const bool is_predicted = set_.is_local(entity) || set_.is_member(entity);
  if (is_predicted && place != PredictedSet::none) {
    if (!sample_predicted(entity, place, moment.predicted, component)) return false;
  } else {
    const Around found = is_predicted ? around(moment.predicted) : Around{};
    if (found.earlier != nullptr && !is_alive((found.later != nullptr ? *found.later : *found.earlier).stepped, entity))
      return false;
    if (!Interpolation(mirror_).sample(entity, pool, moment.view, component)) return false;
  }
  if (place != PredictedSet::none) errors_.apply(entity, place, moment.view, component);
  return true;
}

// --- Corrections ---------------------------------------------------------------------------------------------------

void ShownState::capture(const ShownMoment& moment) {
  captured_at_ = moment.view;
  captured_.clear();
  captured_entities_.clear();
  captured_bytes_.clear();
  captured_locals_.clear();
  for (const ecs::Entity entity : set_.stepped().alive) {
    captured_entities_.push_back(entity);
    if (const engine::SpawnKey* const key = set_.local_key(entity)) captured_locals_.push_back({entity, *key});
    for (std::size_t place = 0; place < set_.predicted().size(); ++place) {
      const std::size_t first = captured_bytes_.size();
      captured_bytes_.resize(first + set_.predicted()[place].row_size());
      if (sample_predicted(entity, place, moment.predicted, captured_bytes_.data() + first)) {
        captured_.push_back({entity, static_cast<std::uint32_t>(place), first});
      } else {
        captured_bytes_.resize(first);
      }
    }
  }
}

double ShownState::distance(const std::byte* a, const std::byte* b) const {
  double square = 0;
  for (const reflect::Field* const field : position_fields_) {
    const double apart = static_cast<double>(core::load<float>(a + field->offset)) -
                         static_cast<double>(core::load<float>(b + field->offset));
    square += apart * apart;
  }
  return std::sqrt(square);
}

void ShownState::correct_captured(const Captured& before, const ShownMoment& moment, double& distance_max) {
  const TrackedPool& pool = set_.predicted()[before.place];
  Component shown;
  std::memcpy(shown.data(), captured_bytes_.data() + before.first, pool.row_size());
  Component actual;
  std::memcpy(actual.data(), shown.data(), pool.row_size());
  const bool is_predicted = set_.is_local(before.entity) || set_.is_member(before.entity);
  const bool found = is_predicted
                         ? sample_predicted(before.entity, before.place, moment.predicted, actual.data())
                         : Interpolation(mirror_).sample(before.entity, pool.mirror_id(), moment.view, actual.data());
  if (!found || std::memcmp(shown.data(), actual.data(), pool.row_size()) == 0) return;
  if (is_predicted && before.place == position_place_)
    distance_max = std::max(distance_max, distance(shown.data(), actual.data()));
  errors_.apply(before.entity, before.place, captured_at_, shown.data());
  const double duration = is_predicted ? errors_.type(before.place).duration() : switch_duration_;
  errors_.set(before.entity, before.place, shown.data(), actual.data(), moment.view, duration);
}

// Begins to show an entity as predicted that was interpolated before.
void ShownState::begin_member(ecs::Entity entity, const ShownMoment& moment) {
  Component shown;
  Component actual;
  for (std::size_t place = 0; place < set_.predicted().size(); ++place) {
    const TrackedPool& pool = set_.predicted()[place];
    if (!Interpolation(mirror_).sample(entity, pool.mirror_id(), moment.view, shown.data())) continue;
    if (!sample_predicted(entity, place, moment.predicted, actual.data())) continue;
    errors_.apply(entity, place, moment.view, shown.data());
    errors_.set(entity, place, shown.data(), actual.data(), moment.view, switch_duration_);
  }
}

// Finds the handles under which local entities go on: the server's, or another local one, since the spawns of a
// replayed tick take the handles anew.
void ShownState::rename_locals() {
  renamed_.clear();
  for (const CapturedLocal& each : captured_locals_) {
    const auto matched = std::ranges::find_if(
        set_.matched(), [&](const MatchedSpawn& spawn) { return is_same_spawn(spawn.key, each.key); });
    const bool is_real = matched != set_.matched().end() && set_.is_member(matched->real);
    const ecs::Entity now = is_real ? matched->real : set_.find_local(each.key);
    if (now != each.entity) renamed_.push_back({each.entity, now});
  }
  if (renamed_.empty()) return;
  errors_.rename(renamed_);
  const auto rename = [&](ecs::Entity& entity) {
    const auto found = std::ranges::find(renamed_, entity, &RenamedEntity::from);
    if (found != renamed_.end()) entity = found->to;
  };
  for (Captured& before : captured_) rename(before.entity);
  std::ranges::for_each(captured_entities_, rename);
  std::erase_if(captured_, [](const Captured& before) { return !before.entity; });
}

double ShownState::correct(const ShownMoment& moment) {
  rename_locals();
  double distance_max = 0;
  for (const Captured& before : captured_) correct_captured(before, moment, distance_max);
  std::ranges::sort(captured_entities_, {}, &ecs::Entity::index);
  for (const PredictedSet::Member& member : set_.members())
    if (!std::ranges::binary_search(captured_entities_, member.entity.index, {}, &ecs::Entity::index))
      begin_member(member.entity, moment);
  return distance_max;
}

}  // namespace mobula::client
