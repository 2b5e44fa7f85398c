// A level as everyone may have it, as it was when it had just been spawned: what server and client both make of the
// same resource, so that an entity that never changed need not be sent.
//
// The values are exact: both quantise the same bytes. Immutable once made.
#pragma once

#include <memory>
#include <mobula/ecs/registry.hpp>
#include <mobula/index/prototype_hash.hpp>
#include <mobula/resource/resource.hpp>
#include <mobula/wire/schema_codecs.hpp>
#include <vector>

namespace mobula::wire {

class LevelCopy {
 public:
  // `range`: what it was spawned as in the server's world. Reasons: those of resource::Spawner::bind; "other level":
  // the resource has not so many entities, or could not be spawned so.
  static core::Result<std::unique_ptr<LevelCopy>> make(std::shared_ptr<const reflect::Schema> schema,
                                                       std::shared_ptr<const resource::Resource> resource,
                                                       const ecs::EntityRange& range);

  [[nodiscard]] const ecs::EntityRange& range() const { return range_; }
  [[nodiscard]] bool contains(ecs::Entity entity) const {
    return entity.generation == range_.generation && entity.index - range_.first < range_.count;
  }
  [[nodiscard]] const core::ContentHash& identity() const { return resource_->identity(); }

  // Of the entities of the range. Components that are sent, in canonical order, and their words one after the other.
  [[nodiscard]] std::vector<index::ComponentRef> components(std::uint32_t index) const;
  void words(std::uint32_t index, std::uint32_t* words) const;
  [[nodiscard]] std::uint64_t prototype_hash(std::uint32_t index) const;
  // As everyone sees it (entity_hash.hpp).
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
  std::vector<ecs::PrototypeId> sent_;  // by entity of the range: its components that are sent; held
  std::vector<std::uint64_t> hashes_;   // by entity of the range
  std::vector<std::uint32_t> words_;    // scratch
};

}  // namespace mobula::wire
