// A neighbouring zone, as this one sees it: the mirror of a connection to its server, copied to ghosts.
#pragma once

#include <mobula/client/connection/connection.hpp>
#include <mobula/server/zones/ghosts.hpp>

namespace mobula::server {

class Neighbour {
 public:
  /// Time for which ghosts stay as they were last seen after the connection is lost.
  static constexpr core::Nanoseconds keep_lost = 10 * core::second;
  /// Ghosts that are compared with the mirror in each update.
  static constexpr std::uint32_t verified_at_once = 16;

  /// The registry must outlive it. `zone` is the neighbour's number.
  Neighbour(ecs::Registry& registry, std::uint32_t zone) : ghosts_(registry, zone) {}

  /// Notes that another connection follows, whose mirror is another one.
  void begin() { mirror_ = 0; }
  /// Brings ghosts up to date after each update of the connection to the neighbour. Between ticks.
  void update(const client::Connection& connection, core::Nanoseconds now);
  /// Turns entities that the neighbour takes over into its ghosts, as Ghosts::keep does.
  void keep(std::span<const ecs::Entity> entities, const reflect::Schema& schema) { ghosts_.keep(entities, schema); }
  /// Returns the ghosts that ended in the last update. Another neighbour may show them.
  [[nodiscard]] std::span<const ecs::Entity> ended() const { return ghosts_.ended(); }
  /// Makes ghosts of entities that the connection's mirror shows and this world does not have. Between ticks. Does
  /// nothing after the connection is lost, as its mirror is of the past.
  void show(const client::Connection& connection, std::span<const ecs::Entity> entities);
  [[nodiscard]] bool has_ghosts() const { return ghosts_.any(); }
  /// Returns whether the ghosts are of the present: false while there is no connection.
  [[nodiscard]] bool is_current() const { return current_; }
  /// Returns whether the last update had a newer tick of the neighbour.
  [[nodiscard]] bool was_heard() const { return heard_; }
  [[nodiscard]] const Ghosts::Stats& stats() const { return ghosts_.stats(); }

 private:
  Ghosts ghosts_;
  std::uint32_t mirror_ = 0;  // number of the connection's mirror
  ecs::Tick mirror_tick_ = 0;
  bool heard_ = false;
  bool current_ = false;
  bool kept_ = false;  // ghosts stand still since lost_at_
  core::Nanoseconds lost_at_ = 0;
  bool logged_ = false;  // an error of Ghosts::apply
};

}  // namespace mobula::server
