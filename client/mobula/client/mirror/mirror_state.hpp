// State of a mirror beneath its registry: former states of entities, as baselines of deltas, and the meaning of ids,
// prototypes and acknowledgements. Mirror alone changes it. Decoder, interpolation and verification
// read it.
#pragma once

#include <array>
#include <memory>
#include <mobula/client/mirror/entity_versions.hpp>
#include <mobula/client/mirror/mirrored_courses.hpp>
#include <mobula/ecs/registry.hpp>
#include <mobula/index/name_table.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/wire/delta.hpp>
#include <mobula/wire/level_copy.hpp>
#include <mobula/wire/schema_codecs.hpp>
#include <mobula/wire/shown_ids.hpp>
#include <vector>

namespace mobula::client {

using wire::ShownIds;

/// States of an entity from before it had its present components or owner. Pictures of their ticks show them.
struct FormerStates {
  ecs::PrototypeId prototype = ecs::empty_prototype;  ///< Held.
  bool owner = false;
  EntityVersions versions;
};

/// An entity that has, or had, an id.
struct MirroredEntity {
  ecs::Entity entity;  ///< Null if the id was never used, or if only the entity's end was received.
  ecs::PrototypeId prototype = ecs::empty_prototype;  ///< Held.
  bool owner = false;
  bool lost = false;  ///< Destroyed or out of view.
  bool destroyed = false;
  bool shown = false;          ///< Its newest state is the one in the registry.
  ecs::Tick first_tick = 0;    ///< Tick of its first state.
  ecs::Tick lost_tick = 0;     ///< States of earlier ticks are too late.
  std::uint32_t lost_ack = 0;  ///< First acknowledgement that covers its end.
  /// The entity that despawned; null if it was never received. Its older states are too late, under whichever id.
  ecs::Entity former;
  std::uint64_t hash = 0;
  EntityVersions versions;
  std::uint32_t courses = 0;                ///< Number of courses that its shown state follows.
  std::vector<FormerStates> former_states;  ///< The oldest first, at most former_states_max.

  static constexpr std::size_t former_states_max = 8;

  /// Returns the size of the courses that it follows, in words.
  [[nodiscard]] std::size_t course_words() const { return courses * MirroredCourses::entry_words; }
};

/// Whether a mirror has an entity that was in view at some tick of the server.
enum class Presence : std::uint8_t {
  in_view,
  removed,  ///< It was destroyed or went out of view since that tick.
  unknown,  ///< Nothing was received of it, or nothing since it was out of view.
};

struct MirrorState {
  // Acknowledgements that a delta can be encoded against: as many ticks as there can be deltas in flight, with 4
  // acknowledgements in each.
  static constexpr std::size_t acknowledged_kept = 4 * wire::ack_history;

  /// Content of the mirror when an acknowledgement was sent.
  struct Acknowledged {
    std::uint32_t ack = 0;
    ecs::Tick tick = 0;  ///< Tick of the newest delta.
    std::uint64_t hash = 0;
  };
  struct Level {
    std::unique_ptr<wire::LevelCopy> copy;  ///< Null without a level.
    ecs::Tick tick = 0;                     ///< Tick of its values.
    std::vector<bool> here;                 ///< By entity of its range: shown, and unmodified since it was loaded.
    std::vector<ecs::PrototypeId> prototypes;
  };

  MirrorState(std::shared_ptr<const reflect::Schema> schema_of_server, std::uint32_t limit)
      : schema(std::move(schema_of_server)),
        entities_max(limit),
        registry({.entities = {.recycling = ecs::Recycling::given, .entities_max = limit},
                  .pools = {.sparse_page_shift = ecs::SparseSet::no_pages}}),
        codecs(registry, *schema) {}

  /// Returns the record of a shown entity. Null for an entity of the level that is unmodified, and for others.
  [[nodiscard]] const MirroredEntity* find(ecs::Entity entity) const {
    const std::uint32_t id = shown.find(entity.index);
    return id != ShownIds::none && known[id].entity == entity ? &known[id] : nullptr;
  }
  /// Returns whether an entity is shown as the level has it, because nothing was received of it since.
  [[nodiscard]] bool is_as_loaded(ecs::Entity entity) const {
    return level.copy != nullptr && level.copy->contains(entity) &&
           level.here[entity.index - level.copy->range().first];
  }
  /// Returns the level's entity at an index. Null if there is no level or no such entity in it.
  [[nodiscard]] ecs::Entity level_entity(std::uint32_t index) const;
  /// Returns the tick of a shown entity's values; 0 for other entities.
  [[nodiscard]] ecs::Tick tick_of(ecs::Entity entity) const;
  /// Returns whether the mirror has an entity that was in view at tick `seen` of the server.
  [[nodiscard]] Presence presence(ecs::Entity entity, ecs::Tick seen) const;
  /// Returns whether the server lists an entity among those that move, in a delta encoded against acknowledgement
  /// `ack`.
  [[nodiscard]] bool is_moving(std::uint32_t id, std::uint32_t ack) const;
  /// Returns what the mirror held when it sent acknowledgement `ack`, or a later one in the same place.
  [[nodiscard]] const Acknowledged& at(std::uint32_t ack) const { return acknowledged[ack % acknowledged_kept]; }

  std::shared_ptr<const reflect::Schema> schema;
  std::uint32_t entities_max;
  index::NameTable names;
  ecs::Registry registry;
  mutable wire::SchemaCodecs codecs;                               // makes a codec when it is first needed
  std::vector<ecs::PrototypeId> prototypes{ecs::empty_prototype};  // by announced id; held
  std::vector<MirroredEntity> known;                               // by id
  ShownIds shown;
  ShownIds former;  // ids of lost entities, by the index of MirroredEntity::former
  Level level;
  std::array<Acknowledged, acknowledged_kept> acknowledged{};  // by acknowledgement
  std::uint32_t newest = 0;                                    // sequence of the newest delta
  ecs::Tick tick = 0;                                          // the newest delta's
};

}  // namespace mobula::client
