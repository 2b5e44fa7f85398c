// Arbitrary bytes as a map of zones, as the user data of a token, and as entities that come from another zone.
//
//   input: a byte for the kind (see the table), the bytes
#include <algorithm>
#include <array>
#include <fuzz/fuzz.hpp>
#include <mobula/core/log.hpp>
#include <mobula/ecs/registry_guests.hpp>
#include <mobula/server/game/world.hpp>
#include <mobula/server/zones/zone_map.hpp>
#include <mobula/server/zones/zone_pass.hpp>
#include <server/hamlet.hpp>

namespace fuzz_zones {

using namespace mobula;

namespace {

// A map that is accepted reads the same, and has each place once.
void map(core::ByteView bytes) {
  const auto read = server::ZoneMap::parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!read) return;
  const auto again = server::ZoneMap::parse(read->to_json());
  fuzz::require(again.ok() && again->to_json() == read->to_json(), "a map is written as it was read");
  fuzz::require(read->entities_max() > 0, "a zone has entities");
  for (const float x : {-1e9f, -1.0f, 0.0f, 0.5f, 77.0f, 1e9f}) {
    const engine::Vec3 place{x, 0, -x};
    const auto all = read->zones();
    const auto has = std::ranges::count_if(all, [&](const server::Zone& zone) { return zone.region.contains(place); });
    fuzz::require(has == 1, "a place is in one zone");
    const std::uint32_t zone = read->zone_at(place);
    fuzz::require(zone < all.size() && read->next_zone(zone, place) == zone, "an entity stays where it belongs");
  }
}

// Nobody seals a pass by chance.
void pass(core::ByteView bytes) {
  transport::Identity identity{.client_id = 7};
  std::copy_n(bytes.begin(), std::min(bytes.size(), identity.user_data.size()), identity.user_data.begin());
  fuzz::require(!server::read_zone_pass(identity, core::SecretKey{}), "a forged pass opens nothing");
}

std::unique_ptr<server::World> zone() {
  server::WorldConfig config;
  config.schema = test::game_schema();
  config.entities_max = 4096;
  config.own = {.first = 1024, .end = 2048};
  config.zone.emplace();
  std::unique_ptr<server::World> world = std::move(*server::World::make(std::move(config)));
  static_cast<void>(*world->create(engine::Transform{}));
  fuzz::require(ecs::Guests(world->registry()).receive({7, 3}, true), "a ghost is received");
  return world;
}

// All entities are received, or none.
void pack(core::ByteView bytes) {
  const auto read = server::parse_zone_pack(bytes);
  if (!read) return;
  const core::Bytes written = to_bytes(*read);
  const auto again = server::parse_zone_pack(written);
  fuzz::require(again.ok() && again->entities == read->entities && again->bytes == read->bytes,
                "a pack is written as it was read");
  const std::unique_ptr<server::World> world = zone();
  const std::uint32_t before = world->registry().entities().size();
  if (world->receive(*read)) {
    for (const ecs::Entity entity : read->entities)
      fuzz::require(world->registry().valid(entity) && !world->is_ghost(entity), "a received entity is here");
    world->give_up(read->entities);
    for (const ecs::Entity entity : read->entities) fuzz::require(!world->registry().valid(entity), "it has left");
  } else {
    fuzz::require(world->registry().entities().size() == before, "a refusal changes nothing");
  }
  world->registry().check();
}

constexpr std::array kinds{map, pass, pack};

int run_target(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  core::set_log_level(core::LogLevel::off);
  const core::Bytes exact(reinterpret_cast<const std::byte*>(data + 1),
                          reinterpret_cast<const std::byte*>(data + size));
  kinds[data[0] % kinds.size()](exact);
  return 0;
}

const mobula::fuzz::Target target("zones", run_target);

}  // namespace
}  // namespace fuzz_zones
