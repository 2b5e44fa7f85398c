// The level as clients may have it as a resource. A client that has it receives only what differs from the level.
//
// An entity of the level is unmodified until anything about it or about one of its parents changes; afterwards it never
// is again. So a client that has an unmodified entity has its parents, too. A modified parent that goes out of view
// takes its children with it. Modified entities are listed in the order in which they changed, so that each client's
// view continues in the list from where it was.
#pragma once

#include <mobula/server/replication/published.hpp>
#include <mobula/wire/delta.hpp>
#include <mobula/wire/level_copy.hpp>
#include <mobula/wire/messages.hpp>
#include <utility>

namespace mobula::server {

class World;

/// A level, and which of its entities are unmodified.
class LevelOffer {
 public:
  // Each entity of the level may need an id at a client; half of the ids are left for other entities.
  static constexpr std::uint32_t entities_max = wire::ids_max / 2;

  /// Makes the offer after the first publication. Null if the level cannot be offered; the log has the reason.
  static std::shared_ptr<LevelOffer> make(const World& world, Published& published);

  [[nodiscard]] const wire::LevelCopy& copy() const { return *copy_; }
  [[nodiscard]] bool is_unmodified(std::uint32_t index) const {
    return index - copy_->range().first < copy_->range().count && unmodified_[index - copy_->range().first];
  }
  [[nodiscard]] std::span<const std::uint32_t> modified() const { return modified_; }
  /// Returns the tick of the level's values.
  [[nodiscard]] ecs::Tick tick() const { return tick_; }
  /// Returns the sum of the hashes of unmodified entities.
  [[nodiscard]] std::uint64_t hash() const { return hash_; }
  /// Returns the message for a client that has the resource.
  [[nodiscard]] wire::Level message() const;

  /// Notes the indices that changed. To be called after each further publication.
  void note(std::span<const std::uint32_t> changed);

 private:
  LevelOffer(std::unique_ptr<wire::LevelCopy> copy, ecs::Tick tick) : copy_(std::move(copy)), tick_(tick) {}
  [[nodiscard]] bool is_as_copied(std::uint32_t index, Published& published) const;
  void list_children(const ecs::Registry& registry);
  void modify(std::uint32_t index);

  std::unique_ptr<wire::LevelCopy> copy_;
  ecs::Tick tick_;
  std::vector<bool> unmodified_;  // by entity of the range
  std::vector<std::uint32_t> modified_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> children_;  // (parent, child), sorted; only of the level
  std::uint64_t hash_ = 0;
};

}  // namespace mobula::server
