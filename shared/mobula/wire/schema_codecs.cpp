#include <mobula/core/assert.hpp>
#include <mobula/index/prototype_hash.hpp>
#include <mobula/wire/entity_hash.hpp>
#include <mobula/wire/schema_codecs.hpp>

namespace mobula::wire {

const RowCodec* SchemaCodecs::row(ecs::PoolId pool) {
  if (pool >= rows_.size()) {
    rows_.resize(registry_.pool_count());
    known_.resize(registry_.pool_count(), false);
  }
  if (!known_[pool]) {
    known_[pool] = true;
    const ecs::ComponentType& type = registry_.pool(pool).type();
    const reflect::Component* component = type.schema ? schema_.find(type.id) : nullptr;
    if (component != nullptr && !component->not_sent) rows_[pool] = std::make_unique<RowCodec>(*component);
  }
  return rows_[pool].get();
}

SchemaCodecs::Prototype& SchemaCodecs::find(ecs::PrototypeId prototype) {
  if (prototype >= prototypes_.size()) prototypes_.resize(prototype + 1);
  std::unique_ptr<Prototype>& found = prototypes_[prototype];
  if (found == nullptr) {
    found = std::make_unique<Prototype>();
    found->hash = index::prototype_hash(index::components(registry_, prototype));
    for (const ecs::PoolId pool : registry_.prototypes().pools(prototype)) {
      const RowCodec* codec = row(pool);
      MOBULA_ASSERT(codec != nullptr, "a layout has components that are sent only");
      found->layout.add(*codec);
    }
  }
  return *found;
}

const EntityLayout& SchemaCodecs::entity(ecs::PrototypeId prototype) { return find(prototype).layout; }

std::uint64_t SchemaCodecs::prototype_hash(ecs::PrototypeId prototype) { return find(prototype).hash; }

void SchemaCodecs::words(ecs::Entity entity, ecs::PrototypeId prototype, std::uint32_t* words) {
  for (const ecs::PoolId pool : registry_.prototypes().pools(prototype)) {
    const RowCodec& codec = *row(pool);
    codec.to_words(registry_.try_read(entity, pool), words);
    words += codec.words();
  }
}

std::uint64_t SchemaCodecs::hash(ecs::Entity entity, ecs::PrototypeId prototype, const std::uint32_t* words,
                                 bool owner) {
  std::uint64_t hash = base_hash(entity, prototype_hash(prototype));
  for (const ecs::PoolId pool : registry_.prototypes().pools(prototype)) {
    const RowCodec& codec = *row(pool);
    const std::uint64_t seed = row_seed(entity, pool_key(registry_.pool(pool)));
    hash += public_hash(codec, words, seed) + (owner ? owner_hash(codec, words, seed) : 0);
    words += codec.words();
  }
  return hash;
}

void SchemaCodecs::forget(std::span<const ecs::PrototypeId> prototypes) {
  for (const ecs::PrototypeId prototype : prototypes)
    if (prototype < prototypes_.size()) prototypes_[prototype].reset();
}

}  // namespace mobula::wire
