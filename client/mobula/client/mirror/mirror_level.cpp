// Loads the level from the client's own copy.
#include <algorithm>
#include <cstring>
#include <map>
#include <mobula/client/mirror/mirror.hpp>
#include <mobula/core/format.hpp>

namespace mobula::client {

core::Status Mirror::load_level(const wire::Level& message, std::shared_ptr<const resource::Resource> resource) {
  if (state_.level.copy != nullptr || state_.tick != 0)
    return core::Error{"other level", "the server sent a level after another level or after a delta"};
  if (message.range.first + message.range.count > state_.entities_max)
    return core::Error{"other level", core::format("the level's indices exceed the limit of {}", state_.entities_max)};
  core::Result<std::unique_ptr<wire::LevelCopy>> copy =
      wire::LevelCopy::make(state_.schema, std::move(resource), message.range);
  if (!copy) return copy.error();
  for (const std::string_view text : (*copy)->resource().names())
    if (const core::Result<core::StringId32> named = state_.names.add(std::string(text)); !named) return named.error();
  state_.level = {.copy = std::move(*copy), .tick = message.tick, .here = {}, .prototypes = {}};
  if (const core::Status interned = intern_level(); !interned) return interned;

  state_.registry.set_tick(message.tick);
  for (std::uint32_t i = 0; i < message.range.count; ++i) {
    state_.level.here.push_back((message.present[i / 8] >> i % 8 & std::byte{1}) != std::byte{0});
    if (state_.level.here.back()) show_loaded(message.range.at(i));
  }
  state_.registry.clear_journal();
  return core::Done{};
}

core::Status Mirror::intern_level() {
  std::map<std::uint64_t, ecs::PrototypeId> interned;  // by hash
  const ecs::EntityRange& range = state_.level.copy->range();
  for (std::uint32_t i = 0; i < range.count; ++i) {
    const auto [found, is_new] = interned.try_emplace(state_.level.copy->prototype_hash(range.first + i));
    if (is_new) {
      const core::Result<ecs::PrototypeId> made = intern(state_.level.copy->components(range.first + i));
      if (!made) return made.error();
      found->second = *made;
      state_.registry.prototypes().hold(found->second);
    }
    state_.level.prototypes.push_back(found->second);
  }
  return core::Done{};
}

// Shows an entity with the quantised values that the server publishes.
void Mirror::show_loaded(ecs::Entity entity) {
  const ecs::PrototypeId prototype = state_.level.prototypes[entity.index - state_.level.copy->range().first];
  delta_.words.resize(state_.codecs.entity(prototype).words);
  state_.level.copy->words(entity.index, delta_.words.data());
  state_.registry.create_given(entity);
  recompose(entity, prototype);
  const std::uint32_t* words = delta_.words.data();
  for (const ecs::PoolId pool : state_.registry.prototypes().pools(prototype)) {
    const wire::RowCodec& codec = *state_.codecs.row(pool);
    codec.to_component(words, false, state_.level.tick, state_.registry.try_write(entity, pool));
    words += codec.words();
  }
  changes_.add(entity, ChangeKind::spawned);
  hash_ += state_.level.copy->hash(entity.index);
  ++size_;
}

void Mirror::end_loaded(ecs::Entity entity, bool destroyed) {
  state_.level.here[entity.index - state_.level.copy->range().first] = false;
  hash_ -= state_.level.copy->hash(entity.index);
  --size_;
  destroyed ? destroy(entity) : set_stale(entity);
}

}  // namespace mobula::client
