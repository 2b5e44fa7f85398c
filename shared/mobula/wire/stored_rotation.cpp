#include <algorithm>
#include <cmath>
#include <cstring>
#include <mobula/core/bytes.hpp>
#include <mobula/wire/component_blend.hpp>
#include <mobula/wire/motion.hpp>
#include <mobula/wire/stored_rotation.hpp>

namespace mobula::wire {
namespace {

double square_of(const Rotation& rotation) {
  double square = 0;
  for (const double part : rotation) square += part * part;
  return square;
}

// The integers of a smallest_three are not below 0, so their sign is no matter.
std::uint32_t load_integer(const std::byte* from, std::uint32_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, size);
  return static_cast<std::uint32_t>(value);
}

void store_integer(std::uint64_t value, std::byte* to, std::uint32_t size) { std::memcpy(to, &value, size); }

}  // namespace

std::vector<StoredRotation> StoredRotation::all_of(const reflect::Component& type) {
  std::vector<StoredRotation> all;
  for (std::size_t i = 0; i < type.fields.size(); ++i) {
    const reflect::Field& first = type.fields[i];
    if (!is_single_field(first)) continue;
    StoredRotation found;
    found.places_[0] = {first.offset, first.size};
    if (first.smallest_three) {  // the four integers are adjacent fields
      found.code_max_ = static_cast<std::uint32_t>(type.fields[i + 1].steps);
      for (std::size_t part = 1; part < 4; ++part) {
        const reflect::Field& field = type.fields[++i];
        found.places_[part] = {field.offset, field.size};
      }
    } else if (first.kind != reflect::FieldKind::unit_quaternion) {
      continue;
    }
    all.push_back(found);
  }
  return all;
}

bool StoredRotation::load(const std::byte* component, Rotation& rotation) const {
  if (code_max_ == 0) {
    const auto floats = core::load<reflect::Quaternion>(component + places_[0].offset);
    std::ranges::copy(floats, rotation.begin());
  } else {
    std::array<std::uint32_t, 4> words{};
    for (std::size_t i = 0; i < 4; ++i) words[i] = load_integer(component + places_[i].offset, places_[i].size);
    const RotationMotion motion = motion_at_rest({.max = {3, code_max_, code_max_, code_max_}}, words.data());
    for (std::size_t i = 0; i < 4; ++i) rotation[i] = static_cast<double>(motion.p[i]);
  }
  const double square = square_of(rotation);
  if (!std::isfinite(square) || square <= 0) return false;
  for (double& part : rotation) part /= std::sqrt(square);
  return true;
}

void StoredRotation::store(const Rotation& rotation, std::byte* component) const {
  Rotation unit = rotation;
  for (double& part : unit) part /= std::sqrt(square_of(rotation));
  if (code_max_ == 0) {
    reflect::Quaternion floats;
    for (std::size_t i = 0; i < 4; ++i) floats[i] = static_cast<float>(unit[i]);
    return core::store(component + places_[0].offset, floats);
  }
  const RotationMotion motion = motion_at_rest(unit);
  const std::array<std::uint32_t, 3> codes = codes_of(motion, motion.turned, code_max_);
  store_integer(motion.turned, component + places_[0].offset, places_[0].size);
  for (std::size_t i = 0; i < 3; ++i) store_integer(codes[i], component + places_[i + 1].offset, places_[i + 1].size);
}

}  // namespace mobula::wire
