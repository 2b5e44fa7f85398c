// The server's world as this client may see it: a registry with the same entity handles. It needs no compiled-in
// component types: they come from the schema that the server sent. Every state is the server's published state at the
// entity's own tick. Values of fields with dead_reckoning are those of the state at the mirror's tick
// (wire/course.hpp).
//
// The registry holds the newest state of each entity. Beside it the mirror keeps the former states that the server may
// still encode deltas against. A late delta adds one more of these; it is shown only if nothing newer of the entity was
// received. An entity that goes out of view stays for a while, stale, and is destroyed when others need its place.
//
// Messages and deltas are untrusted input: each is applied completely, or refused with a reason and without effect.
// The memory that a server can use is bounded: wire::ids_max entities, states_max states of each, stale_max entities
// out of view. All states and courses have at most state_words_max words. The level is not counted, as it is a file.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <mobula/client/mirror/delta_decoder.hpp>
#include <mobula/client/mirror/mirror_changes.hpp>
#include <mobula/client/mirror/mirror_state.hpp>
#include <mobula/client/mirror/received_bodies.hpp>
#include <mobula/client/mirror/stale_entities.hpp>
#include <mobula/core/result.hpp>
#include <mobula/wire/messages.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace mobula::client {

class Mirror {
 public:
  /// Most stale entities at a time. The one that has been out of view longest is destroyed first.
  static constexpr std::size_t stale_max = StaleEntities::max;
  /// Most ticks after its loss in which a stale entity continues its courses. Then it stands still.
  static constexpr ecs::Tick stale_course_ticks_max = StaleCourses::ticks_max;
  /// Acknowledgements that deltas can be encoded against.
  static constexpr std::size_t acknowledged_kept = MirrorState::acknowledged_kept;

  /// Makes an empty mirror. `former`, if not null, is one that it may continue: pools get the same ids. Reasons: those
  /// of registering the schema's components.
  static core::Result<std::unique_ptr<Mirror>> make(std::shared_ptr<const reflect::Schema> schema,
                                                    std::uint32_t entities_max, const Mirror* former = nullptr);
  ~Mirror();
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;

  /// Adds names of component instances. Reasons: "name collision", "too many names".
  core::Status add_names(const wire::Names& names);
  /// Adds or replaces announced prototypes. Reasons: "unknown component", "bad prototype", "too many prototypes", "too
  /// many pools".
  core::Status add_prototypes(const wire::Prototypes& prototypes);
  /// Loads the server's level from this client's copy, before the first delta. Reasons: those of wire::LevelCopy::make
  /// and add_names; "other level".
  core::Status load_level(const wire::Level& message, std::shared_ptr<const resource::Resource> resource);
  /// Adds a part of a delta's body. Reasons: "malformed delta".
  core::Status add_body(wire::DeltaBody&& part) { return bodies_.add(std::move(part)); }
  [[nodiscard]] const ReceivedBodies& bodies() const { return bodies_; }
  /// Applies a delta that was not applied before; `header` is its decoded header. The next acknowledgement covers it.
  /// Reasons: "malformed delta", "too much to keep", "too late". A delta that is too late may be skipped. It arrived
  /// after a newer one, is encoded against a forgotten acknowledgement, or has a body that is not here.
  core::Status apply(const wire::DeltaHeader& header, core::ByteView delta);
  /// Notes that acknowledgement `ack` is sent, which covers all deltas applied so far. Numbers increase.
  void acknowledged(std::uint32_t ack);
  /// Returns whether the hash in a delta's header equals the mirror's hash at the acknowledgement it names. Nothing if
  /// the header has no hash or the acknowledgement is forgotten.
  [[nodiscard]] std::optional<bool> verify(const wire::DeltaHeader& header) const;

  /// Names of component types and instances as text.
  [[nodiscard]] const index::NameTable& names() const { return state_.names; }
  [[nodiscard]] const reflect::Schema& schema() const { return *state_.schema; }
  [[nodiscard]] ecs::Registry& registry() { return state_.registry; }
  [[nodiscard]] const ecs::Registry& registry() const { return state_.registry; }
  /// Returns what changed in the registry before the last hand_out_changes() and after the one before, in order.
  [[nodiscard]] std::span<const Change> changes() const { return changes_.list(); }
  /// Hands out the changes that were made since the last call. Connection::update does so.
  void hand_out_changes() { changes_.hand_out(); }
  /// Continues another mirror of the same entities, such as that of a neighbouring zone. The next hand-out has what
  /// `former` has not handed out, and then the differences between both. Returns false if its pools have other ids:
  /// then the hand-out lists all entities as spawned.
  bool continue_from(const Mirror& former);
  /// Returns the tick of the newest delta.
  [[nodiscard]] ecs::Tick tick() const { return state_.tick; }
  /// Returns the number of entities in view.
  [[nodiscard]] std::uint32_t size() const { return size_; }
  /// Returns the sum of the hashes of all entities in view (wire/entity_hash.hpp).
  [[nodiscard]] std::uint64_t hash() const { return hash_; }
  /// Returns the tick of the newest state of an entity in view; 0 for other entities. Its values are of that tick, but
  /// those of fields with dead_reckoning are of tick().
  [[nodiscard]] ecs::Tick tick_of(ecs::Entity entity) const { return state_.tick_of(entity); }
  /// Returns whether the mirror has an entity that was in view at tick `seen` of the server, such as that of an event.
  [[nodiscard]] Presence presence(ecs::Entity entity, ecs::Tick seen) const { return state_.presence(entity, seen); }
  /// Returns whether an entity is this client's own. Its owner_only fields are sent too.
  [[nodiscard]] bool is_owner(ecs::Entity entity) const {
    const MirroredEntity* known = state_.find(entity);
    return known != nullptr && known->owner;
  }
  /// Returns whether an entity is out of view. Its values are the last seen, or continue their courses for a while.
  [[nodiscard]] bool is_stale(ecs::Entity entity) const { return stale_.contains(entity); }
  /// Returns the entities that are out of view.
  [[nodiscard]] const StaleEntities& stale() const { return stale_; }

