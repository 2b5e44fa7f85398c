#include <algorithm>
#include <cstring>
#include <mobula/server/game/zone_pack.hpp>

namespace mobula::server {
namespace {

constexpr std::uint32_t version = 1;
constexpr std::uint32_t none = ~0u;

struct Header {
  std::uint32_t version = 0;
  std::uint32_t player = none;
  std::uint32_t entities = 0;
  std::uint32_t others = 0;
};

core::Error bad() { return {"bad pack", "the record of a crossing holds no entities of a zone"}; }

void append(core::Bytes& bytes, core::ByteView more) { bytes.insert(bytes.end(), more.begin(), more.end()); }

// Takes `count` handles from the front.
std::vector<ecs::Entity> take(core::ByteView& bytes, std::uint32_t count) {
  std::vector<ecs::Entity> all(count);
  for (ecs::Entity& each : all) {
    each = {core::load<std::uint32_t>(bytes.data()), core::load<std::uint32_t>(bytes.data() + 4)};
    bytes = bytes.subspan(sizeof(ecs::Entity));
  }
  return all;
}

}  // namespace

core::Bytes to_bytes(const ZonePack& pack) {
  const auto found = std::ranges::find(pack.entities, pack.player);
  const Header header{
      .version = version,
      .player = found == pack.entities.end() ? none : static_cast<std::uint32_t>(found - pack.entities.begin()),
      .entities = static_cast<std::uint32_t>(pack.entities.size()),
      .others = static_cast<std::uint32_t>(pack.others.size())};
  core::Bytes bytes;
  append(bytes, core::as_bytes(&header, 1));
  append(bytes, core::as_bytes(pack.entities.data(), pack.entities.size()));
  append(bytes, core::as_bytes(pack.others.data(), pack.others.size()));
  append(bytes, pack.bytes);
  return bytes;
}

core::Result<ZonePack> parse_zone_pack(core::ByteView bytes) {
  Header header;
  if (bytes.size() < sizeof(header)) return bad();
  std::memcpy(&header, bytes.data(), sizeof(header));
  bytes = bytes.subspan(sizeof(header));
  const std::uint64_t handles = std::uint64_t{header.entities} + header.others;
  const bool has_player = header.player != none;
  if (header.version != version || header.entities == 0 || handles * sizeof(ecs::Entity) > bytes.size() ||
      (has_player && header.player >= header.entities))
    return bad();
  ZonePack pack;
  pack.entities = take(bytes, header.entities);
  pack.others = take(bytes, header.others);
  if (has_player) pack.player = pack.entities[header.player];
  pack.bytes.assign(bytes.begin(), bytes.end());
  return pack;
}

}  // namespace mobula::server
