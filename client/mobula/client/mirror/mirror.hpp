// The server's world as this client may see it: a registry with the same handles, made without any compiled-in
// component type from the schema that the server sent. Every value in it is the server's quantised value of the
// entity's own tick.
//
// Beside the newest state of each entity, which is in the registry, it keeps the former ones that the server may still
// rest on. A delta that comes late is one more of these, and shown only of entities of which nothing newer was there.
// What goes out of view stays for a while, stale, and is destroyed when others need its place.
//
// Messages and deltas come from outside: each is applied whole or refused with a reason. What a server can make a
// mirror keep is bounded: wire::ids_max entities, state_words_max words of their states, states_max states of each;
// besides the level, which is a file.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <mobula/client/mirror/entity_versions.hpp>
#include <mobula/client/mirror/shown_ids.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/registry.hpp>
#include <mobula/index/name_table.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/wire/delta.hpp>
#include <mobula/wire/level_copy.hpp>
#include <mobula/wire/messages.hpp>
#include <mobula/wire/schema_codecs.hpp>
#include <vector>

namespace mobula::client {

// What deltas have done to the registry since the list was cleared. An entity may be in several, and more than once.
struct MirrorChanges {
  std::vector<ecs::Entity> appeared;  // also: back in view, made of other components
  std::vector<ecs::Entity> changed;
  std::vector<ecs::Entity> stale;  // out of view
  std::vector<ecs::Entity> destroyed;

  void clear();
};

class Mirror {
 public:
  static constexpr std::size_t stale_max = 64;  // out of view at a time: those that went longest ago go

  // What deltas may rest on: as many ticks as there may be deltas under way, with 4 acknowledgements in each.
  static constexpr std::size_t acknowledged_kept = 4 * wire::ack_history;

  // Reasons: those of registering the schema's components.
  static core::Result<std::unique_ptr<Mirror>> make(std::shared_ptr<const reflect::Schema> schema,
                                                    std::uint32_t entities_max);
  ~Mirror();
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;

  // Reasons: "name collision", "too many names".
  core::Status add_names(const wire::Names& names);
  // Reasons: "unknown component", "bad prototype", "too many prototypes", "too many pools".
  core::Status add_prototypes(const wire::Prototypes& prototypes);
  // The server's level, from a copy of one's own. Before the first delta. Reasons: those of wire::LevelCopy::make and
  // add_names; "other level".
  core::Status load_level(const wire::Level& message, std::shared_ptr<const resource::Resource> resource);
  // A delta that was not applied before, and its header. The next acknowledgement will tell the server of it.
  // Reasons: "malformed delta"; "too much to keep"; "too late", of one that comes after another, or rests on what is
  // long forgotten: it may be passed over. Nothing has changed then.
  core::Status apply(const wire::DeltaHeader& header, core::ByteView delta);
  // Acknowledgement number `ack` goes out: whatever was applied so far. Numbers rise.
  void acknowledged(std::uint32_t ack);
  // Whether the hash in a delta's header is that of what was acknowledged with the number it names. Nothing if that is
  // not known any more.
  [[nodiscard]] std::optional<bool> verify(const wire::DeltaHeader& header) const;

  // A component type's or instance's name as text.
  [[nodiscard]] const index::NameTable& names() const { return names_; }
  [[nodiscard]] const reflect::Schema& schema() const { return *schema_; }
  [[nodiscard]] ecs::Registry& registry() { return registry_; }
  [[nodiscard]] const ecs::Registry& registry() const { return registry_; }
  [[nodiscard]] MirrorChanges& changes() { return changes_; }
  // The tick of the newest delta.
  [[nodiscard]] ecs::Tick tick() const { return tick_; }
  // How many entities are in view, and the sum of their hashes (wire/entity_hash.hpp).
  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::uint64_t hash() const { return hash_; }
  // Of an entity in view: the tick of its values; 0 of others.
  [[nodiscard]] ecs::Tick tick_of(ecs::Entity entity) const;
  // Whether it is this client's own: then its owner_only fields are sent too.
  [[nodiscard]] bool is_owner(ecs::Entity entity) const {
    const Known* known = find(entity);
    return known != nullptr && known->owner;
  }
  // Whether it went out of view: its values are those of then.
  [[nodiscard]] bool is_stale(ecs::Entity entity) const;

  // Pictures will be of that tick and later ones (interpolation.hpp): what they lie between is kept from now on. Until
  // it is said nothing is kept for pictures.
  void set_view_tick(double tick) { shown_tick_ = static_cast<ecs::Tick>(std::clamp(tick, 0.0, 4e9)); }

  // Asserts that registry and states agree and every hash is right.
  void check();

 private:
  friend class DeltaDecoder;
  friend class Interpolation;
  friend class MirrorCheck;
  friend struct MirrorTamper;  // of tests

