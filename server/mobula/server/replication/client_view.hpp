// One client's view of the world: the entities visible to it, the states that it has of each, the deltas in flight, and
// pending changes.
//
// A visible entity has an id, a small number of this client's own. The states that the client has are known by the
// ticks that it acknowledged. The newest is the baseline, older ones are bits of a mask. Deltas are encoded against
// these states alone, never against those in flight. Lost data is sent again with its current values.
//
//   id       free -> visible -> destroyed or out of view -> free, once the client has acknowledged that it lost it
//   large    a state that does not fit a datagram is frozen and sent ahead (delta_bodies.hpp); its entity waits
//   pending  full state: the client has nothing of it, its composition has changed, or the value log has no baseline
//            delta: it differs from the state that was sent last, or that delta was lost
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <mobula/core/bit_set.hpp>
#include <mobula/core/prefetch.hpp>
#include <mobula/server/interest/relevance.hpp>
#include <mobula/server/replication/announced_prototypes.hpp>
#include <mobula/server/replication/component_bytes.hpp>
#include <mobula/server/replication/delta_bodies.hpp>
#include <mobula/server/replication/encoded_delta_cache.hpp>
#include <mobula/server/replication/level_offer.hpp>
#include <mobula/server/replication/sent_deltas.hpp>
#include <mobula/server/replication/shadow_mirror.hpp>
#include <mobula/server/replication/view_workspace.hpp>
#include <mobula/wire/delta.hpp>
#include <mobula/wire/messages.hpp>
#include <span>
#include <vector>

namespace mobula::server {

/// View of one client.
class ClientView {
 public:
  /// Makes an empty view. The references must outlive it; views of one thread share a workspace. With `verifies` its
  /// deltas carry the hash of what the client has.
  ClientView(Published& published, EncodedDeltaCache& cache, ViewWorkspace& workspace, bool verifies);
  /// Declares that the client has the level as the offer's current message describes it. To be called before any entity
  /// is visible. The client has all unmodified entities; these take no id until something about them changes.
  void begin_with_level(std::shared_ptr<const LevelOffer> level);

  /// Makes an entity visible. Entities that are destroyed lose visibility on their own.
  ///
  /// Returns false if that must wait. Either the client has not yet acknowledged that it lost the level's entity at
  /// this index, or no id is free. The client then lacks something, and no delta is complete until the next
  /// publication.
  bool add_visible(std::uint32_t index, bool owner);
  /// Takes entities out of view. `indices` are in the order of visible(). The client continues the courses of those
  /// that are also in `continuing`, in the same order.
  void remove_visible(std::span<const std::uint32_t> indices, std::span<const std::uint32_t> continuing = {});
  /// Updates whether the client owns the entities visible to it, by is_owner(index).
  template <class IsOwner>
  void update_owners(IsOwner&& is_owner) {
    for (std::uint32_t id = 0; id < visible_.size(); ++id)
      if (visible_[id] != none) set_owner(id, is_owner(visible_[id]));
  }
  /// Returns the indices of the visible entities, without duplicates. Valid until the next call for any view of the
  /// same workspace.
  [[nodiscard]] std::span<const std::uint32_t> visible();
  /// Returns whether the entity is visible, or was when it was destroyed and the client has not acknowledged that yet.
  /// An entity that was destroyed before it was sent counts until the next call of note_published().
  [[nodiscard]] bool is_visible(ecs::Entity entity) const;
  /// Returns whether the client has the entity as the level has it, in view or not.
  [[nodiscard]] bool has_unmodified(ecs::Entity entity) const;

  /// Marks entities that changed as pending, and removes those that were destroyed. To be called after each
  /// publication, before add_visible(). True if an entity of the level became visible without add_visible().
  bool note_published();

  /// Processes an acknowledgement. Late and repeated ones have no effect. Errors: "acknowledges the future".
  core::Status acknowledge(const wire::InputDatagram& input);

