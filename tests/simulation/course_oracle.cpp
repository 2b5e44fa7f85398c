#include <algorithm>
#include <cmath>
#include <mobula/core/hash.hpp>
#include <mobula/wire/field_words.hpp>
#include <simulation/course_oracle.hpp>

namespace mobula::sim {
namespace {

constexpr double rounding = 1e-4;  // error of floats at the ends of the greatest range

wire::Rotation true_rotation(core::ByteView component, std::uint32_t offset) {
  const auto parts = core::load<std::array<float, 4>>(component.data() + offset);
  wire::Rotation rotation{};
  double square = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    rotation[i] = static_cast<double>(parts[i]);
    square += rotation[i] * rotation[i];
  }
  if (!wire::is_rotation(square)) return {0, 0, 0, 1};
  for (double& part : rotation) part /= std::sqrt(square);
  return rotation;
}

// Returns the greatest difference of a part. A rotation and its negative are the same.
double difference(const wire::Rotation& a, const wire::Rotation& b) {
  double same_side = 0;
  double other_side = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    same_side = std::max(same_side, std::abs(a[i] - b[i]));
    other_side = std::max(other_side, std::abs(a[i] + b[i]));
  }
  return std::min(same_side, other_side);
}

// Returns how far the published value is from the true one.
double error_of(const wire::CourseUnit& unit, const std::uint32_t* row, core::ByteView component, ecs::Tick now) {
  const ecs::Tick age = wire::course_age(unit, row, now);
  if (unit.turns) return difference(wire::rotation_at(unit, row, age), true_rotation(component, unit.offsets[0]));
  double greatest = 0;
  for (std::uint32_t i = 0; i < unit.parts; ++i) {
    const double steps = static_cast<double>(wire::path_at(unit, row, i, age)) / wire::course_fraction;
    const double truth = static_cast<double>(core::load<float>(component.data() + unit.offsets[i]));
    const reflect::Quantiser& quantiser = unit.quantisers[i];
    greatest = std::max(greatest, std::abs(quantiser.value_between(steps) - quantiser.limit(truth)));
  }
  return greatest;
}

double half_step(const wire::CourseUnit& unit) {
  return unit.turns ? std::sqrt(2) / static_cast<double>(1u << unit.bits) : unit.quantisers[0].step() / 2;
}

bool is_exact(const wire::RowCodec& codec, const wire::CourseUnit& unit, const std::uint32_t* row,
              core::ByteView component) {
  std::vector<std::uint32_t> words(codec.words());
  codec.to_course_words(unit, component.data(), words.data());
  const std::uint32_t value_words = unit.turns ? 4 : unit.parts;
  return std::equal(row + unit.first, row + unit.first + value_words, words.begin() + unit.first) &&
         !wire::is_under_way(unit, row);
}

}  // namespace

void CourseOracle::note(server::Server& server, ecs::Tick now) {
  server::Published& published = server.published();
  const ecs::Registry& registry = server.world().registry();
  truths_.resize(registry.pool_count());
  for (ecs::PoolId pool = 0; pool < truths_.size(); ++pool) {
    const wire::RowCodec* const codec = published.codecs().row(pool);
    if (codec == nullptr || codec->courses().empty()) continue;
    truths_[pool].resize(published.index_end());
    for (std::uint32_t index = 0; index < published.index_end(); ++index) {
      const ecs::Entity entity = published.entity(index).entity;
      if (!entity || !registry.pool(pool).contains(index)) continue;
      const std::uint64_t hash = core::hash64({registry.try_read(entity, pool), registry.pool(pool).type().size}, 0);
      Truth& truth = truths_[pool][index];
      if (truth.entity != entity || truth.hash != hash) truth = {entity, hash, now};
    }
  }
}

std::optional<std::string> CourseOracle::check(const wire::RowCodec& codec, const std::uint32_t* row, ecs::PoolId pool,
                                               std::uint32_t index, core::ByteView component, ecs::Tick now) const {
  for (const wire::CourseUnit& unit : codec.courses()) {
    const double error = error_of(unit, row, component, now);
    if (error > unit.tolerance + half_step(unit) + rounding)
      return "is published " + std::to_string(error) + " from its true " + (unit.turns ? "rotation" : "place");
    if (now - truths_[pool][index].written >= server::settle_ticks && !is_exact(codec, unit, row, component))
      return std::string("stands still, but its published ") + (unit.turns ? "rotation" : "place") + " is not exact";
  }
  return std::nullopt;
}

}  // namespace mobula::sim