  /// Sets the earliest moment that pictures will show (interpolation.hpp), in ticks. From now on the mirror keeps the
  /// states around that moment and later ones. Before the first call it keeps none for pictures.
  void set_view_tick(double tick) { shown_tick_ = static_cast<ecs::Tick>(std::clamp(tick, 0.0, 4e9)); }

  // For interpolation and verification.

  /// States beneath the registry.
  [[nodiscard]] const MirrorState& state() const { return state_; }
  /// Computes all hashes again, whatever was computed when the states were received.
  void rehash_all();
  /// Destroys an entity that the server does not know, if its newest state is of `tick`. `place` is its id, or its
  /// index if it is of the level. Returns false if it has changed since, or is not there.
  bool drop(bool of_level, std::uint32_t place, ecs::Entity entity, ecs::Tick tick);

  /// Asserts that registry and states agree and that every hash is right.
  void check();

 private:
  friend struct MirrorTamper;  // used by tests

  static constexpr std::uint32_t rehashed_at_once = 4;
  static constexpr std::size_t late_margin = 8;  // newer deltas after which a late one is still of use
  static constexpr std::size_t state_words_max = std::size_t{32} << 20;

  Mirror(std::shared_ptr<const reflect::Schema> schema, std::uint32_t entities_max);

  [[nodiscard]] core::Status check_prototype(const wire::Prototype& prototype) const;
  core::Result<ecs::PrototypeId> intern(std::span<const index::ComponentRef> components);
  core::Status intern_prototypes(const wire::Prototypes& message);
  core::Status intern_level();
  void show_loaded(ecs::Entity entity);
  void end_loaded(ecs::Entity entity, bool destroyed);

  [[nodiscard]] std::size_t words_to_come() const;
  void apply(const DeltaEntry& entry, const wire::DeltaHeader& header);
  void apply_lost(const DeltaEntry& entry, ecs::Tick tick);
  void assign_id(const DeltaEntry& entry, const wire::DeltaHeader& header);
  void keep_former(MirroredEntity& known, ecs::Tick next);
  void keep_loaded(MirroredEntity& known, ecs::Entity entity, ecs::Tick next);
  void add_former(MirroredEntity& known, FormerStates former);
  void drop_former(MirroredEntity& known, std::size_t count);
  void prune_former(MirroredEntity& known);
  void replace_entity(MirroredEntity& known, ecs::Entity entity, const wire::DeltaHeader& header);
  [[nodiscard]] bool has_pools_of(const Mirror& former) const;
  void add_difference(ecs::Entity entity, const Mirror& former);
  bool bring_in(MirroredEntity& known, bool other_owner);
  void show(const DeltaEntry& entry, MirroredEntity& known, bool other_owner);
  void show_values(const DeltaEntry& entry, ecs::Entity entity, bool lists);
  void note_courses(MirroredEntity& known);
  void drop_courses(MirroredEntity& known);
  bool recompose(ecs::Entity entity, ecs::PrototypeId prototype);
  void hide(MirroredEntity& known);
  void note_former(std::uint32_t id);
  void forget_former(std::uint32_t id);
  void destroy(ecs::Entity entity);
  void set_stale(ecs::Entity entity, StaleCourses courses = {});
  [[nodiscard]] StaleCourses courses_of(const MirroredEntity& known, ecs::Tick lost) const;
  void follow_stale();
  [[nodiscard]] std::uint64_t hash_of(const MirroredEntity& known) const {
    return state_.codecs.hash(known.entity, known.prototype, known.versions.newest().words, known.owner);
  }
  [[nodiscard]] std::uint32_t id_of(const MirroredEntity& known) const {
    return static_cast<std::uint32_t>(&known - state_.known.data());
  }
  void rehash(MirroredEntity& known);
  void rehash_some();
  [[nodiscard]] bool shows_newest(const MirroredEntity& known) const;
  [[nodiscard]] bool shows_courses(const MirroredEntity& known, ecs::PoolId pool, const std::uint32_t* words) const;

  MirrorState state_;
  ReceivedBodies bodies_;
  DecodedDelta delta_;  // being applied
  StaleEntities stale_;
  MirrorChanges changes_;
  std::array<std::uint32_t, late_margin> baselines_{};  // acknowledgements that the last deltas are encoded against
  std::uint32_t floor_ = 0;  // deltas that are encoded against an earlier acknowledgement are too late
  std::uint32_t next_ack_ = 1;
  std::uint32_t next_rehashed_ = 0;  // id
  ecs::Tick shown_tick_ = ~0u;
  std::uint64_t hash_ = 0;
  std::uint32_t size_ = 0;
  std::size_t state_words_ = 0;        // all versions and courses of entities in view
  std::size_t former_states_ = 0;      // all entities together
  MirroredCourses courses_;            // those of shown states
  std::vector<std::uint32_t> before_;  // words of an entity before its change; empty if they cannot be compared
};

}  // namespace mobula::client
