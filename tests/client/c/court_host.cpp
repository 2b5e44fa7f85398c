#include <mobula/schema/court_commands_generated.h>

#include <algorithm>
#include <client/c/court_host.hpp>

namespace mobula::test {
namespace {

using court::Body;
using court::Crate;
using court::Heading;
using court::Stone;
using court::Surface;
using court::Thrower;

constexpr float edge = 30;

void bounce(float& position, float& velocity) {
  if (position >= -edge && position <= edge) return;
  position = std::clamp(position, -edge, edge);
  velocity = -velocity * 0.5f;
}

float slowed(float velocity, float kept) {
  const float left = velocity * kept;
  return left > -0.1f && left < 0.1f ? 0 : left;
}

}  // namespace

int CourtHost::update(core::Nanoseconds now) {
  check(mobula_prediction_begin_update(client_, now), "begin_update");
  int count = 0;
  auto due = sized<mobula_step>();
  mobula_result next = MOBULA_NOTHING;
  while ((next = mobula_prediction_next_step(client_, &due)) == MOBULA_OK) {
    step(due);
    check(mobula_prediction_end_step(client_), "end_step");
    ++count;
  }
  if (next != MOBULA_NOTHING) check(next, "next_step");
  return *failed_ == '\0' ? count : -1;
}

void CourtHost::step(const mobula_step& step) {
  find_numbers();
  std::vector<mobula_command> commands(step.commands);
  std::uint32_t count = 0;
  check(mobula_step_read_commands(client_, commands.data(), step.commands, &count), "read_commands");
  for (const mobula_command& command : commands) run_command(command);
  move(step.seconds);
  push_crates(step.tick);
  end_ticks();
}

void CourtHost::find_numbers() {
  const auto find = [&](const char* type) {
    std::uint32_t number = 0;
    check(mobula_client_find_component(client_, type, nullptr, &number), "find_component");
    return number;
  };
  numbers_ = {find("Body"), find("Heading"), find("Thrower"), find("Stone"), find("Crate"), find("Surface")};
}

std::vector<mobula_entity> CourtHost::entities(std::vector<std::uint32_t> components, bool visible) {
  const auto named = static_cast<std::uint32_t>(components.size());
  return read_all<mobula_entity>([&](auto... array) {
    return visible ? mobula_step_read_visible(client_, components.data(), named, array...)
                   : mobula_step_read_stepped(client_, components.data(), named, array...);
  });
}

// Returns false if the entity does not have the component.
template <class T>
bool CourtHost::read(mobula_entity entity, std::uint32_t component, T& value) {
  const mobula_result read = mobula_step_read(client_, entity, component, &value, sizeof value);
  if (read != MOBULA_ERROR_NO_COMPONENT && read != MOBULA_ERROR_NO_ENTITY) check(read, "step_read");
  return read == MOBULA_OK;
}

template <class T>
void CourtHost::write(mobula_entity entity, std::uint32_t component, const T& value) {
  check(mobula_step_write(client_, entity, component, &value, sizeof value), "step_write");
}

void CourtHost::run_command(const mobula_command& command) {
  const auto* const root = flatbuffers::GetRoot<court::commands::Command>(command.bytes);
  if (const auto* const given = root->body_as_Walk()) walk(command.entity, given->x(), given->z());
  if (const auto* const given = root->body_as_Throw()) throw_stone(command, given->x(), given->z());
}

void CourtHost::walk(mobula_entity avatar, float x, float z) {
  Body body;
  if (!read(avatar, numbers_.body, body)) return;
  body.velocity.x += std::clamp(x, -1.0f, 1.0f);
  body.velocity.z += std::clamp(z, -1.0f, 1.0f);
  write(avatar, numbers_.body, body);
  Heading heading;
  if (!read(avatar, numbers_.heading, heading)) return;
  heading.rotation = {.x = 0, .y = x > 0 ? 0.6f : -0.6f, .z = 0, .w = 0.8f};
  write(avatar, numbers_.heading, heading);
}

void CourtHost::throw_stone(const mobula_command& command, float x, float z) {
  Thrower thrower;
  Body from;
  if (!read(command.entity, numbers_.thrower, thrower) || !read(command.entity, numbers_.body, from)) return;
  if (thrower.cooldown > 0) return;
  thrower.cooldown = 6;
  ++thrower.thrown;
  write(command.entity, numbers_.thrower, thrower);
  const std::array components{numbers_.body, numbers_.stone};
  mobula_entity stone = 0;
  check(mobula_step_spawn(client_, command.number, components.data(), components.size(), &stone), "spawn");
  mobula_random random;
  check(mobula_step_random_of(client_, stone, &random), "random_of");
  const float spread = mobula_random_uniform(&random, -0.5f, 0.5f);
  write(stone, numbers_.body, Body{.position = from.position, .velocity = {.x = x * 8 + spread, .y = 2, .z = z * 8}});
  write(stone, numbers_.stone, Stone{.left = 24});
  check(mobula_step_effect(client_, "throw", command.number, nullptr, 0), "effect");
}

// All bodies at once.
void CourtHost::move(float seconds) {
  const std::vector<mobula_entity> all = entities({numbers_.body}, false);
  const auto count = static_cast<std::uint32_t>(all.size());
  std::vector<Body> bodies(all.size());
  check(mobula_step_read_column(client_, numbers_.body, all.data(), count, bodies.data(), 0), "read_column");
  for (std::size_t i = 0; i < all.size(); ++i) {
    Surface surface;
    Body& body = bodies[i];
    const float kept = 1 - (read(all[i], numbers_.surface, surface) ? surface.friction : 0.0f);
    body.velocity.x = slowed(body.velocity.x, kept);
    body.velocity.z = slowed(body.velocity.z, kept);
    body.position.x += body.velocity.x * seconds;
    body.position.z += body.velocity.z * seconds;
    bounce(body.position.x, body.velocity.x);
    bounce(body.position.z, body.velocity.z);
  }
  check(mobula_step_write_column(client_, numbers_.body, all.data(), count, bodies.data(), 0), "write_column");
}

void CourtHost::push_crates(std::uint32_t tick) {
  const std::vector<mobula_entity> throwers = entities({numbers_.thrower, numbers_.body}, true);
  for (const mobula_entity crate : entities({numbers_.crate, numbers_.body}, false)) push(crate, throwers, tick);
}

void CourtHost::push(mobula_entity crate, const std::vector<mobula_entity>& throwers, std::uint32_t tick) {
  Body body;
  Crate state;
  if (!read(crate, numbers_.body, body) || !read(crate, numbers_.crate, state)) return;
  for (const mobula_entity thrower : throwers) {
    Body avatar;
    if (!read(thrower, numbers_.body, avatar)) continue;
    const float x = body.position.x - avatar.position.x;
    const float z = body.position.z - avatar.position.z;
    const float square = x * x + z * z;
    const bool stands = avatar.velocity.x == 0 && avatar.velocity.z == 0;
    if (stands || square >= 1 || square < 0.0001f) continue;
    body.velocity.x += x;
    body.velocity.z += z;
    ++state.pushes;
    check(mobula_step_effect(client_, "bump", (crate & 0xffffffffu) << 32 | tick, nullptr, 0), "effect");
  }
  write(crate, numbers_.body, body);
  write(crate, numbers_.crate, state);
}

void CourtHost::end_ticks() {
  for (const mobula_entity entity : entities({numbers_.thrower}, false)) {
    Thrower thrower;
    if (!read(entity, numbers_.thrower, thrower) || thrower.cooldown == 0) continue;
    --thrower.cooldown;
    write(entity, numbers_.thrower, thrower);
  }
  for (const mobula_entity entity : entities({numbers_.stone}, false)) {
    Stone stone;
    if (!read(entity, numbers_.stone, stone)) continue;
    --stone.left;
    write(entity, numbers_.stone, stone);
    if (stone.left == 0) check(mobula_step_destroy(client_, entity), "destroy");
  }
}

}  // namespace mobula::test
