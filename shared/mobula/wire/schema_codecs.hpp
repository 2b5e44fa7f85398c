// The codecs of a registry's pools and the layouts of its prototypes, made when first asked for. Both sides have one.
#pragma once

#include <memory>
#include <mobula/ecs/registry.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/wire/entity_codec.hpp>
#include <span>
#include <vector>

namespace mobula::wire {

class SchemaCodecs {
 public:
  // Both outlive it.
  SchemaCodecs(const ecs::Registry& registry, const reflect::Schema& schema) : registry_(registry), schema_(schema) {}

  // Null for components that are not sent.
  [[nodiscard]] const RowCodec* row(ecs::PoolId pool);
  // Of a prototype of pools that are sent: their rows, in its order.
  [[nodiscard]] const EntityLayout& entity(ecs::PrototypeId prototype);
  // Of its content.
  [[nodiscard]] std::uint64_t prototype_hash(ecs::PrototypeId prototype);
  // The words of an entity as it is in the registry: its rows, in the prototype's order.
  void words(ecs::Entity entity, ecs::PrototypeId prototype, std::uint32_t* words);
  // Of an entity that has these words, as everyone sees it or as its owner (entity_hash.hpp).
  [[nodiscard]] std::uint64_t hash(ecs::Entity entity, ecs::PrototypeId prototype, const std::uint32_t* words,
                                   bool owner);
  // Prototypes that no longer are.
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
  std::vector<std::unique_ptr<RowCodec>> rows_;  // by pool; null: not sent
  std::vector<bool> known_;                      // by pool: rows_ is decided
  std::vector<std::unique_ptr<Prototype>> prototypes_;
};

}  // namespace mobula::wire
