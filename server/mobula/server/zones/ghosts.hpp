// Ghosts of a neighbour's entities: copies of a mirror's entities in the registry of this world, with the same handles.
//
//   neighbour ── session ──► Mirror ── apply() ──► ghosts, which this world publishes as its own entities
//
// A ghost has the components that are sent, and Ghost. It belongs to the neighbour whose mirror showed it last. One
// that goes out of its mirror's view lingers for some ticks: another neighbour may have taken the entity.
#pragma once

#include <mobula/client/mirror/mirror.hpp>
#include <mobula/ecs/registry_guests.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/server/interest/ghost.hpp>
#include <span>
#include <string>
#include <vector>

namespace mobula::server {

/// Ghosts of one neighbour.
class Ghosts {
 public:
  /// Ticks for which a ghost stays that is out of the mirror's view.
  static constexpr ecs::Tick linger_ticks = 20;

  struct Stats {
    std::uint64_t gained = 0;     // ghosts
    std::uint64_t lost = 0;       // ghosts
    std::uint64_t written = 0;    // components
    std::uint64_t refused = 0;    // entities of which no ghost is possible, since their index is another's here
    std::uint64_t checked = 0;    // ghosts that were compared with the mirror
    std::uint64_t corrected = 0;  // ghosts that the game had changed
  };

  /// The registry must outlive it.
  Ghosts(ecs::Registry& registry, std::uint32_t neighbour)
      : registry_(registry), all_(registry.pool<Ghost>()), neighbour_(neighbour) {}

  /// Copies what the mirror has handed out as changed, and ends ghosts that have lingered. Between ticks. Errors: those
  /// of Registry::open_pool; the other entities are copied.
  core::Status apply(const client::Mirror& mirror);
  /// Ends ghosts that have lingered, in an update without a mirror.
  void expire();
  /// Returns the ghosts that ended in the last apply() or expire(). Another neighbour may show them.
  [[nodiscard]] std::span<const ecs::Entity> ended() const { return ended_; }
  /// Makes the ghost of an entity that the mirror shows, if this world has neither a ghost nor the entity. Between
  /// ticks.
  void show(const client::Mirror& mirror, ecs::Entity entity);
  /// Turns living entities that the neighbour takes over into its ghosts, until its mirror shows them. They keep the
  /// components that are sent. `schema` is the registry's.
  void keep(std::span<const ecs::Entity> entities, const reflect::Schema& schema);
  /// Compares some ghosts with the mirror, a few more with each call, and corrects those that differ. Between ticks.
  void verify(const client::Mirror& mirror, std::uint32_t count);
  /// Begins with another mirror. Ghosts that it has not shown after some ticks end.
  void begin(ecs::Tick ticks);
  /// Returns whether the neighbour has ghosts here. Looks at all ghosts.
  [[nodiscard]] bool any() const;
  [[nodiscard]] const Stats& stats() const { return stats_; }

 private:
  struct SentValue {
    ecs::PoolId pool;
    core::Bytes bytes;
  };

  [[nodiscard]] std::vector<SentValue> sent_values(ecs::Entity entity, const reflect::Schema& schema) const;
  [[nodiscard]] bool is_mine(ecs::Entity entity) const;
  [[nodiscard]] bool is_shown(ecs::Entity entity) const;
  core::Status copy(const client::Mirror& mirror, ecs::Entity entity);
  core::Status copy_component(const client::Mirror& mirror, ecs::Entity entity, ecs::PoolId theirs);
  core::Result<ecs::PoolId> pool_of(const client::Mirror& mirror, ecs::PoolId theirs);
  [[nodiscard]] std::string difference(const client::Mirror& mirror, ecs::Entity entity);
  bool receive(ecs::Entity entity);
  void linger(ecs::Entity entity, ecs::Tick ticks);
  void end(ecs::Entity entity);
  void drop(ecs::Entity entity);
  void end_lingering();

  ecs::Registry& registry_;
  const ecs::Pool& all_;
  std::uint32_t neighbour_;
  std::uint32_t verified_ = 0;  // position in all_
  std::vector<ecs::Entity> lingering_;
  std::vector<ecs::Entity> ended_;
  std::vector<ecs::PoolId> pool_of_;  // by pool of the mirror; no_pool if it was not needed yet
  std::vector<ecs::PoolId> pools_;    // scratch
  Stats stats_;
};

}  // namespace mobula::server
