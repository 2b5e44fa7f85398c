// Effects that predicted steps emit. A name and key begin an effect once, however often the tick is replayed. It ends
// once: confirmed if the reconciled tick has emitted it, else cancelled.
//
//   emitted ──► begun ──reconciled tick has it──► confirmed
//                  └────reconciled tick lacks it─► cancelled
//
// A replay may emit a running effect in another tick, since a late command runs later. An effect that a replay does not
// emit keeps running until its tick is reconciled: the next replay may have it again. Ended effects are remembered for
// a while after the last tick that emits them. During that time the same name and key begin nothing. A new effect that
// finds the table full takes the place of the oldest ended one.
#pragma once

#include <mobula/prediction/effect.hpp>
#include <vector>

namespace mobula::client {

/// Beginning or end of an effect.
struct EffectNotice {
  enum class Kind : std::uint8_t { begun, confirmed, cancelled };

  Kind kind = Kind::begun;
  prediction::Effect effect;
};

class EffectTable {
 public:
  static constexpr std::size_t effects_max = 2048;    // running or remembered
  static constexpr ecs::Tick remembered_ticks = 128;  // after the last tick that emits an ended effect

  /// Begins the list of notices anew.
  void clear_notices();
  /// Notes that all ticks after `tick` are about to be computed, for the first time or again.
  void begin_pass(ecs::Tick tick);
  /// Begins an effect, or notes that the pass emits it again. The payload is copied.
  void emit(const prediction::Effect& effect);
  /// Ends the effects up to `tick`, which is reconciled. The pass that computed it is complete.
  void settle(ecs::Tick tick);
  /// Cancels all running effects. They are remembered: a late command may emit them again.
  void cancel_running();
  /// Forgets all effects, as names and keys begin anew. Cancels those that run.
  void clear();

  [[nodiscard]] std::size_t notices() const { return kinds_.size(); }
  /// Returns a notice, in order. Its payload is valid until the next clear_notices().
  [[nodiscard]] EffectNotice notice(std::size_t place) const { return {kinds_[place], noticed_.at(place)}; }
  /// Returns the number of running effects. Linear in the number of effects.
  [[nodiscard]] std::size_t running() const;
  /// Returns how many effects were not begun, because effects_max were running.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  static constexpr std::uint32_t none = ~0u;
  static constexpr std::size_t buckets = 2 * effects_max;

  struct Entry {
    core::StringId32 name;
    std::uint64_t key = 0;
    ecs::Tick tick = 0;
    bool running = false;
    bool emitted = false;       // by the newest pass over its tick
    std::uint32_t next = none;  // entry of the same bucket
    core::Bytes payload;
  };

  [[nodiscard]] static std::size_t bucket_of(core::StringId32 name, std::uint64_t key);
  Entry* find(const prediction::Effect& effect);
  // Returns a place for a new effect; none if all entries run.
  std::uint32_t take_place();
  [[nodiscard]] std::uint32_t oldest_ended() const;
  void link(std::uint32_t place);
  void unlink(std::uint32_t place);
  // Removes an entry. The last one takes its place.
  void remove(std::uint32_t place);
  void notify(EffectNotice::Kind kind, const Entry& entry);

  std::vector<Entry> entries_;  // the first `size_` are in use; the others keep their memory
  std::size_t size_ = 0;
  std::vector<std::uint32_t> first_ = std::vector<std::uint32_t>(buckets, none);  // by bucket
  std::vector<EffectNotice::Kind> kinds_;
  prediction::EffectList noticed_;  // beside kinds_
  std::uint64_t dropped_ = 0;
};

}  // namespace mobula::client
