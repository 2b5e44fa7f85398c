// A mirror's values of an entity as words: one row per pool of its prototype.
#pragma once

#include <algorithm>
#include <mobula/client/mirror/mirror.hpp>
#include <mobula/wire/row_codec.hpp>
#include <utility>
#include <vector>

namespace mobula::test {

// Calls function(pool, codec) for each row.
template <class Function>
void each_mirrored_row(client::Mirror& mirror, ecs::Entity entity, Function&& function) {
  const ecs::Registry& registry = mirror.registry();
  ecs::PrototypeTable& prototypes = mirror.registry().prototypes();
  for (const ecs::PoolId pool : prototypes.pools(prototypes.canonical(registry.prototype(entity))))
    function(pool, *mirror.state().codecs.row(pool));
}

// Returns the words of the values in the registry. Their courses are at rest.
inline std::vector<std::uint32_t> mirrored_words(client::Mirror& mirror, ecs::Entity entity) {
  std::vector<std::uint32_t> all;
  each_mirrored_row(mirror, entity, [&](ecs::PoolId pool, const wire::RowCodec& codec) {
    const std::size_t at = all.size();
    all.resize(at + codec.words());
    codec.to_words(mirror.registry().try_read(entity, pool), all.data() + at);
  });
  return all;
}

// Replaces published words by those of the values that a mirror shows at a tick: courses by their values.
inline void follow_courses(std::vector<std::uint32_t>& words, client::Mirror& mirror, ecs::Entity entity, bool owner,
                           ecs::Tick tick) {
  std::size_t at = 0;
  each_mirrored_row(mirror, entity, [&](ecs::PoolId pool, const wire::RowCodec& codec) {
    const std::size_t first = std::exchange(at, at + codec.words());
    if (codec.courses().empty() || at > words.size()) return;
    core::Bytes component(mirror.registry().pool(pool).type().size);
    codec.to_component(words.data() + first, owner, tick, component.data());
    codec.to_words(component.data(), words.data() + first);
  });
}

// Sets the words that the owner, or another client, does not receive to 0.
inline void reset_unreceived(std::vector<std::uint32_t>& words, client::Mirror& mirror, ecs::Entity entity,
                             bool owner) {
  std::size_t row = 0;
  each_mirrored_row(mirror, entity, [&](ecs::PoolId /*pool*/, const wire::RowCodec& codec) {
    const std::size_t first = row + (owner ? codec.common_words() : codec.public_words());
    const std::size_t end = row + (owner ? codec.public_words() : codec.words());
    for (std::size_t at = first; at < std::min(end, words.size()); ++at) words[at] = 0;
    row += codec.words();
  });
}

}  // namespace mobula::test
