// Reads a mirror's values of an entity from its registry with the schema's codecs: one row per pool of its prototype.
#pragma once

#include <algorithm>
#include <mobula/client/mirror/mirror.hpp>
#include <mobula/wire/row_codec.hpp>
#include <server/hamlet.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mobula::test {

// Calls function(pool, codec) for each row.
template <class Function>
void each_mirrored_row(client::Mirror& mirror, ecs::Entity entity, Function&& function) {
  static std::unordered_map<std::uint32_t, wire::RowCodec> codecs;  // by component
  const ecs::Registry& registry = mirror.registry();
  ecs::PrototypeTable& prototypes = mirror.registry().prototypes();
  for (const ecs::PoolId pool : prototypes.pools(prototypes.canonical(registry.prototype(entity)))) {
    const core::StringId32 type = registry.pool(pool).type().id;
    function(pool, codecs.try_emplace(type.value, *game_schema()->find(type)).first->second);
  }
}

inline std::vector<std::uint32_t> mirrored_words(client::Mirror& mirror, ecs::Entity entity) {
  const ecs::Registry& registry = mirror.registry();
  std::vector<std::uint32_t> all;
  each_mirrored_row(mirror, entity, [&](ecs::PoolId pool, const wire::RowCodec& codec) {
    const std::size_t at = all.size();
    all.resize(at + codec.words());
    codec.to_words(registry.try_read(entity, pool), all.data() + at);
  });
  return all;
}

// Replaces published words by those of the values that a mirror shows at a tick: courses by their values.
inline void follow_courses(std::vector<std::uint32_t>& words, client::Mirror& mirror, ecs::Entity entity,
                           ecs::Tick tick) {
  std::size_t at = 0;
  each_mirrored_row(mirror, entity, [&](ecs::PoolId pool, const wire::RowCodec& codec) {
    const std::size_t first = std::exchange(at, at + codec.words());
    if (codec.courses().empty() || at > words.size()) return;
    core::Bytes component(mirror.registry().pool(pool).type().size);
    codec.to_component(words.data() + first, true, tick, component.data());
    codec.to_words(component.data(), words.data() + first);
  });
}

// Sets the words that only the owner is sent to 0.
inline void reset_owner_only(std::vector<std::uint32_t>& words, client::Mirror& mirror, ecs::Entity entity) {
  std::size_t at = 0;
  each_mirrored_row(mirror, entity, [&](ecs::PoolId /*pool*/, const wire::RowCodec& codec) {
    const std::size_t end = at + codec.words();
    for (at += codec.public_words(); at < end; ++at)
      if (at < words.size()) words[at] = 0;
  });
}

}  // namespace mobula::test