  /// Selects which pending entities are sent now, up to about `bytes_max` bytes, and always at least one. Those that
  /// the client is to lose go first. The priority of the others is the waiting time times
  /// counted_priority(importance(index)). A parent that the client has nothing of goes before the entities below it.
  /// All deltas must be written before another view of the same workspace calls choose().
  template <class Importance>
  void choose(ecs::Tick tick, std::size_t bytes_max, Importance&& importance) {
    overflowed_ = overflowed_ || has_chosen();
    work_.user = this;
    work_.candidates.clear();
    bytes_max_ = bytes_max;
    if (may_carry()) find_candidates();
    ranked_ = expected_bytes() > bytes_max;
    if (ranked_) {
      rank(tick, importance);
      keep_most_important(std::max<std::size_t>(bytes_max * 8 / expected_bits_min, 1));
    }
    chosen_ = work_.candidates.size();
    written_ = 0;
    listed_ = false;
  }
  /// Writes a delta with some of the chosen entities. Returns its size in bytes. Without pending entities the delta is
  /// empty and still carries the tick. `commands` are left out once the client is known to have them.
  ///
  /// If too many deltas are unsettled, the last one is repeated, empty. Its acknowledgement settles all of them, even
  /// when whole windows were lost.
  ///
  /// The deltas of a tick have at most `delta_bytes_max`, which is what the path carries.
  std::size_t write_delta(core::MutableBytes datagram, ecs::Tick tick, const wire::CommandFeedback& commands,
                          std::size_t delta_bytes_max = wire::delta_bytes_max);
  /// Writes a delta for an entity that does not fit a delta and whose body the client has. Returns its size in
  /// bytes; 0 if there is none.
  std::size_t write_announcement(core::MutableBytes datagram, const wire::CommandFeedback& commands);
  /// Returns the bodies under way to the client. Null before there was one.
  [[nodiscard]] DeltaBodies* bodies() { return bodies_.get(); }
  /// Returns whether a chosen entity has not been written yet.
  [[nodiscard]] bool has_chosen() const { return written_ < chosen_; }
  /// Sets whether the client may lack the last ResourceOffer. No delta is complete meanwhile.
  void set_lacks_offer(bool lacks) { lacks_offer_ = lacks; }
  /// Returns whether the client lacks anything, chosen or not.
  [[nodiscard]] bool has_pending() const { return pending_ > 0 || (bodies_ != nullptr && bodies_->any_unannounced()); }

  /// Compares the hashes of a client's mirror with the states it should have. Appends a correction for each wrong
  /// entity and sends its full state anew. Skips entities whose change the client may not have received yet. Requires
  /// verifies().
  void compare(const wire::MirrorHashes& reported, std::vector<wire::MirrorCorrection>& corrections);
  [[nodiscard]] bool verifies() const { return verifies_; }

  /// Returns what the client had when it gave its last command that was rewound. Null unless the past is kept.
  [[nodiscard]] ShadowMirror* shadow() { return shadow_.get(); }
  /// Returns the sequence up to which the fate of all deltas is known.
  [[nodiscard]] std::uint32_t settled() const { return sent_.settled(); }

  /// Returns the client's prototypes. Those that deltas wait for are wanted.
  [[nodiscard]] AnnouncedPrototypes& prototypes() { return prototypes_; }
  /// Forgets prototypes that no longer exist and that nothing published has.
  void forget(std::span<const ecs::PrototypeId> prototypes) { prototypes_.forget(prototypes, sent_.last()); }

  /// Counts from now on how many bytes each component takes in deltas, which costs about as much as writing them. Null
  /// stops it.
  void measure(std::unique_ptr<ComponentBytes> sent) { measured_ = std::move(sent); }
  /// Returns the counts. Null if nothing is measured.
  [[nodiscard]] ComponentBytes* measured() const { return measured_.get(); }
  /// Returns the number of entities that differ from what was sent last.
  [[nodiscard]] std::size_t pending() const { return pending_; }
  /// Returns the sum of the hashes of the states that the client has acknowledged. Requires verifies().
  [[nodiscard]] std::uint64_t acknowledged_hash() const { return hash_; }
  /// Returns the tick of the last state sent of a visible entity. 0 if none was.
  [[nodiscard]] ecs::Tick sent_tick(std::uint32_t index) const { return slots_[find(index)].sent; }
  /// Returns the tick of the last delta. 0 if there is none.
  [[nodiscard]] ecs::Tick last_delta_tick() const { return last_delta_tick_; }
  [[nodiscard]] std::uint32_t unsettled() const { return sent_.unsettled(); }
  /// Returns the sequence of the last delta. 0 if there is none.
  [[nodiscard]] std::uint32_t last_sequence() const { return sent_.last(); }
  /// Prefetches the view, and its slots; the slots' addresses are in the view, which must have arrived.
  void prefetch() const { core::prefetch_for_write(this, sizeof(*this) - sizeof(sent_) + 64); }
  void prefetch_slots() const {
    core::prefetch_for_write(visible_.data(), visible_.size() * sizeof(std::uint32_t));
    core::prefetch_for_write(slots_.data(), slots_.size() * sizeof(Slot));
  }
  /// Asserts the invariants that hold between any two calls.
  void check() const;