  // One that has, or had, an id.
  struct Known {
    ecs::Entity entity;  // null: the id was never used, or all that was heard of it is that it is gone
    ecs::PrototypeId prototype = ecs::empty_prototype;  // held
    bool owner = false;
    bool gone = false;
    bool destroyed = false;
    bool shown = false;          // its newest state is the one in the registry
    ecs::Tick appeared = 0;      // of its first state
    ecs::Tick gone_tick = 0;     // what is of an earlier tick comes too late
    std::uint32_t gone_ack = 0;  // the first acknowledgement that told the server so
    ecs::Entity left;         // when gone, who: what is older of it comes too late, by whichever id; null: unheard of
    std::uint32_t round = 0;  // the last that spoke of it
    std::uint64_t hash = 0;
    EntityVersions versions;
  };
  struct Entry;
  // By acknowledgement: what was there when it went out.
  struct Acknowledged {
    std::uint32_t ack = 0;
    ecs::Tick tick = 0;  // of the newest delta
    std::uint64_t hash = 0;
  };
  struct LoadedLevel {
    std::unique_ptr<wire::LevelCopy> copy;  // null: none
    ecs::Tick tick = 0;                     // of its values
    std::vector<bool> here;                 // by entity of its range: nothing was heard of it since
    std::vector<ecs::PrototypeId> prototypes;
  };
  static constexpr std::uint32_t rehashed_at_once = 4;
  static constexpr std::size_t late_margin = 8;  // so many deltas later others may come and still be of use
  static constexpr std::size_t state_words_max = std::size_t{32} << 20;

  Mirror(std::shared_ptr<const reflect::Schema> schema, std::uint32_t entities_max);

  [[nodiscard]] core::Status check_prototype(const wire::Prototype& prototype) const;
  core::Result<ecs::PrototypeId> intern(std::span<const index::ComponentRef> components);
  core::Status take_prototypes(const wire::Prototypes& message);

  [[nodiscard]] std::size_t words_to_come();
  [[nodiscard]] bool is_moving(std::uint32_t id, std::uint32_t ack, ecs::Tick newest) const;
  void apply(const Entry& entry, const wire::DeltaHeader& header);
  void apply_gone(const Entry& entry, ecs::Tick tick);
  void take_over_id(const Entry& entry, std::uint32_t ack);
  // Whether it is of the level, and nothing was heard of it since.
  [[nodiscard]] bool is_as_loaded(ecs::Entity entity) const {
    return level_.copy != nullptr && level_.copy->contains(entity) &&
           level_.here[entity.index - level_.copy->range().first];
  }
  core::Status intern_level();
  void show_loaded(ecs::Entity entity);
  void end_loaded(ecs::Entity entity, bool destroyed);
  void bring_in(Known& known);
  void show(const Entry& entry, Known& known);
  void recompose(ecs::Entity entity, ecs::PrototypeId prototype);
  void hide(Known& known);
  void destroy(ecs::Entity entity);
  void set_stale(ecs::Entity entity);
  [[nodiscard]] std::uint64_t hash_of(const Known& known) {
    return codecs_.hash(known.entity, known.prototype, known.versions.newest().words, known.owner);
  }
  // Of what is there now, whatever was computed when it came.
  void rehash(Known& known);
  void rehash_some();
  void rehash_all();
  // What the server has never heard of, unless it has changed since that tick. False: it has, or is not there.
  bool drop(bool of_level, std::uint32_t place, ecs::Entity entity, ecs::Tick tick);
  [[nodiscard]] bool shows_newest(const Known& known);
  [[nodiscard]] const Known* find(ecs::Entity entity) const;

  std::shared_ptr<const reflect::Schema> schema_;
  std::uint32_t entities_max_;
  index::NameTable names_;
  ecs::Registry registry_;
  mutable wire::SchemaCodecs codecs_;         // made when first asked for
  std::vector<ecs::PrototypeId> prototypes_;  // by the id they were announced under; held
  std::vector<Known> known_;                  // by id
  ShownIds shown_;
  LoadedLevel level_;
  std::deque<ecs::Entity> stale_;  // the oldest first
  MirrorChanges changes_;
  std::array<Acknowledged, acknowledged_kept> acknowledged_{};  // by ack
  std::array<std::uint32_t, late_margin> rests_on_{};           // the acknowledgements that the last deltas rest on
  std::uint32_t floor_ = 0;  // deltas that rest on earlier acknowledgements come too late
  std::uint32_t next_ack_ = 1;
  std::uint32_t newest_ = 0;         // sequence
  std::uint32_t next_rehashed_ = 0;  // id
  ecs::Tick shown_tick_ = ~0u;
  ecs::Tick tick_ = 0;
  std::uint64_t hash_ = 0;
  std::uint32_t size_ = 0;
  std::size_t state_words_ = 0;  // of all versions
  // Of the delta under way.
  std::uint32_t round_ = 0;  // counts them
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> words_;
  std::vector<std::byte> values_;
  std::vector<std::uint32_t>
      before_;  // what an entity was, before it became what it is; empty: nothing it can be compared with
};

}  // namespace mobula::client
