// The level that a mirror makes of a copy of its own.
#include <algorithm>
#include <cstring>
#include <map>
#include <mobula/client/mirror/mirror.hpp>

namespace mobula::client {

core::Status Mirror::load_level(const wire::Level& message, std::shared_ptr<const resource::Resource> resource) {
  if (level_.copy != nullptr || tick_ != 0) return core::Error{"other level", "a level comes once, before all deltas"};
  if (message.range.first + message.range.count > entities_max_)
    return core::Error{"other level", "the level has indices beyond the limit"};
  core::Result<std::unique_ptr<wire::LevelCopy>> copy =
      wire::LevelCopy::make(schema_, std::move(resource), message.range);
  if (!copy) return copy.error();
  for (const std::string_view text : (*copy)->resource().names())
    if (const core::Result<core::StringId32> named = names_.add(std::string(text)); !named) return named.error();
  level_ = {.copy = std::move(*copy), .tick = message.tick, .here = {}, .prototypes = {}};
  if (const core::Status interned = intern_level(); !interned) return interned;

  registry_.set_tick(message.tick);
  for (std::uint32_t i = 0; i < message.range.count; ++i) {
    level_.here.push_back((message.present[i / 8] >> i % 8 & std::byte{1}) != std::byte{0});
    if (level_.here.back()) show_loaded(message.range.at(i));
  }
  registry_.clear_journal();
  return core::Done{};
}

core::Status Mirror::intern_level() {
  std::map<std::uint64_t, ecs::PrototypeId> interned;  // by hash
  const ecs::EntityRange& range = level_.copy->range();
  for (std::uint32_t i = 0; i < range.count; ++i) {
    const auto [found, is_new] = interned.try_emplace(level_.copy->prototype_hash(range.first + i));
    if (is_new) {
      const core::Result<ecs::PrototypeId> made = intern(level_.copy->components(range.first + i));
      if (!made) return made.error();
      found->second = *made;
      registry_.prototypes().hold(found->second);
    }
    level_.prototypes.push_back(found->second);
  }
  return core::Done{};
}

// With the values that the server has of it: quantised.
void Mirror::show_loaded(ecs::Entity entity) {
  const ecs::PrototypeId prototype = level_.prototypes[entity.index - level_.copy->range().first];
  words_.resize(codecs_.entity(prototype).words);
  level_.copy->words(entity.index, words_.data());
  registry_.create_given(entity);
  recompose(entity, prototype);
  const std::uint32_t* words = words_.data();
  for (const ecs::PoolId pool : registry_.prototypes().pools(prototype)) {
    const wire::RowCodec& codec = *codecs_.row(pool);
    codec.to_component(words, false, registry_.try_write(entity, pool));
    words += codec.words();
  }
  changes_.appeared.push_back(entity);
  hash_ += level_.copy->hash(entity.index);
  ++size_;
}

void Mirror::end_loaded(ecs::Entity entity, bool destroyed) {
  level_.here[entity.index - level_.copy->range().first] = false;
  hash_ -= level_.copy->hash(entity.index);
  --size_;
  destroyed ? destroy(entity) : set_stale(entity);
}

}  // namespace mobula::client