 private:
  enum class State : std::uint8_t { free, visible, destroyed, out_of_view };
  static constexpr std::uint32_t none = ~0u;
  // Expected size of an encoded delta that has not been made yet, at least.
  static constexpr std::size_t expected_bits_min = 48;
  static constexpr std::size_t unsent_kept_max = 64;  // capacity that outlasts a burst
  // Data that is accessed in each tick in which the entity changes: 24 bytes.
  struct Slot {
    std::uint32_t index = 0;
    ecs::Tick baseline = 0;            // 0 if the client has nothing of it
    std::uint32_t older = 0;           // bit n: the client has the state of tick baseline - 1 - n
    ecs::Tick sent = 0;                // tick of the last state sent; 0 if none was
    std::uint32_t first_sequence = 0;  // first delta that may carry this entity
    State state = State::free;
    bool owner = false;
    bool of_level : 1 = false;  // the client has no other state than the level's
    bool was_reset : 1 = false;
    bool continues : 1 = false;  // out of view: the client continues its courses
  };
  // Other data, by id too.
  struct Life {
    std::uint32_t generation = 0;
    ecs::Tick full = 0;   // newest full state that the client has: older states are no baselines
    ecs::Tick had = 0;    // tick in which it was sent, later than `full` if it did not fit a datagram
    ecs::Tick reset = 0;  // states before it are no baselines: the owner changed, or they were wrong
  };
  using Candidate = ViewWorkspace::Candidate;
  using Item = ViewWorkspace::Item;
  using List = ViewWorkspace::List;

  std::uint32_t take_id();
  std::uint32_t take_slot(std::uint32_t index, std::uint32_t generation);
  std::uint32_t take_level_slot(std::uint32_t index);
  std::uint32_t take_unmodified_slot(std::uint32_t index);
  bool note_modified();
  void note_pending(std::uint32_t id) {
    if (pending_ids_.contains(id)) return;
    pending_ids_.insert(id);
    ++pending_;
  }
  void clear_pending(std::uint32_t id) {
    if (!pending_ids_.contains(id)) return;
    pending_ids_.erase(id);
    --pending_;
  }
  void begin_removal(std::uint32_t id, State state);
  void free_id(std::uint32_t id);
  void set_owner(std::uint32_t id, bool owner);
  [[nodiscard]] std::uint32_t find(std::uint32_t index) const;
  [[nodiscard]] bool is_alive(std::uint32_t id) const;
  [[nodiscard]] ecs::Tick reset_of(std::uint32_t id) const { return slots_[id].was_reset ? lives_[id].reset : 0; }

  [[nodiscard]] bool is_of_former_entity(std::uint32_t sequence, std::uint32_t id) const;
  void handle_received(const SentDeltas::Delta& delta);
  void handle_received_late(std::uint32_t id, ecs::Tick tick, bool full);
  void handle_missing(const SentDeltas::Delta& delta);

