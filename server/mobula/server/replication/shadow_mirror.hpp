// Shadow of one client's mirror, without values: the states that the client had when it gave its last command whose
// view was rewound.
//
// A picture depends on the states that a mirror has, and their words are those that were published in their ticks. So
// the server needs the ticks alone. Each command names the deltas that the client had when it was given.
//
// The shadow applies them by the rules of client::Mirror, command by command. Those between two commands come in the
// order of their sequences. Where another order of arrival would lead to another picture, the shadow is not certain.
//
// It goes forwards only, with the commands. Deltas that are older than what the game rewinds are applied once they are
// acknowledged, so the memory is bounded although no command comes.
#pragma once

#include <memory>
#include <mobula/server/replication/carried_states.hpp>
#include <mobula/server/replication/level_offer.hpp>
#include <mobula/server/replication/picture_ticks.hpp>
#include <mobula/wire/received_deltas.hpp>
#include <mobula/wire/shown_ids.hpp>
#include <span>
#include <vector>

namespace mobula::server {

/// Presence of an entity at a client.
enum class Sight : std::uint8_t {
  shown,        ///< In view.
  absent,       ///< Not there: never received, or destroyed.
  out_of_view,  ///< Out of view; the client may show its last values.
  unknown,      ///< Depends on the order in which deltas arrived.
};

class ShadowMirror {
 public:
  /// An entity that has, or had, an id.
  struct Known {
    ecs::Entity entity;  // null if it was never received
    ecs::Entity former;  // the entity that despawned
    ecs::PrototypeId prototype = ecs::empty_prototype;
    ecs::Tick first_tick = ~0u;  // tick of its first state
    ecs::Tick newest_tick = 0;   // tick of its newest state
    ecs::Tick lost_tick = 0;     // states of earlier ticks are too late
    ecs::Tick unsure_until = 0;  // pictures of earlier moments depend on the order of arrivals
    std::uint32_t interval = 0;  // the one in which the last full state or loss came
    std::uint32_t sequence = 0;  // delta that had it
    std::uint32_t ticks = none;  // its PictureTicks; none unless its past is kept
    std::uint32_t next = none;   // id whose former entity had the same index; none without
    bool owner = false;
    bool lost = false;
    bool destroyed = false;
    bool shown = false;
  };
  static constexpr std::uint32_t none = wire::ShownIds::none;

  /// Notes that the client has the level. Before the first delta.
  void begin_with_level(std::shared_ptr<const LevelOffer> level);
  /// Deltas as they are written, and acknowledged.
  void begin_delta(std::uint32_t sequence, ecs::Tick tick) { carried_.begin(sequence, tick); }
  void add(const Carried& carried) { carried_.add(carried); }
  void note_acknowledged(std::uint32_t sequence) { carried_.at(sequence).acknowledged = true; }

  /// Applies the deltas of a command. `settled`: the fate of deltas up to this sequence is known. Errors, which change
  /// nothing: "unknown deltas", "outdated deltas".
  core::Status advance(const wire::SeenDeltas& seen, std::uint32_t settled);
  /// Applies acknowledged deltas of ticks before `tick`, and drops those that the client cannot receive any more.
  void settle(ecs::Tick tick, std::uint32_t settled);

