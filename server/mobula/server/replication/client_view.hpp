// What one client sees: which entities, what it has of each, what is on its way, and what it still lacks.
//
// An entity in view has an id, a small number of this client's own. What the client has of it is known by the ticks of
// the states that it acknowledged: b1 the newest, and those before it as bits. A delta rests on these alone, never on
// what is in flight; what was lost is sent again, as it is then.
//
//   id      free -> seen -> leaving (destroyed, or out of view) -> free, when the client knows that it is gone
//   needs   whole: the client has nothing of it, or it has been composed anew since, or its history is no longer there
//           change: it differs from what was sent last, or that was lost
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <mobula/core/bit_set.hpp>
#include <mobula/core/prefetch.hpp>
#include <mobula/server/replication/announced_prototypes.hpp>
#include <mobula/server/replication/encoded_delta_cache.hpp>
#include <mobula/server/replication/level_offer.hpp>
#include <mobula/server/replication/sent_bytes.hpp>
#include <mobula/server/replication/sent_deltas.hpp>
#include <mobula/server/replication/view_workspace.hpp>
#include <mobula/wire/delta.hpp>
#include <mobula/wire/messages.hpp>
#include <span>
#include <vector>

namespace mobula::server {

class ClientView {
 public:
  // The references outlive the view, which sees nothing yet. If `verifies`, its deltas carry the hash of what the
  // client has. Views of one thread share a workspace.
  ClientView(Published& published, EncodedDeltaCache& strings, ViewWorkspace& workspace, bool verifies);
  // The client has the level, as the offer's message of this moment told it: before anything comes into view. What is
  // pristine it has; such entities take no id until something about them changes.
  void begin_with(std::shared_ptr<const LevelOffer> level);

  // What comes into view and goes out of it. Entities that are destroyed go by themselves.
  // False: not yet; the client has yet to hear that what it had of it from the level is out of view, or no id is free.
  // Then the client lacks something, whatever it is told before the next publication.
  bool enter(std::uint32_t index, bool owner);
  // `indices` in the order of seen().
  void leave(std::span<const std::uint32_t> indices);
  // Whether the client owns what it sees: is_owner(index).
  template <class IsOwner>
  void update_owners(IsOwner&& is_owner) {
    for (std::uint32_t id = 0; id < seen_.size(); ++id)
      if (seen_[id] != none) set_owner(id, is_owner(seen_[id]));
  }
  // Which are seen, none twice; valid until the next call, of any view with the same workspace.
  [[nodiscard]] std::span<const std::uint32_t> seen();
  // Whether the client sees it, or saw it to its end and has yet to hear of that.
  [[nodiscard]] bool sees(ecs::Entity entity) const;
  // Whether it has it as the level has it, wherever it is.
  [[nodiscard]] bool has_pristine(ecs::Entity entity) const;

  // After each publication, before anything comes into view: what is destroyed is seen no more, what has changed waits.
  // True: something of the level is seen that nobody let come into view.
  bool note_published();

  // Refused: "acknowledges the future". Late and repeated ones change nothing.
  core::Status acknowledge(const wire::InputDatagram& input);

  // Of what the client lacks at the end of the tick that was published, what may go out now: at most about so many
  // bytes, the most important first. `importance(index)` is multiplied by how long it waits. Deltas are written of it
  // before another view with the same workspace chooses.
  template <class Importance>
  void choose(ecs::Tick tick, std::size_t bytes_max, Importance&& importance) {
    work_.user = this;
    work_.candidates.clear();
    if (may_carry()) find_candidates();
    if (expected_bytes() > bytes_max) {
      for (Candidate& each : work_.candidates)
        each.priority = waiting(each.id, tick) * importance(slots_[each.id].index);
      keep_most_important(bytes_max);
    }
    chosen_ = work_.candidates.size();
    written_ = 0;
    listed_ = false;
  }
  // Fills a datagram with some of what was chosen, and gives its size. Without anything to say it is empty, and still
  // tells the tick; when too many are of unknown fate it is the last one, empty, again and again: its acknowledgement
  // tells all fates, even when whole windows of deltas were lost.
  std::size_t write_delta(core::MutableBytes datagram, ecs::Tick tick, const wire::CommandFeedback& commands);
  // Whether something chosen has not been written.
  [[nodiscard]] bool has_chosen() const { return written_ < chosen_; }
  // Whether the client lacks anything, chosen or not.
  [[nodiscard]] bool has_pending() const { return pending_ > 0; }

