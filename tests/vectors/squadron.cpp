#include <algorithm>
#include <cmath>
#include <mobula/server/interest/relevance.hpp>
#include <vectors/motions.hpp>
#include <vectors/squadron.hpp>

namespace mobula::test {
namespace {

constexpr std::uint8_t continuing_layer = 1;
constexpr std::uint32_t empty_group = 9;  // no viewer joins it
constexpr float gravity = -0.02f;         // metres per tick and tick

}  // namespace

const std::array<Squadron::Steer, Squadron::ship_count> Squadron::steers{
    &Squadron::steer_cruiser, &Squadron::steer_thrown, &Squadron::steer_shuttle, &Squadron::steer_hidden,
    &Squadron::steer_own};

std::vector<server::Layer> Squadron::layers() {
  return {{.name = "still"}, {.name = "continuing", .continues_out_of_view = true}};
}

void Squadron::start(server::World& world) {
  for (Ship& ship : std::span(ships_).first(ship_count - 1)) {
    ship.entity = *world.create(vectors::Ship{});
    world.registry().add<server::Relevance>(ship.entity).layer = continuing_layer;
  }
}

void Squadron::join(server::World& world, ecs::Entity player) {
  ships_.back().entity = player;
  world.registry().add<vectors::Ship>(player);
}

void Squadron::tick(server::World& world, bool steered) {
  ++ticks_;
  for (std::size_t i = 0; i < ship_count; ++i) {
    Ship& ship = ships_[i];
    auto* const component = world.registry().try_get<vectors::Ship>(ship.entity);
    if (component == nullptr) continue;
    steered ? (this->*steers[i])(world, ship) : void(ship.sweep = 0);
    advance(component->position, ship.velocity);
    ship.angle = std::fmod(ship.angle + ship.spin, 360.f);
    component->rotation = turned(ship.axis, ship.angle);
    component->aim = std::clamp(component->aim + ship.sweep, -180.f, 180.f);
  }
}

// Each course lasts for some ticks. The spin is fast, so that other parts of the rotation are omitted.
void Squadron::steer_cruiser(server::World& world, Ship& ship) const {
  if (ticks_ % 16 != 1) return;
  ship.velocity = {.x = world.random(-2, 2), .y = world.random(-1, 1), .z = world.random(-2, 2)};
  ship.axis = {.x = world.random(0, 1), .y = 1, .z = world.random(0, 1)};
  ship.spin = world.random(-50, 50);
  ship.sweep = world.random(-3, 3);
}

// It falls and bounces, and its aim gains speed until the end of its range.
void Squadron::steer_thrown(server::World& world, Ship& ship) const {
  const float height = world.registry().get<const vectors::Ship>(ship.entity).position.y;
  ship.velocity.x = 0.3f;
  ship.velocity.y = height <= 0 ? 0.4f : ship.velocity.y + gravity;
  if (ticks_ % 40 == 1) ship.thrust = ship.thrust <= 0 ? 0.5f : -1;
  ship.sweep += ship.thrust;
}

// Values at rest become exact after 8 ticks. The player owns it now and then.
void Squadron::steer_shuttle(server::World& world, Ship& ship) const {
  const bool goes = ticks_ % 21 < 9;
  ship.velocity = {.x = 0, .y = 0, .z = goes ? 0.77f : 0};
  ship.spin = goes ? 7.f : 0;
  ship.sweep = goes ? -1.3f : 0;
  if (ticks_ % 23 != 0 || !world.registry().valid(ships_.back().entity)) return;
  auto& owned = world.registry().get<server::Relevance>(ship.entity);
  owned.owner = owned.owner == 0 ? world.registry().get<const server::Relevance>(ships_.back().entity).owner : 0;
}

// It flies fast towards the end of its range, and is out of view half of the time.
void Squadron::steer_hidden(server::World& world, Ship& ship) const {
  ship.velocity.x = ticks_ / 64 % 2 == 0 ? 9.f : -9.f;
  ship.velocity.z = ticks_ % 20 < 10 ? 0.1f : -0.2f;
  ship.spin = 2;
  if (ticks_ % 13 != 0) return;
  auto& relevance = world.registry().get<server::Relevance>(ship.entity);
  relevance.interest_group = relevance.interest_group == 0 ? empty_group : 0;
}

// It dodges, and its aim swings.
void Squadron::steer_own(server::World& world, Ship& ship) const {
  if (world.random().chance(1, 5)) ship.velocity = {.x = world.random(-1, 1), .y = 0, .z = world.random(-1, 1)};
  if (ticks_ % 9 == 0) ship.spin = world.random(-20, 20);
  if (ticks_ % 6 == 0) ship.sweep = world.random(-2, 2);
}

}  // namespace mobula::test
