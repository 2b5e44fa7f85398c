#include <cstring>
#include <mobula/prediction/predicted_world.hpp>
#include <simulation/prediction_follower.hpp>

namespace mobula::sim {
namespace {

// Transforms as the schema of these plans has them: with predicted fields.
struct Moved {
  static constexpr std::string_view component_name = "Transform";
  static constexpr bool has_predicted_fields = true;

  engine::Vec3 position{};
  engine::Quat rotation{.x = 0, .y = 0, .z = 0, .w = 1};
};
static_assert(sizeof(Moved) == sizeof(engine::Transform));

constexpr core::StringId32 transform_name(Moved::component_name);
constexpr core::StringId32 given_effect("given_effect");
constexpr std::size_t destroyed_one_in = 16;

void move_on(Moved& moved) { moved.position.x += moved.position.x < 400 ? 0.1f : -800; }

void moving_step(prediction::PredictedWorld& world, ecs::Tick tick, std::span<const prediction::Command> commands) {
  for (const prediction::Command& command : commands) {
    if (const auto* const own = world.try_get<const Moved>(command.entity)) world.spawn(command, Moved(*own));
    world.effect(given_effect, command.number);
  }
  world.each<Moved>([](Moved& moved) { move_on(moved); });
  if (tick % destroyed_one_in != 0) return;
  bool done = false;
  world.each<const Moved>([&](ecs::Entity entity, const Moved&) {
    if (!std::exchange(done, true)) world.destroy(entity);
  });
}

const prediction::Rules moving_rules{.step = &moving_step};

}  // namespace

PredictionFollower::PredictionFollower(client::Connection& connection, std::uint64_t seed)
    : connection_(connection),
      prediction_(moving_rules, {.input_delay = {.least = 0, .most = 3, .predicted_max = 12}}, connection),
      random_(seed) {}

std::optional<std::string> PredictionFollower::follow(core::Nanoseconds now) {
  prediction_.update(now);
  if (std::optional<std::string> wrong = check_effects()) return wrong;
  const client::Mirror* const mirror = connection_.mirror();
  if (mirror == nullptr) return std::nullopt;
  if (std::exchange(mirror_, connection_.mirror_number()) != connection_.mirror_number()) running_.clear();
  choose(*mirror);
  return prediction_.started() ? check_values(*mirror) : std::nullopt;
}

// Predicts other entities at random.
void PredictionFollower::choose(const client::Mirror& mirror) {
  const ecs::PoolId pool = mirror.registry().find_pool(transform_name, transform_name);
  const std::span<const std::uint32_t> all = mirror.registry().pool(pool).indices();
  if (all.empty() || !random_.chance(1, 4)) return;
  const std::uint32_t index = all[random_.below(static_cast<std::uint32_t>(all.size()))];
  prediction_.set_predicted(mirror.registry().entities().at(index), random_.chance(2, 3));
}

std::optional<std::string> PredictionFollower::check_effects() {
  const client::EffectTable& effects = prediction_.effects();
  for (std::size_t i = 0; i < effects.notices(); ++i) {
    const client::EffectNotice notice = effects.notice(i);
    const std::string name = "predicted effect " + std::to_string(notice.effect.key);
    if (notice.kind == client::EffectNotice::Kind::begun) {
      if (!running_.emplace(notice.effect.key, true).second) return name + " has begun twice";
    } else if (const auto known = running_.find(notice.effect.key); known == running_.end()) {
      return name + " ends without a beginning";
    } else if (!std::exchange(known->second, false)) {
      return name + " has ended twice";
    }
  }
  return std::nullopt;
}

std::optional<std::string> PredictionFollower::check_values(const client::Mirror& mirror) const {
  // Later ticks may have arrived in part.
  if (!connection_.complete() || prediction_.reconciled_tick() != mirror.tick()) return std::nullopt;
  if (prediction_.tick() - prediction_.reconciled_tick() > 12) return "more ticks are predicted than permitted";
  const ecs::PoolId pool = mirror.registry().find_pool(transform_name, transform_name);
  for (const std::uint32_t index : mirror.registry().pool(pool).indices()) {
    const ecs::Entity entity = mirror.registry().entities().at(index);
    if (!prediction_.is_predicted(entity)) continue;
    if (mirror.is_stale(entity)) return "entity " + to_string(entity) + " is predicted out of view";
    if (std::optional<std::string> wrong = check_value(mirror, entity)) return wrong;
  }
  return std::nullopt;
}

std::optional<std::string> PredictionFollower::check_value(const client::Mirror& mirror, ecs::Entity entity) const {
  const ecs::PoolId pool = mirror.registry().find_pool(transform_name, transform_name);
  const wire::RowCodec& codec = *mirror.state().codecs.row(pool);
  auto expected = core::load<Moved>(mirror.registry().try_read(entity, pool));
  for (ecs::Tick tick = prediction_.reconciled_tick(); tick < prediction_.tick(); ++tick) {
    move_on(expected);
    codec.snap_predicted(reinterpret_cast<std::byte*>(&expected));
  }
  const std::byte* const found = prediction_.predicted(entity, pool);
  if (found != nullptr && std::memcmp(found, &expected, sizeof(expected)) == 0) return std::nullopt;
  return "entity " + to_string(entity) + " is predicted otherwise than by the rules from tick " +
         std::to_string(prediction_.reconciled_tick());
}

}  // namespace mobula::sim
