#include <algorithm>
#include <cmath>
#include <mobula/client/prediction/shown_errors.hpp>
#include <mobula/wire/component_blend.hpp>

namespace mobula::client {
namespace {

using reflect::FieldKind;
using wire::Rotation;

double load_float(FieldKind kind, const std::byte* from) {
  return kind == FieldKind::float32 ? static_cast<double>(core::load<float>(from)) : core::load<double>(from);
}

void store_float(FieldKind kind, double value, std::byte* to) {
  if (!std::isfinite(value)) return;
  if (kind == FieldKind::float32) return core::store(to, static_cast<float>(value));
  core::store(to, value);
}

// The turn that leads from rotation `to` to `from`, with a positive last part: the shorter of both ways. None if one
// of the components has no rotation.
Rotation turn_between(const wire::StoredRotation& rotation, const std::byte* from, const std::byte* to) {
  Rotation a;
  Rotation b;
  if (!rotation.load(from, a) || !rotation.load(to, b)) return {0, 0, 0, 1};
  Rotation turn = wire::multiply(a, {-b[0], -b[1], -b[2], b[3]});
  if (turn[3] < 0)
    for (double& part : turn) part = -part;
  return turn;
}

void add_turn(const wire::StoredRotation& rotation, const float* turn, double share, std::byte* component) {
  Rotation now;
  if (!rotation.load(component, now)) return;
  Rotation part{};
  for (std::size_t i = 0; i < 4; ++i) part[i] = static_cast<double>(turn[i]) * share + (i == 3 ? 1 - share : 0);
  rotation.store(wire::multiply(part, now), component);
}

}  // namespace

SmoothedType::SmoothedType(const reflect::Component& type, double duration, double snap_distance,
                           std::string_view position_field)
    : duration_(duration), snap_distance_(snap_distance) {
  std::uint32_t next = 0;
  for (const wire::StoredRotation& rotation : wire::StoredRotation::all_of(type)) {
    if (next + 4 > values_max) break;
    rotations_.push_back({rotation, next});
    next += 4;
  }
  for (const reflect::Field& field : type.fields) {
    const bool is_float = field.kind == FieldKind::float32 || field.kind == FieldKind::float64;
    if (!is_float || !wire::is_single_field(field) || next == values_max) continue;
    floats_.push_back({field.kind, field.offset, next++, field.path.starts_with(position_field)});
  }
}

bool SmoothedType::difference(const std::byte* from, const std::byte* to, Values& error) const {
  bool differs = false;
  for (const SmoothedRotation& each : rotations_) {
    const Rotation turn = turn_between(each.rotation, from, to);
    for (std::size_t i = 0; i < 4; ++i) error[each.first + i] = static_cast<float>(turn[i]);
    differs = differs || std::abs(turn[0]) + std::abs(turn[1]) + std::abs(turn[2]) > 1e-6;
  }
  double square = 0;
  for (const SmoothedFloat& each : floats_) {
    const double apart = load_float(each.kind, from + each.offset) - load_float(each.kind, to + each.offset);
    if (!std::isfinite(apart)) return false;
    error[each.first] = static_cast<float>(apart);
    differs = differs || apart != 0;
    if (each.is_position) square += apart * apart;
  }
  return differs && square <= snap_distance_ * snap_distance_;
}

void SmoothedType::add(const Values& error, double share, std::byte* component) const {
  for (const SmoothedRotation& each : rotations_) {
    // A turn of nothing would only round.
    const float* const turn = error.data() + each.first;
    if (turn[0] != 0 || turn[1] != 0 || turn[2] != 0) add_turn(each.rotation, turn, share, component);
  }
  for (const SmoothedFloat& each : floats_) {
    const double value = static_cast<double>(error[each.first]) * share;
    std::byte* const at = component + each.offset;
    if (value != 0) store_float(each.kind, load_float(each.kind, at) + value, at);
  }
}

double ShownErrors::Error::share(double at) const { return std::clamp(1 - (at - moment) / duration, 0.0, 1.0); }

void ShownErrors::set(ecs::Entity entity, std::size_t type, const std::byte* shown, const std::byte* actual,
                      double moment, double duration) {
  Error error{.entity = entity, .type = static_cast<std::uint32_t>(type), .moment = moment, .duration = duration};
  const bool exists = duration > 0 && types_[type].difference(shown, actual, error.values);
  const auto place = std::ranges::lower_bound(errors_, error.key(), {}, &Error::key);
  const bool known = place != errors_.end() && place->key() == error.key();
  if (!exists) {
    if (known) errors_.erase(place);
  } else if (known) {
    *place = error;
  } else {
    errors_.insert(place, error);
  }
}

void ShownErrors::apply(ecs::Entity entity, std::size_t type, double moment, std::byte* component) const {
  const std::uint64_t key = std::uint64_t{entity.index} << 32 | type;
  const auto found = std::ranges::lower_bound(errors_, key, {}, &Error::key);
  if (found == errors_.end() || found->key() != key || found->entity != entity) return;
  if (const double share = found->share(moment); share > 0) types_[type].add(found->values, share, component);
}

void ShownErrors::rename(std::span<const RenamedEntity> renamed) {
  for (Error& error : errors_) {
    const auto found = std::ranges::find(renamed, error.entity, &RenamedEntity::from);
    if (found != renamed.end()) error.entity = found->to;
  }
  std::erase_if(errors_, [](const Error& error) { return !error.entity; });
  std::ranges::sort(errors_, {}, &Error::key);
}

void ShownErrors::drop(double moment) {
  std::erase_if(errors_, [&](const Error& error) { return error.share(moment) <= 0; });
}

}  // namespace mobula::client