  // What a client says to have, against what it should have: it is told all anew of what is wrong, and `corrections`
  // say what was. Of what has changed too lately to tell nothing is said. Of views that verify.
  void compare(const wire::MirrorHashes& said, std::vector<wire::MirrorCorrection>& corrections);
  [[nodiscard]] bool verifies() const { return verifies_; }

  // Those that deltas wait for are wanted.
  [[nodiscard]] AnnouncedPrototypes& prototypes() { return prototypes_; }
  // Prototypes that no longer are: nothing published has them.
  void forget(std::span<const ecs::PrototypeId> prototypes) { prototypes_.forget(prototypes, sent_.last()); }

  // Counts from now on whose the bytes are that the client is sent, which takes about as long as writing them; null: no
  // longer.
  void measure(std::unique_ptr<SentBytes> sent) { measured_ = std::move(sent); }
  // Null: nobody wants to know.
  [[nodiscard]] SentBytes* measured() const { return measured_.get(); }
  // How many entities differ from what was sent last.
  [[nodiscard]] std::size_t pending() const { return pending_; }
  // Sum of the hashes of what the client has acknowledged; of views that verify.
  [[nodiscard]] std::uint64_t acknowledged_hash() const { return hash_; }
  // Of an entity that is seen: the tick of what was sent of it last; 0: nothing was.
  [[nodiscard]] ecs::Tick sent_tick(std::uint32_t index) const { return slots_[find(index)].sent; }
  [[nodiscard]] std::uint32_t unsettled() const { return sent_.unsettled(); }
  // Soon it will be used, and then, not too soon after this, its slots.
  void prefetch() const { core::prefetch_for_write(this, sizeof(*this) - sizeof(sent_) + 64); }
  void prefetch_slots() const {
    core::prefetch_for_write(seen_.data(), seen_.size() * sizeof(std::uint32_t));
    core::prefetch_for_write(slots_.data(), slots_.size() * sizeof(Slot));
  }
  // Asserts what must hold between any two calls.
  void check() const;

 private:
  enum class State : std::uint8_t { free, seen, destroyed, out_of_view };
  static constexpr std::uint32_t none = ~0u;
  // What is touched in a tick in which the entity changes: 24 bytes.
  struct Slot {
    std::uint32_t index = 0;
    ecs::Tick b1 = 0;         // 0: the client has nothing of it
    std::uint32_t older = 0;  // bit n: it has the state of tick b1 - 1 - n
    ecs::Tick sent = 0;       // of the newest state that was sent; 0: nothing was
    std::uint32_t born = 0;   // no earlier delta speaks of this entity
    State state = State::free;
    bool owner = false;
    bool of_level : 1 = false;  // until the client has another state of it, it has the level's
    bool was_reset : 1 = false;
  };
  // The rest, by id too.
  struct Life {
    std::uint32_t generation = 0;
    ecs::Tick whole = 0;  // of the newest whole state that the client has: no older one counts
    ecs::Tick reset = 0;  // states before it do not count: the owner changed, or they were wrong
  };
  using Candidate = ViewWorkspace::Candidate;
  using Item = ViewWorkspace::Item;
  using List = ViewWorkspace::List;

  std::uint32_t take_id();
  std::uint32_t take_slot(std::uint32_t index, std::uint32_t generation);
  std::uint32_t take_level_slot(std::uint32_t index);
  std::uint32_t take_pristine_slot(std::uint32_t index);
  bool note_stirred();
  void note_pending(std::uint32_t id) {
    if (pending_ids_.contains(id)) return;
    pending_ids_.insert(id);
    ++pending_;
  }
  void note_told(std::uint32_t id) {
    if (!pending_ids_.contains(id)) return;
    pending_ids_.erase(id);
    --pending_;
  }
  void begin_leaving(std::uint32_t id, State state);
  void free_id(std::uint32_t id);
  void set_owner(std::uint32_t id, bool owner);
  [[nodiscard]] std::uint32_t find(std::uint32_t index) const;
  [[nodiscard]] bool is_alive(std::uint32_t id) const;
  [[nodiscard]] ecs::Tick reset_of(std::uint32_t id) const { return slots_[id].was_reset ? lives_[id].reset : 0; }

  [[nodiscard]] bool is_of_former(std::uint32_t sequence, std::uint32_t id) const;
  void came(const SentDeltas::Delta& delta);
  void came_late(std::uint32_t id, ecs::Tick tick, bool whole);
  void lost(const SentDeltas::Delta& delta);

