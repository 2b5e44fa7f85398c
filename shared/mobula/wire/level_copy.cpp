#include <algorithm>
#include <map>
#include <mobula/core/format.hpp>
#include <mobula/index/prototype_hash.hpp>
#include <mobula/resource/spawner.hpp>
#include <mobula/wire/level_copy.hpp>

namespace mobula::wire {
namespace {

// Bits of a generation that count reuses. EntityPool hands out only generations of one incarnation.
constexpr std::uint32_t reuse_bits = ecs::EntityPoolConfig{}.reuse_bits;

}  // namespace

LevelCopy::LevelCopy(std::shared_ptr<const reflect::Schema> schema, std::shared_ptr<const resource::Resource> resource,
                     const ecs::EntityRange& range)
    : schema_(std::move(schema)),
      resource_(std::move(resource)),
      range_(range),
      registry_({.entities = {.incarnation = range.generation >> reuse_bits,
                              .entities_max = range.first + range.count,
                              .own = {.first = range.first}},
                 .pools = {}}),
      codecs_(registry_, *schema_) {}

core::Result<std::unique_ptr<LevelCopy>> LevelCopy::make(std::shared_ptr<const reflect::Schema> schema,
                                                         std::shared_ptr<const resource::Resource> resource,
                                                         const ecs::EntityRange& range) {
  if (resource->level().num_entities != range.count || range.count == 0)
    return core::Error{"other level", core::format("the level has {} entities, the server spawned {}",
                                                   resource->level().num_entities, range.count)};
  std::unique_ptr<LevelCopy> copy(new LevelCopy(std::move(schema), std::move(resource), range));
  if (const core::Status spawned = copy->spawn(); !spawned) return spawned.error();
  return copy;
}

core::Status LevelCopy::spawn() {
  if (core::Status done = reflect::register_components(registry_, *schema_); !done) return done;
  core::Result<resource::Spawner> spawner = resource::Spawner::bind(registry_, *schema_, resource_);
  if (!spawner) return spawner.error();
  const core::Result<ecs::EntityRange> spawned = spawner->spawn_level();
  if (!spawned) return spawned.error();
  if (*spawned != range_) return core::Error{"other level", "a level is the first that a world or a zone spawns"};

  std::map<ecs::PrototypeId, ecs::PrototypeId> sent;
  for (std::uint32_t i = 0; i < range_.count; ++i) {
    const ecs::PrototypeId prototype = registry_.prototype(range_.at(i));
    const auto [found, is_new] = sent.try_emplace(prototype, prototype);
    if (is_new) {
      std::vector<ecs::PoolId> pools;
      for (const ecs::PoolId pool : registry_.prototypes().pools(prototype))
        if (codecs_.row(pool) != nullptr) pools.push_back(pool);
      found->second = registry_.prototypes().intern(pools);
      registry_.prototypes().hold(found->second);
    }
    sent_.push_back(found->second);
    hashes_.push_back(make_hash(range_.first + i));
  }
  return core::Done{};
}

std::uint64_t LevelCopy::prototype_hash(std::uint32_t index) const {
  return codecs_.prototype_hash(sent_[index - range_.first]);
}

std::vector<index::ComponentRef> LevelCopy::components(std::uint32_t index) const {
  return index::components(registry_, sent_[index - range_.first]);
}

void LevelCopy::words(std::uint32_t index, std::uint32_t* words) const {
  codecs_.words(range_.at(index - range_.first), sent_[index - range_.first], words);
}

std::uint64_t LevelCopy::make_hash(std::uint32_t index) {
  const ecs::PrototypeId prototype = sent_[index - range_.first];
  words_.resize(codecs_.entity(prototype).words);
  words(index, words_.data());
  return codecs_.hash(range_.at(index - range_.first), prototype, words_.data(), false);
}

}  // namespace mobula::wire