  /// Returns the tick of the newest delta applied, and of the first; 0 if there is none.
  [[nodiscard]] ecs::Tick newest_tick() const { return newest_tick_; }
  [[nodiscard]] ecs::Tick first_tick() const { return first_tick_; }
  [[nodiscard]] Sight sight(ecs::Entity entity) const;
  /// Returns the record of a shown entity. Null for an entity of the level that is unmodified, and for others.
  [[nodiscard]] const Known* find(ecs::Entity entity) const {
    const std::uint32_t id = ids_.find(entity.index);
    return id != none && known_[id].entity == entity ? &known_[id] : nullptr;
  }
  /// Returns whether an entity is shown as the level has it.
  [[nodiscard]] bool is_as_loaded(ecs::Entity entity) const {
    return level_ != nullptr && level_->copy().contains(entity) && here_[entity.index - level_->copy().range().first];
  }
  /// Returns the states of a shown entity around a moment.
  [[nodiscard]] PictureTicks::Around around(ecs::Entity entity, double moment) const;
  [[nodiscard]] const LevelOffer* level() const { return level_.get(); }
  /// Calls function(entity) for each shown entity whose past is kept, in the order of ids, then those of the level.
  template <class Function>
  void each_shown(Function&& function) const {
    for (const Known& known : known_)
      if (known.shown && known.ticks != none) function(known.entity);
    for (std::uint32_t i = 0; i < here_.size(); ++i)
      if (here_[i]) function(level_->copy().range().at(i));
  }
  /// Returns, by id, the oldest tick that is known of a shown entity whose past is kept; `none` for others.
  [[nodiscard]] std::span<const ecs::Tick> oldest_ticks() const { return oldest_; }
  /// Returns, by id, the index of the shown entity; `none` without.
  [[nodiscard]] std::span<const std::uint32_t> shown_indices() const { return shown_; }
  [[nodiscard]] const Known& known(std::uint32_t id) const { return known_[id]; }
  /// Forgets states of an id that pictures from a moment on do not need. Returns the tick of the earlier state then.
  ecs::Tick forget_before(std::uint32_t id, double moment);
  /// Notes the moment of an accepted view. Later ones are not before it.
  void note_view(double moment) { moment_ = moment; }
  /// Returns the size of the memory that depends on entities, in bytes.
  [[nodiscard]] std::size_t bytes() const;

 private:
  // A mirror keeps 64. In another order of arrivals it may have fewer new ones, and so older ones.
  static constexpr std::size_t stale_max = 256;
  static constexpr std::uint32_t any_generation = 0;

  // A delta that the client has received between two commands.
  struct Arrival {
    std::uint32_t sequence;
    ecs::Tick tick;
    bool late;  // behind a newer one
  };

  [[nodiscard]] bool has(const wire::SeenDeltas& seen, std::uint32_t sequence) const;
  core::Status check(const wire::SeenDeltas& seen, std::uint32_t settled) const;
  void apply(std::uint32_t sequence);
  void apply_delta(const Carried& entry, ecs::Tick tick);
  void apply_full(const Carried& entry, const Arrival& arrival);
  void apply_lost(const Carried& entry, const Arrival& arrival);
  void begin_phase(Known& known, const Carried& entry);
  void replace(Known& known, const Carried& entry);
  void bring_in(std::uint32_t id);
  void hide(std::uint32_t id);
  [[nodiscard]] bool is_unordered(const Known& known, const Arrival& arrival) const;
  void note_arrival(Known& known, const Arrival& arrival, bool depends);
  void note_oldest(std::uint32_t id);
  void set_stale(ecs::Entity entity);
  void end_loaded(ecs::Entity entity, bool destroyed);
  [[nodiscard]] bool may_show(const Carried& entry, const Arrival& arrival) const;
  [[nodiscard]] bool ended_since(ecs::Entity entity, ecs::Tick tick) const;
  void set_former(std::uint32_t id, ecs::Entity former);
  void drop_former(std::uint32_t id);
  [[nodiscard]] ecs::Tick tick_at(std::uint32_t index) const;
  [[nodiscard]] Known& at(std::uint32_t id);
  [[nodiscard]] PictureTicks* ticks(const Known& known) { return known.ticks != none ? &ticks_[known.ticks] : nullptr; }
  void take_ticks(Known& known);
  void free_ticks(Known& known);

  CarriedStates carried_;
  std::shared_ptr<const LevelOffer> level_;  // null if the client has no level
  std::vector<bool> here_;                   // by entity of the level: shown as the level has it
  std::vector<Known> known_;                 // by id
  wire::ShownIds ids_;                       // ids of shown entities
  wire::ShownIds former_ids_;                // by index: the first id of those whose former entity had it
  std::vector<std::uint32_t> shown_;         // by id: index of the shown entity, or none
  std::vector<ecs::Tick> oldest_;            // by id: oldest tick known; `none` without
  std::vector<PictureTicks> ticks_;
  std::vector<std::uint32_t> free_ticks_;
  std::vector<ecs::Entity> stale_;  // the oldest first; with any_generation, all that had the index
  std::uint32_t newest_ = 0;        // sequence of the newest delta applied
  ecs::Tick newest_tick_ = 0;
  ecs::Tick first_tick_ = 0;
  std::uint32_t interval_ = 1;  // between two commands
  double moment_ = 0;           // moment of the newest accepted view
};

}  // namespace mobula::server