  void forget_resting();
  void find_candidates();
  [[nodiscard]] std::size_t expected_bytes() const;
  [[nodiscard]] float waiting(std::uint32_t id, ecs::Tick tick) const;
  void keep_most_important(std::size_t bytes_max);
  void make_lists();
  // The last delta of a window carries nothing.
  [[nodiscard]] bool may_carry() const { return sent_.unsettled() + 1 < SentDeltas::window_max; }
  [[nodiscard]] EncodedDeltaCache::Bits change_of(std::uint32_t id) const;
  void list_anew(std::uint32_t id);

  struct Plan;
  [[nodiscard]] Plan plan(std::size_t room) const;
  void write_list(List& list, std::size_t count, SentDeltas::Kind kind, core::BitWriter& bits, ecs::Tick tick);
  void write_moving(std::size_t count, core::BitWriter& bits, ecs::Tick tick);
  void write_appearance(std::uint32_t id, core::BitWriter& bits);
  [[nodiscard]] ecs::Tick b2_of(const Slot& slot) const {
    return slot.older == 0 ? 0 : slot.b1 - 1 - static_cast<ecs::Tick>(std::countr_zero(slot.older));
  }
  void measure_item(std::uint32_t id, SentDeltas::Kind kind);
  // Gives the hash of what was sent.
  std::uint64_t note_sent(std::uint32_t id, ecs::Tick tick);

  [[nodiscard]] bool knows_of_level(std::uint32_t index) const;
  // Whether the client should have it as the level has it, without an id.
  [[nodiscard]] bool has_pristine(std::uint32_t index) const;
  [[nodiscard]] std::vector<bool> level_entities_by_id() const;
  [[nodiscard]] bool is_told_anew(std::uint32_t index) const {
    return !told_anew_.empty() && told_anew_[index - level_->copy().range().first];
  }
  [[nodiscard]] bool rests_on_level(const Slot& slot) const;
  static bool leaves_level(const Slot& slot) {
    return slot.of_level && (slot.state == State::destroyed || slot.state == State::out_of_view);
  }

  void compare_ids(const wire::MirrorHashes& said, std::vector<wire::MirrorCorrection>& corrections);
  void compare_level(const wire::MirrorHashes& said, std::vector<wire::MirrorCorrection>& corrections);
  [[nodiscard]] bool differs(std::uint32_t id, const wire::MirrorHash& said);
  [[nodiscard]] wire::MirrorCorrection correct(std::uint32_t id, ecs::Tick tick, wire::MirrorFault fault);
  [[nodiscard]] std::vector<std::uint32_t> words_for_client(const Slot& slot, ecs::Tick tick);
  void tell_anew(std::uint32_t id);

  Published& published_;
  EncodedDeltaCache& strings_;
  ViewWorkspace& work_;
  std::shared_ptr<const LevelOffer> level_;  // null: the client has none
  std::size_t stirred_seen_ = 0;
  std::unique_ptr<SentBytes> measured_;
  std::vector<bool> told_anew_;        // by entity of the level: is pristine, and got an id all the same; or empty
  std::vector<std::uint32_t> words_;   // of one entity
  std::vector<std::uint32_t> seen_;    // by id: the index of an entity that is seen; or none
  std::vector<Slot> slots_;            // by id
  std::vector<Life> lives_;            // by id
  std::vector<std::uint64_t> hashes_;  // by id, of b1; of views that verify
  std::size_t chosen_ = 0;
  std::size_t written_ = 0;
  bool listed_ = true;        // what was chosen is in the lists
  bool has_waiting_ = false;  // something could not come into view yet
  core::BitSet pending_ids_;
  core::BitSet moving_ids_;  // whose b1 is at most wire::moving_age_max old, and some of which it no longer is
  ecs::Tick noted_ = 0;      // of the last change that was noted
  std::size_t pending_ = 0;
  std::size_t leaving_level_ = 0;  // slots
  std::uint32_t used_ids_ = 0;
  AnnouncedPrototypes prototypes_;
  ecs::Tick newest_tick_ = 0;  // of all deltas that the client has taken
  std::uint32_t last_ack_ = 0;
  std::uint32_t lowest_free_ = 0;  // no free id is below it
  std::uint64_t hash_ = 0;
  bool verifies_;
  SentDeltas sent_;  // the last, as it is large
};

}  // namespace mobula::server