  void trim_moving();
  void find_candidates();
  [[nodiscard]] std::size_t expected_bytes() const { return work_.candidates.size() * expected_bits_ / 8; }
  [[nodiscard]] float waiting(std::uint32_t id, ecs::Tick tick) const;
  // Removals have no priority that a change could exceed: they take few bits, and they free an id.
  template <class Importance>
  void rank(ecs::Tick tick, Importance&& importance) {
    for (Candidate& each : work_.candidates) {
      const Slot& slot = slots_[each.id];
      each.priority = slot.state == State::visible ? waiting(each.id, tick) * counted_priority(importance(slot.index))
                                                   : std::numeric_limits<float>::infinity();
    }
    if (work_.parents != nullptr && work_.parents->count() > 0) raise_parents();
  }
  void raise_parents();
  void keep_most_important(std::size_t count);
  struct ListedSize;
  void make_lists();
  void fit_lists(ecs::Tick tick);
  [[nodiscard]] ListedSize listed_size() const;
  [[nodiscard]] std::size_t count_unfit(std::size_t datagrams, std::size_t room);
  void list_full(std::uint32_t id, EncodedDeltaCache::EncodedDelta bits);
  [[nodiscard]] bool is_under_way(std::uint32_t id);
  [[nodiscard]] bool is_current(const DeltaBodies::Body& body) const;
  void begin_bodies(ecs::Tick tick);
  void freeze(const Item& item, DeltaBodies::Body& body);
  void cancel_body(std::uint32_t id) {
    if (bodies_ != nullptr) bodies_->cancel(id);
  }
  // The last delta of a window carries nothing.
  [[nodiscard]] bool may_carry() const { return sent_.unsettled() + 1 < SentDeltas::window_max; }
  [[nodiscard]] EncodedDeltaCache::EncodedDelta delta_of(std::uint32_t id) const;
  void list_removal_or_full(std::uint32_t id);

  struct Plan;
  class RunBits;
  [[nodiscard]] Plan plan(std::size_t room) const;
  [[nodiscard]] std::size_t bits_for_entries(std::size_t datagram_bytes) const;
  // An acknowledgement that covers no delta may have been sent before the level arrived.
  [[nodiscard]] bool carries_hash() const { return verifies_ && newest_tick_ != 0; }
  [[nodiscard]] wire::CommandFeedback feedback_to_send(const wire::CommandFeedback& commands);
  // Whether the value log has the early baselines of moving entities. Without them these would be sent in full.
  [[nodiscard]] bool has_early_baselines() const {
    constexpr ecs::Tick before = wire::moving_age_max + wire::early_baseline_age_max;
    return published_.remembers(newest_tick_ - std::min(newest_tick_, before));
  }
  // Whether the client can complete the numbers of a delta of this tick from their low 16 bits. The tick of a body may
  // be long before that of the newest delta.
  [[nodiscard]] bool can_shorten(ecs::Tick now, ecs::Tick tick) const {
    return newest_tick_ != 0 && now - newest_tick_ <= wire::short_numbers_ticks_max &&
           newest_tick_ - std::min(newest_tick_, tick) <= wire::short_numbers_ticks_max;
  }
  void write_list(List& list, std::size_t count, SentDeltas::Kind kind, core::BitWriter& bits, ecs::Tick tick);
  void write_moving(std::size_t count, core::BitWriter& bits, ecs::Tick tick);
  void write_gained(std::uint32_t id, core::BitWriter& bits);
  [[nodiscard]] bool any_continues(std::size_t lost) const;
  void write_lost(const Slot& slot, bool any_continues, core::BitWriter& bits) const;
  [[nodiscard]] BaselineTicks baselines_of(const Slot& slot) const {
    BaselineTicks ticks{.baseline = slot.baseline};
    if (slot.older == 0) return ticks;
    const std::uint32_t near = slot.older & ((1u << wire::early_baseline_age_max) - 1);
    ticks.previous = slot.baseline - 1 - static_cast<ecs::Tick>(std::countr_zero(slot.older));
    if (uses_early_ && (near & (near - 1)) != 0)
      ticks.early = slot.baseline - static_cast<ecs::Tick>(std::bit_width(near));
    return ticks;
  }
  void measure_item(std::uint32_t id, SentDeltas::Kind kind);
  void begin_delta(ecs::Tick tick);
  // Notes for the shadow what the last delta carries.
  void carry(std::uint32_t id, SentDeltas::Kind kind);
  // Returns the hash of what was sent.
  std::uint64_t note_sent(std::uint32_t id, ecs::Tick tick);

  [[nodiscard]] bool matches_level(std::uint32_t index) const;
  // Whether the client should have it as the level has it, without an id.
  [[nodiscard]] bool has_unmodified(std::uint32_t index) const;
  [[nodiscard]] std::vector<bool> level_entities_by_id() const;
  [[nodiscard]] bool is_resent(std::uint32_t index) const {
    return !resent_.empty() && resent_[index - level_->copy().range().first];
  }
  [[nodiscard]] bool is_encoded_against_level(const Slot& slot) const;
  static bool is_removed_from_level(const Slot& slot) {
    return slot.of_level && (slot.state == State::destroyed || slot.state == State::out_of_view);
  }

