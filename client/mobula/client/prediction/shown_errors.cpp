#include <algorithm>
#include <cmath>
#include <mobula/client/prediction/shown_errors.hpp>
#include <mobula/wire/component_blend.hpp>

namespace mobula::client {
namespace {

using reflect::FieldKind;
using Rotation = std::array<double, 4>;  // x, y, z, w

// Shares below this are not shown any more.
constexpr double share_min = 1.0 / 64;

Rotation product(const Rotation& a, const Rotation& b) {
  return {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
          a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
}

// Returns false for what is no rotation.
bool load_rotation(const std::byte* from, Rotation& rotation) {
  const auto floats = core::load<reflect::Quaternion>(from);
  double square = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    rotation[i] = static_cast<double>(floats[i]);
    square += rotation[i] * rotation[i];
  }
  if (!std::isfinite(square) || square <= 0) return false;
  for (double& part : rotation) part /= std::sqrt(square);
  return true;
}

double load_float(FieldKind kind, const std::byte* from) {
  return kind == FieldKind::float32 ? static_cast<double>(core::load<float>(from)) : core::load<double>(from);
}

void store_float(FieldKind kind, double value, std::byte* to) {
  if (!std::isfinite(value)) return;
  if (kind == FieldKind::float32) return core::store(to, static_cast<float>(value));
  core::store(to, value);
}

// The turn that leads from rotation `to` to `from`, with a positive last part: the shorter of both ways.
bool turn_between(const std::byte* from, const std::byte* to, Rotation& turn) {
  Rotation a;
  Rotation b;
  if (!load_rotation(from, a) || !load_rotation(to, b)) return false;
  turn = product(a, {-b[0], -b[1], -b[2], b[3]});
  if (turn[3] < 0)
    for (double& part : turn) part = -part;
  return true;
}

void add_turn(const float* turn, double share, std::byte* at) {
  Rotation now;
  if (!load_rotation(at, now)) return;
  Rotation part{};
  for (std::size_t i = 0; i < 4; ++i) part[i] = static_cast<double>(turn[i]) * share + (i == 3 ? 1 - share : 0);
  const Rotation turned = product(part, now);
  double square = 0;
  for (const double each : turned) square += each * each;
  reflect::Quaternion result;
  for (std::size_t i = 0; i < 4; ++i) result[i] = static_cast<float>(turned[i] / std::sqrt(square));
  core::store(at, result);
}

}  // namespace

SmoothedType::SmoothedType(const reflect::Component& type, double half_life, double snap_distance)
    : half_life_(half_life), snap_distance_(snap_distance) {
  std::uint32_t next = 0;
  for (const reflect::Field& field : type.fields) {
    if (!wire::is_single_field(field) || wire::blend_of(field.kind) == nullptr) continue;
    const std::uint32_t size = field.kind == FieldKind::unit_quaternion ? 4 : 1;
    if (next + size > values_max) break;
    fields_.push_back({field.kind, field.offset, next});
    next += size;
  }
}

bool SmoothedType::difference(const std::byte* from, const std::byte* to, Values& error) const {
  double square = 0;
  bool turned = false;
  for (const SmoothedField& field : fields_) {
    float* const values = error.data() + field.first;
    if (field.kind == FieldKind::unit_quaternion) {
      Rotation turn{0, 0, 0, 1};
      if (!turn_between(from + field.offset, to + field.offset, turn)) turn = {0, 0, 0, 1};
      for (std::size_t i = 0; i < 4; ++i) values[i] = static_cast<float>(turn[i]);
      turned = turned || std::abs(turn[0]) + std::abs(turn[1]) + std::abs(turn[2]) > 1e-6;
      continue;
    }
    const double apart = load_float(field.kind, from + field.offset) - load_float(field.kind, to + field.offset);
    if (!std::isfinite(apart)) return false;
    values[0] = static_cast<float>(apart);
    square += apart * apart;
  }
  return (square > 0 || turned) && square <= snap_distance_ * snap_distance_;
}

void SmoothedType::add(const Values& error, double share, std::byte* component) const {
  for (const SmoothedField& field : fields_) {
    std::byte* const at = component + field.offset;
    const float* const values = error.data() + field.first;
    if (field.kind == FieldKind::unit_quaternion) {
      add_turn(values, share, at);
    } else if (values[0] != 0) {
      store_float(field.kind, load_float(field.kind, at) + static_cast<double>(values[0]) * share, at);
    }
  }
}

double ShownErrors::Error::share(double at) const { return std::exp2(-std::max(at - moment, 0.0) / half_life); }

void ShownErrors::set(ecs::Entity entity, std::size_t type, const std::byte* shown, const std::byte* actual,
                      double moment, double half_life) {
  Error error{.entity = entity, .type = static_cast<std::uint32_t>(type), .moment = moment, .half_life = half_life};
  const bool exists = half_life > 0 && types_[type].difference(shown, actual, error.values);
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
  if (const double share = found->share(moment); share >= share_min) types_[type].add(found->values, share, component);
}

void ShownErrors::rename(ecs::Entity from, ecs::Entity to) {
  bool renamed = false;
  for (Error& error : errors_) {
    if (error.entity != from) continue;
    error.entity = to;
    renamed = true;
  }
  if (renamed) std::ranges::sort(errors_, {}, &Error::key);
}

void ShownErrors::drop(double moment) {
  std::erase_if(errors_, [&](const Error& error) { return error.share(moment) < share_min; });
}

}  // namespace mobula::client
