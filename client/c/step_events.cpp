// Functions of a step that access no components: random numbers, spawns, destructions, effects, static data.
#include <algorithm>
#include <c/step.hpp>
#include <mobula/core/format.hpp>

using namespace mobula;
using namespace mobula::c;

namespace {

constexpr std::size_t effect_name_bytes_max = 1024;

void write(const core::Random& random, mobula_random& to) {
  const auto& [a, b, c, d] = random.state();
  to = {a, b, c, d};
}

// Returns the generator of the caller. One of zeros would draw zeros for ever, and below() would never end.
core::Random generator_of(const mobula_random& random) {
  const core::Random::State state{random.a, random.b, random.c, random.d};
  return state == core::Random::State{} ? core::Random(0) : core::Random(state);
}

// Draws from the generator of the caller.
template <class Draw>
auto drawn(mobula_random& random, Draw&& draw) {
  core::Random generator = generator_of(random);
  const auto value = draw(generator);
  write(generator, random);
  return value;
}

const prediction::Command* find_command(const Step& step, std::uint32_t number) {
  const std::span<const prediction::Command> all = step.own.due->commands;
  const auto found = std::ranges::find(all, number, &prediction::Command::number);
  return found == all.end() ? nullptr : &*found;
}

// A component that is given twice would be added twice.
mobula_result check_distinct(std::span<const ecs::PoolId> pools) {
  for (std::size_t i = 0; i < pools.size(); ++i)
    if (std::ranges::count(pools.first(i), pools[i]) > 0)
      return fail(MOBULA_ERROR_INVALID_ARGUMENT, "a component is given twice");
  return MOBULA_OK;
}

mobula_result spawn(const Step& step, const prediction::Command& command, mobula_entity& entity) {
  constexpr core::StringId32 key(engine::SpawnKey::component_name);
  if (step.own.due->context.registry->find_type(key) == nullptr)
    return fail(MOBULA_ERROR_NO_COMPONENT, "the server's schema has no SpawnKey");
  if (step.world.spawned_by(command) >= prediction::PredictedWorld::spawns_max)
    return fail(MOBULA_ERROR_TOO_LARGE, core::format("command {} spawns more than {} entities", command.number,
                                                     prediction::PredictedWorld::spawns_max));
  const ecs::Entity spawned = step.world.spawn_default(command, step.own.pools);
  if (!spawned) return fail(MOBULA_ERROR_TOO_LARGE, "the prediction has no handles left");
  entity = to_c(spawned);
  return MOBULA_OK;
}

}  // namespace

mobula_result mobula_step_find_static(mobula_client client, uint64_t id, uint32_t* type, const void** bytes,
                                      uint64_t* size) {
  return with_step(client, [&](const Step& step) -> mobula_result {
    if (type == nullptr) return refuse_null("the type");
    if (bytes == nullptr) return refuse_null("the bytes");
    if (size == nullptr) return refuse_null("the size");
    const resource::Static* const found = step.world.find_static(id);
    if (found == nullptr) return MOBULA_NOTHING;
    *type = found->type.value;
    *bytes = found->data.data();
    *size = found->data.size();
    return MOBULA_OK;
  });
}

mobula_result mobula_step_random(mobula_client client, uint64_t key, mobula_random* random) {
  return with_step(client, [&](const Step& step) -> mobula_result {
    if (random == nullptr) return refuse_null("the generator");
    write(step.world.random(key), *random);
    return MOBULA_OK;
  });
}

mobula_result mobula_step_random_of(mobula_client client, mobula_entity entity, mobula_random* random) {
  return with_step(client, [&](const Step& step) -> mobula_result {
    if (random == nullptr) return refuse_null("the generator");
    write(step.world.random(to_entity(entity)), *random);
    return MOBULA_OK;
  });
}

uint64_t mobula_random_next(mobula_random* random) {
  if (random == nullptr) return 0;
  return drawn(*random, [](core::Random& generator) { return generator.next(); });
}

uint32_t mobula_random_below(mobula_random* random, uint32_t bound) {
  if (random == nullptr || bound == 0) return 0;
  return drawn(*random, [&](core::Random& generator) { return generator.below(bound); });
}

float mobula_random_uniform(mobula_random* random, float low, float high) {
  if (random == nullptr) return low;
  return drawn(*random, [&](core::Random& generator) { return generator.uniform(low, high); });
}

mobula_result mobula_step_spawn(mobula_client client, uint32_t command, const uint32_t* components,
                                uint32_t component_count, mobula_entity* entity) {
  return with_step(client, [&](const Step& step) -> mobula_result {
    if (entity == nullptr) return refuse_null("the entity");
    const prediction::Command* const known = find_command(step, command);
    if (known == nullptr)
      return fail(MOBULA_ERROR_INVALID_ARGUMENT, core::format("command {} does not run in this step", command));
    const mobula_result checked = check_all_access(step, components, component_count, Access::write);
    if (checked != MOBULA_OK) return checked;
    const mobula_result distinct = check_distinct(step.own.pools);
    return distinct == MOBULA_OK ? spawn(step, *known, *entity) : distinct;
  });
}

mobula_result mobula_step_destroy(mobula_client client, mobula_entity entity) {
  return with_step(client, [&](const Step& step) -> mobula_result {
    if (!step.world.steps(to_entity(entity))) return not_stepped(entity);
    step.world.destroy(to_entity(entity));
    return MOBULA_OK;
  });
}

mobula_result mobula_step_effect(mobula_client client, const char* name, uint64_t key, const void* payload,
                                 uint32_t size) {
  return with_step(client, [&](const Step& step) -> mobula_result {
    if (name == nullptr) return refuse_null("the name");
    if (payload == nullptr && size > 0) return refuse_null("the payload");
    if (size > prediction::Effect::payload_max)
      return fail(MOBULA_ERROR_TOO_LARGE, core::format("an effect has {} bytes; at most {} are allowed", size,
                                                       prediction::Effect::payload_max));
    const std::string_view text(name, strnlen(name, effect_name_bytes_max));
    step.world.effect(core::StringId32(text), key, {static_cast<const std::byte*>(payload), size});
    return MOBULA_OK;
  });
}

uint32_t mobula_name_hash(const char* name) { return name == nullptr ? 0 : core::StringId32(name).value; }
