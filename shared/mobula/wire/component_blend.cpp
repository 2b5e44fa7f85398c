#include <algorithm>
#include <array>
#include <cmath>
#include <mobula/core/bytes.hpp>
#include <mobula/wire/component_blend.hpp>
#include <mobula/wire/motion.hpp>

namespace mobula::wire {
namespace {

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

}  // namespace

BlendField blend_of(reflect::FieldKind kind) {
  switch (kind) {
    case reflect::FieldKind::unit_quaternion: return &turn;
    case reflect::FieldKind::float32: return &move<float>;
    case reflect::FieldKind::float64: return &move<double>;
    default: return nullptr;
  }
}

bool is_single_field(const reflect::Field& field) {
  return field.count == 1 && field.count_field < 0 && field.array_at == 0 && !field.not_sent;
}

void blend_fields(const reflect::Component& type, const std::byte* to, double part, std::byte* component) {
  for (const reflect::Field& field : type.fields) {
    const BlendField way = is_single_field(field) ? blend_of(field.kind) : nullptr;
    std::byte* const at = component + field.offset;
    if (way != nullptr) way(at, to + field.offset, part, at);
  }
}

bool is_turning(const reflect::Component& type, const Unit& unit) {
  return unit.kind == Unit::Kind::rotation && type.fields[unit.field].smallest_three;
}

void turn_words(const Unit& unit, const std::uint32_t* to, double part, std::uint32_t* onto) {
  RotationMotion a = motion_at_rest(unit, onto);
  const RotationMotion b = motion_at_rest(unit, to);
  double dot = 0;
  for (std::size_t i = 0; i < 4; ++i) dot += static_cast<double>(a.p[i]) * static_cast<double>(b.p[i]);
  const double side = dot < 0 ? -1 : 1;
  for (std::size_t i = 0; i < 4; ++i)
    a.p[i] = std::llround(static_cast<double>(a.p[i]) * (1 - part) + side * static_cast<double>(b.p[i]) * part);
  const auto greatest = std::ranges::max_element(a.p, {}, [](std::int64_t each) { return std::abs(each); });
  const auto omitted = static_cast<std::uint32_t>(greatest - a.p.begin());
  onto[0] = omitted;
  std::ranges::copy(codes_of(a, omitted, unit.max[1]), onto + 1);
}

}  // namespace mobula::wire
