#include <cstring>
#include <ecs/allocations.hpp>
#include <mobula/server/interest/relevance.hpp>
#include <simulation/step_record.hpp>
#include <utility>

namespace mobula::sim {
namespace {

constexpr core::StringId32 puck_name(Puck::component_name);
constexpr core::StringId32 velocity_name("Velocity");

}  // namespace

void StepRecord::begin() {
  ticks_.clear();
  emitted_.clear();
  next_ = {};
  stepped_.clear();
  last_.clear();
  touches_all_ = false;
}

void StepRecord::on_effect(const prediction::Effect& effect) {
  const ecs::test::UncountedBytes own;
  const EffectName name{effect.name.value, effect.key};
  emitted_.emplace(name, effect.tick);
  next_.effects.push_back(name);
  if (effect.name != ran_effect) return;
  next_.plays.push_back(core::load<RanPlay>(effect.payload.data()));
  ++plays_;
}

StepRecord::States StepRecord::states_of(const ecs::Registry& registry) {
  States states;
  const ecs::Pool& pool = registry.pool(registry.find_pool(puck_name, puck_name));
  const ecs::PoolId velocities = registry.find_pool(velocity_name, velocity_name);
  for (const std::uint32_t index : pool.indices()) {
    const ecs::Entity entity = registry.entities().at(index);
    State& state = states[entity];
    state.puck = *registry.try_get<const Puck>(entity);
    if (const auto* dart = registry.try_get<const Dart>(entity)) state.left = dart->left;
    if (const auto* grip = registry.try_get<const Grip>(entity)) state.grip = grip->strength;
    if (const auto* relevance = registry.try_get<const server::Relevance>(entity)) state.owner = relevance->owner;
    const std::byte* const velocity = velocities == ecs::no_pool ? nullptr : registry.try_read(entity, velocities);
    if (velocity != nullptr) state.velocity = core::load<engine::Vec3>(velocity);
  }
  return states;
}

void StepRecord::after_step(const server::World& world) {
  const ecs::test::UncountedBytes own;
  stepped_ = states_of(world.registry());
}

bool StepRecord::is_same(const State& a, const State& b) {
  const auto same = [](const engine::Vec3& of, const engine::Vec3& other) {
    return of.x == other.x && of.y == other.y && of.z == other.z;
  };
  return same(a.puck.position, b.puck.position) && same(a.puck.velocity, b.puck.velocity) &&
         a.puck.pushes == b.puck.pushes && a.puck.cooldown == b.puck.cooldown && a.left == b.left && a.grip == b.grip &&
         a.owner == b.owner && a.velocity == b.velocity;
}

void StepRecord::touch(ecs::Entity entity, const State& state, Tick& tick) {
  tick.touched.insert(entity);
  if (state.left >= 0) tick.touched_of.insert(state.owner);
}

// The step creates and destroys darts alone. It does not write what it reads.
void StepRecord::compare(const States& before, const States& stepped, const States& after, Tick& tick) const {
  for (const auto& [entity, state] : before) {
    const auto now = stepped.find(entity);
    if (now == stepped.end()) {
      if (state.left != 1) touch(entity, state, tick);
    } else if (now->second.grip != state.grip || now->second.owner != state.owner ||
               now->second.velocity != state.velocity) {
      touch(entity, state, tick);
    }
  }
  for (const auto& [entity, state] : stepped) {
    const auto now = after.find(entity);
    const auto was = before.find(entity);
    const bool is_new = was == before.end() && state.left < 0;
    if (state.puck.pushes != (was == before.end() ? 0 : was->second.puck.pushes)) {
      tick.pushed.insert(entity);
      if (state.left >= 0) tick.pushed_of.insert(state.owner);
    }
    if (is_new || now == after.end() || !is_same(state, now->second)) touch(entity, state, tick);
    if (now != after.end() && now->second.owner != state.owner) touch(entity, now->second, tick);
  }
  for (const auto& [entity, state] : after)
    if (!stepped.contains(entity)) touch(entity, state, tick);
}

// Values are rounded when they are published.
void StepRecord::after_tick(server::Server& server) {
  const ecs::test::UncountedBytes own;
  const ecs::Registry& registry = server.world().registry();
  const wire::RowCodec& codec = *server.published().codecs().row(registry.find_pool(puck_name, puck_name));
  for (auto& [entity, state] : stepped_) codec.snap_predicted(reinterpret_cast<std::byte*>(&state.puck));
  const States now = states_of(registry);
  compare(last_, stepped_, now, next_);
  next_.touched_all = std::exchange(touches_all_, false);
  if (server.world().level() != nullptr) next_.level = server.world().level()->identity();
  const ecs::Tick tick = server.world().tick() - 1;
  ticks_[tick] = std::exchange(next_, {});
  ticks_.erase(ticks_.begin(), ticks_.lower_bound(tick - std::min(tick, kept_ticks)));
  last_ = now;
}

const StepRecord::Tick* StepRecord::find(ecs::Tick tick) const {
  const auto found = ticks_.find(tick);
  return found == ticks_.end() ? nullptr : &found->second;
}

ecs::Tick StepRecord::emitted_in(const EffectName& effect) const {
  const auto found = emitted_.find(effect);
  return found == emitted_.end() ? 0 : found->second;
}

}  // namespace mobula::sim
