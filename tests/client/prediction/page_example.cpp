// The example of docs/prediction.md.
#include <client/prediction/page_example.hpp>
#include <court/components.hpp>
#include <mobula/prediction/predicted_world.hpp>

namespace mobula::test {
namespace {

using court::Body;
using court::Surface;

// In the library that server and client link.
void step(prediction::PredictedWorld& world, ecs::Tick /*tick*/, std::span<const prediction::Command> commands) {
  for (const prediction::Command& command : commands) {
    Body* const body = world.try_get<Body>(command.entity);
    if (body == nullptr || command.bytes.size() != 1) continue;
    body->velocity.x += command.bytes[0] == std::byte{'l'} ? -1.0f : 1.0f;
    world.effect(core::StringId32("step"), prediction::effect_key(command.entity, command.number));
  }
  world.each<Body>([&](ecs::Entity entity, Body& body) {
    const Surface* const surface = world.try_get<const Surface>(entity);
    if (surface != nullptr) body.velocity.x *= 1 - surface->friction;
    body.position.x += body.velocity.x * world.seconds_per_tick();
  });
}
const prediction::Rules rules{.step = &step, .reads = {"Surface"}};

}  // namespace

// In the client.
PredictedPlayer::PredictedPlayer(client::Connection& connection)
    : connection_(connection), prediction_(rules, {.input_delay = {.least = 0, .most = 3}}, connection) {}

void PredictedPlayer::frame(core::Nanoseconds now, transport::Output& output) {
  connection_.update(now, output);
  prediction_.update(now);
  const client::EffectTable& effects = prediction_.effects();
  for (std::size_t i = 0; i < effects.notices(); ++i)
    if (effects.notice(i).kind == client::EffectNotice::Kind::begun) ++steps_;  // play a sound
  const ecs::Entity avatar = connection_.player_entity();
  if (connection_.mirror() == nullptr) return;
  const auto body = client::sample<Body>(prediction_, *connection_.mirror(), avatar, prediction_.moment());
  if (body) x_ = body->position.x;  // draw it
}

const prediction::Rules& page_rules() { return rules; }

}  // namespace mobula::test
