// A level as clients may have it, in the state in which it was spawned. Server and client make the same copy of the
// same resource, so that entities that never changed need not be sent.
//
// The values are exact, as both sides quantise the same bytes. Immutable once made.
#pragma once

#include <memory>
#include <mobula/ecs/registry.hpp>
#include <mobula/index/prototype_hash.hpp>
#include <mobula/resource/resource.hpp>
#include <mobula/wire/schema_codecs.hpp>
#include <vector>

namespace mobula::wire {

/// State of a level's entities when they were spawned.
class LevelCopy {
 public:
  /// Makes the copy. `range` is the range that the level has in the server's world. Errors: those of
  /// resource::Spawner::bind; "other level" if the resource has another number of entities, or its level cannot be
  /// spawned at that range.
  static core::Result<std::unique_ptr<LevelCopy>> make(std::shared_ptr<const reflect::Schema> schema,
                                                       std::shared_ptr<const resource::Resource> resource,
                                                       const ecs::EntityRange& range);

  [[nodiscard]] const ecs::EntityRange& range() const { return range_; }
  [[nodiscard]] bool contains(ecs::Entity entity) const {
    return entity.generation == range_.generation && entity.index - range_.first < range_.count;
  }
  [[nodiscard]] const core::ContentHash& identity() const { return resource_->identity(); }

  /// Returns the components of an entity of the range that are sent, in canonical order.
  [[nodiscard]] std::vector<index::ComponentRef> components(std::uint32_t index) const;
  /// Writes the words of these components, one row after the other.
  void words(std::uint32_t index, std::uint32_t* words) const;
  /// Returns the hash of these components (index/prototype_hash.hpp).
  [[nodiscard]] std::uint64_t prototype_hash(std::uint32_t index) const;
  /// Returns the hash without owner_only words (entity_hash.hpp).
  [[nodiscard]] std::uint64_t hash(std::uint32_t index) const { return hashes_[index - range_.first]; }
  [[nodiscard]] const resource::Resource& resource() const { return *resource_; }

 private:
  LevelCopy(std::shared_ptr<const reflect::Schema> schema, std::shared_ptr<const resource::Resource> resource,
            const ecs::EntityRange& range);
  core::Status spawn();
  std::uint64_t make_hash(std::uint32_t index);

  std::shared_ptr<const reflect::Schema> schema_;
  std::shared_ptr<const resource::Resource> resource_;
  ecs::EntityRange range_;
  ecs::Registry registry_;
  mutable SchemaCodecs codecs_;
  std::vector<ecs::PrototypeId> sent_;  // by entity of the range: prototype of the components that are sent; held
  std::vector<std::uint64_t> hashes_;   // by entity of the range
  std::vector<std::uint32_t> words_;    // scratch
};

}  // namespace mobula::wire
