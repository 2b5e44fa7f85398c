// Entities on their way between two zones of a world. They keep their handles.
//
//   0    4        version, 1
//   4    4        position of the player's entity among those packed; ~0 if there is none
//   8    4        n: packed entities
//   12   4        m: entities that these name
//   16   8(n+m)   their handles: index, generation
//   …             pack of the entities (resource/pack.hpp)
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/entity.hpp>
#include <vector>

namespace mobula::server {

/// Entities packed for a zone beside this one, which has the same handles.
struct ZonePack {
  core::Bytes bytes{};
  std::vector<ecs::Entity> entities{};  // packed
  std::vector<ecs::Entity> others{};    // that these name
  ecs::Entity player{};                 // the player's, one of those packed; null if there is none
};

core::Bytes to_bytes(const ZonePack& pack);
/// Parses what to_bytes() has returned. The bytes of the entities are not checked. Error: "bad pack".
core::Result<ZonePack> parse_zone_pack(core::ByteView bytes);

}  // namespace mobula::server
