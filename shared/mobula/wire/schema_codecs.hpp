// The codecs of a registry's pools and the layouts of its prototypes. Both are made at first use. Server and client
// have one each.
#pragma once

#include <memory>
#include <mobula/ecs/registry.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/wire/entity_codec.hpp>
#include <span>
#include <vector>

namespace mobula::wire {

/// Caches codecs and layouts.
class SchemaCodecs {
 public:
  /// Both must outlive it.
  SchemaCodecs(const ecs::Registry& registry, const reflect::Schema& schema) : registry_(registry), schema_(schema) {}

  /// Returns the codec of a pool. Null if its component is not sent.
  [[nodiscard]] const RowCodec* row(ecs::PoolId pool);
  /// Returns the layout of a prototype, all of whose pools are sent.
  [[nodiscard]] const EntityLayout& entity(ecs::PrototypeId prototype);
  /// Returns the hash of the prototype's content.
  [[nodiscard]] std::uint64_t prototype_hash(ecs::PrototypeId prototype);
  /// Writes the words of an entity as it is in the registry, its rows in the prototype's order.
  void words(ecs::Entity entity, ecs::PrototypeId prototype, std::uint32_t* words);
  /// Returns the hash of an entity with these words, for everyone or for its owner (entity_hash.hpp).
  [[nodiscard]] std::uint64_t hash(ecs::Entity entity, ecs::PrototypeId prototype, const std::uint32_t* words,
                                   bool owner);
  /// Drops the layouts of prototypes that no longer exist.
  void forget(std::span<const ecs::PrototypeId> prototypes);

  [[nodiscard]] const reflect::Schema& schema() const { return schema_; }

 private:
  struct Prototype {
    EntityLayout layout;
    std::uint64_t hash = 0;
  };
  Prototype& find(ecs::PrototypeId prototype);

  const ecs::Registry& registry_;
  const reflect::Schema& schema_;
  std::vector<std::unique_ptr<RowCodec>> rows_;  // by pool; null if it is not sent
  std::vector<bool> known_;                      // by pool: whether rows_ is decided
  std::vector<std::unique_ptr<Prototype>> prototypes_;
};

}  // namespace mobula::wire
