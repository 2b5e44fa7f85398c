#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <mobula/client/mirror/interpolation.hpp>
#include <mobula/reflect/value.hpp>
#include <mobula/wire/motion.hpp>

namespace mobula::client {
namespace {

using reflect::Component;
using reflect::Field;
using reflect::FieldKind;

template <class Float>
void move(const std::byte* from, const std::byte* to, double part, std::byte* at) {
  const auto a = static_cast<double>(core::load<Float>(from));
  const auto b = static_cast<double>(core::load<Float>(to));
  const double between = a + (b - a) * part;
  if (std::isfinite(between)) core::store(at, static_cast<Float>(between));
}

void turn(const std::byte* from, const std::byte* to, double part, std::byte* at) {
  const auto a = core::load<reflect::Quaternion>(from);
  const auto b = core::load<reflect::Quaternion>(to);
  double dot = 0;
  for (std::size_t i = 0; i < 4; ++i) dot += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  const double side = dot < 0 ? -1 : 1;  // q and -q are one rotation
  std::array<double, 4> between{};
  double square = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    between[i] = static_cast<double>(a[i]) * (1 - part) + side * static_cast<double>(b[i]) * part;
    square += between[i] * between[i];
  }
  if (!std::isfinite(square) || square <= 0) return;
  reflect::Quaternion turned;
  for (std::size_t i = 0; i < 4; ++i) turned[i] = static_cast<float>(between[i] / std::sqrt(square));
  core::store(at, turned);
}

// Interpolates the fields of a component onto the earlier state.
void blend(const Component& component, const std::byte* from, const std::byte* to, double part, std::byte* onto) {
  for (const Field& field : component.fields) {
    const bool single = field.count == 1 && field.count_field < 0 && field.array_at == 0;
    if (!single || field.not_sent) continue;
    const auto way = field.kind == FieldKind::unit_quaternion ? &turn
                     : field.kind == FieldKind::float32       ? &move<float>
                     : field.kind == FieldKind::float64       ? &move<double>
                                                              : nullptr;
    if (way != nullptr) way(from + field.offset, to + field.offset, part, onto + field.offset);
  }
}

// Interpolates rotations in smallest-three form, as words, onto those of the earlier state.
void turn_words(const Component& component, const wire::RowCodec& codec, const std::uint32_t* to, double part,
                std::uint32_t* onto) {
  for (const wire::Unit& unit : codec.units()) {
    if (unit.kind != wire::Unit::Kind::rotation || !component.fields[unit.field].smallest_three) continue;
    wire::RotationMotion a = wire::predict_rotation(unit, onto + unit.first, nullptr, {});
    const wire::RotationMotion b = wire::predict_rotation(unit, to + unit.first, nullptr, {});
    double dot = 0;
    for (std::size_t i = 0; i < 4; ++i) dot += static_cast<double>(a.p[i]) * static_cast<double>(b.p[i]);
    const double side = dot < 0 ? -1 : 1;
    for (std::size_t i = 0; i < 4; ++i)
      a.p[i] = std::llround(static_cast<double>(a.p[i]) * (1 - part) + side * static_cast<double>(b.p[i]) * part);
    const auto greatest = std::ranges::max_element(a.p, {}, [](std::int64_t each) { return std::abs(each); });
    const auto omitted = static_cast<std::uint32_t>(greatest - a.p.begin());
    onto[unit.first] = omitted;
    std::ranges::copy(wire::codes_of(a, omitted, unit.max[1]), onto + unit.first + 1);
  }
}

// Returns the fraction of the way from the earlier state (0) to the later one (1).
double fraction_at(ecs::Tick earlier, ecs::Tick later, double tick) {
  const double begin =
      std::max(static_cast<double>(earlier), static_cast<double>(later) - Interpolation::motion_ticks_max);
  return std::max(0.0, (tick - begin) / (static_cast<double>(later) - begin));
}

}  // namespace

bool Interpolation::is_there(ecs::Entity entity, double view_tick) const {
  if (!mirror_.registry().valid(entity)) return false;
  const MirroredEntity* known = mirror_.state().find(entity);
  return known == nullptr || static_cast<double>(known->first_tick) <= view_tick;
}

bool Interpolation::sample(ecs::Entity entity, ecs::PoolId pool, double view_tick, std::byte* component) const {
  const ecs::Registry& registry = mirror_.registry();
  const std::byte* newest = registry.valid(entity) ? registry.try_read(entity, pool) : nullptr;
  if (newest == nullptr) return false;
  const std::size_t size = registry.pool(pool).type().size;
  std::memcpy(component, newest, size);
  const MirroredEntity* known = mirror_.state().find(entity);
  const wire::RowCodec* codec = mirror_.state().codecs.row(pool);
  if (known == nullptr || codec == nullptr || !registry.prototypes().contains(known->prototype, pool)) return true;

  auto [earlier, later] = known->versions.around(view_tick);
  if (earlier.tick == 0) earlier = std::exchange(later, {});
  std::size_t first = 0;  // word
  for (const ecs::PoolId each : registry.prototypes().pools(known->prototype)) {
    if (each == pool) break;
    first += mirror_.state().codecs.row(each)->words();
  }
  if (!codec->to_component(earlier.words + first, known->owner, component)) return true;
  const double part = later.tick == 0 ? 0 : fraction_at(earlier.tick, later.tick, view_tick);
  if (part == 0) return true;
  const Component& type = *mirror_.schema().find(registry.pool(pool).type().id);
  const core::Bytes from(component, component + size);
  core::Bytes to = from;
  std::vector<std::uint32_t> words(earlier.words + first, earlier.words + first + codec->words());
  turn_words(type, *codec, later.words + first, part, words.data());
  if (!codec->to_component(later.words + first, known->owner, to.data()) ||
      !codec->to_component(words.data(), known->owner, component))
    return true;
  blend(type, from.data(), to.data(), part, component);
  return true;
}

}  // namespace mobula::client
