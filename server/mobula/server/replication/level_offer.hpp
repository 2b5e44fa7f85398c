// The level as clients may have it of their own: who has it is told only what is no longer as the level has it.
//
// An entity of the level is pristine until anything about it changes, for ever after it is not. Those that are no
// longer are listed in the order in which it happened, so that each client's view goes on in the list from where it
// was.
#pragma once

#include <mobula/server/replication/published.hpp>
#include <mobula/wire/delta.hpp>
#include <mobula/wire/level_copy.hpp>
#include <mobula/wire/messages.hpp>

namespace mobula::server {

class World;

class LevelOffer {
 public:
  // What a client has of the level may all need ids of its own: as many are left for the rest.
  static constexpr std::uint32_t entities_max = wire::ids_max / 2;

  // After the first publication. Null if the level cannot be offered: the log says why.
  static std::shared_ptr<LevelOffer> make(const World& world, Published& published);

  [[nodiscard]] const wire::LevelCopy& copy() const { return *copy_; }
  [[nodiscard]] bool is_pristine(std::uint32_t index) const {
    return index - copy_->range().first < copy_->range().count && pristine_[index - copy_->range().first];
  }
  [[nodiscard]] std::span<const std::uint32_t> stirred() const { return stirred_; }
  // Of the values that the level has.
  [[nodiscard]] ecs::Tick tick() const { return tick_; }
  // Sum of the hashes of what is pristine.
  [[nodiscard]] std::uint64_t hash() const { return hash_; }
  // What a client is told that has the resource.
  [[nodiscard]] wire::Level message() const;

  // After each further publication: the indices that changed.
  void note(std::span<const std::uint32_t> changed);

 private:
  LevelOffer(std::unique_ptr<wire::LevelCopy> copy, ecs::Tick tick) : copy_(std::move(copy)), tick_(tick) {}
  [[nodiscard]] bool is_as_copied(std::uint32_t index, Published& published) const;

  std::unique_ptr<wire::LevelCopy> copy_;
  ecs::Tick tick_;
  std::vector<bool> pristine_;  // by entity of the range
  std::vector<std::uint32_t> stirred_;
  std::uint64_t hash_ = 0;
};

}  // namespace mobula::server