  void compare_ids(const wire::MirrorHashes& reported, std::vector<wire::MirrorCorrection>& corrections);
  void compare_level(const wire::MirrorHashes& reported, std::vector<wire::MirrorCorrection>& corrections);
  [[nodiscard]] bool differs(std::uint32_t id, const wire::MirrorHash& reported);
  [[nodiscard]] wire::MirrorCorrection correct(std::uint32_t id, ecs::Tick tick, wire::MirrorFault fault);
  [[nodiscard]] std::vector<std::uint32_t> words_for_client(const Slot& slot, ecs::Tick tick);
  void resend(std::uint32_t id);
  // Returns whether the client lacks nothing beyond the deltas that it is sent.
  [[nodiscard]] bool is_complete() const { return !has_pending() && !has_waiting_ && !lacks_offer_; }

  Published& published_;
  EncodedDeltaCache& cache_;
  ViewWorkspace& work_;
  std::shared_ptr<const LevelOffer> level_;  // null if the client has no level
  std::size_t modified_seen_ = 0;
  std::unique_ptr<DeltaBodies> bodies_;  // null before an entity did not fit a datagram
  std::unique_ptr<ComponentBytes> measured_;
  std::unique_ptr<ShadowMirror> shadow_;  // null unless the past is kept
  std::vector<bool> resent_;            // by entity of the level: unmodified, but has an id all the same; may be empty
  std::vector<std::uint32_t> words_;    // scratch: words of one entity
  std::vector<ecs::Entity> unsent_;     // destroyed in the last publication, before they were sent
  std::vector<std::uint32_t> visible_;  // by id: index of the visible entity, or none
  std::vector<Slot> slots_;             // by id
  std::vector<Life> lives_;             // by id
  std::vector<std::uint64_t> hashes_;   // by id: hash of the baseline; empty without verifies_
  ecs::Tick last_delta_tick_ = 0;
  std::size_t chosen_ = 0;
  std::size_t written_ = 0;
  std::size_t bytes_max_ = 0;                        // budget of the tick
  std::size_t delta_bytes_ = wire::delta_bytes_max;  // limit of each delta of this tick, without outcomes
  std::size_t expected_bits_ = expected_bits_min;    // mean of the last tick's deltas, or the least
  bool ranked_ = false;                              // the candidates have priorities
  bool overflowed_ = false;                          // entities chosen in the last tick did not fit its datagrams
  bool listed_ = true;                               // the chosen entities are in the lists
  bool has_waiting_ = false;                         // an entity could not become visible yet
  bool lacks_offer_ = false;                         // the client may lack the last ResourceOffer
  core::BitSet pending_ids_;
  core::BitSet moving_ids_;  // baseline at most wire::moving_age_max old; may contain older ones
  ecs::Tick noted_ = 0;      // last change that was noted
  std::size_t pending_ = 0;
  std::size_t removed_from_level_ = 0;  // number of slots
  std::uint32_t used_ids_ = 0;
  AnnouncedPrototypes prototypes_;
  ecs::Tick newest_tick_ = 0;  // newest of all deltas that the client has received
  std::uint32_t last_ack_ = 0;
  wire::CommandFeedback feedback_{};     // newest state of the client's commands
  std::uint32_t feedback_sequence_ = 0;  // first delta that may carry it
  bool feedback_received_ = true;        // the client has it
  // The client knows the outcomes of commands up to `known_done_`. Once it has a delta from `outcomes_sequence_` on, it
  // knows those up to `outcomes_done_`. The sequence is 0 while no delta is awaited.
  std::uint32_t known_done_ = 0;
  std::uint32_t outcomes_done_ = 0;
  std::uint32_t outcomes_sequence_ = 0;
  bool uses_early_ = true;         // deltas of this tick may be encoded against early baselines
  std::uint32_t lowest_free_ = 0;  // no lower id is free
  std::uint64_t hash_ = 0;
  bool verifies_;
  SentDeltas sent_;  // the last member, as it is large
};

}  // namespace mobula::server
