// Cache of the encoded entities of this tick. Each is encoded once, when the first client needs it, and copied to all
// clients with the same baselines.
//
//   entry  u64 key: index / 16 << 36 | baseline's age << 11 | ticks from the previous baseline to the baseline << 5 |
//              ticks from the early baseline to the baseline << 1 | owner
//              63 ticks from the previous one: the baseline is the level's state
//          u32 block
//   block  16 times u64: up to 58 bits << 6 | their count
//                        more bits: place in the arena << 26 | their count << 6 | 63
//                        62: the value log no longer has the baseline; 61: not encoded yet
//
// Entries lie at the place of their hash, or at the next free one. Clients mostly request the same few keys, for
// entities next to each other: the memory in use is small and stays in the processor's cache.
#pragma once

#include <array>
#include <mobula/server/replication/component_bytes.hpp>
#include <mobula/server/replication/published.hpp>
#include <mobula/wire/entity_codec.hpp>
#include <mobula/wire/level_copy.hpp>
#include <optional>
#include <vector>

namespace mobula::server {

/// Ticks of the states that a delta is encoded against (wire/delta.hpp); 0 if there is no such state.
struct BaselineTicks {
  ecs::Tick baseline = 0;
  ecs::Tick previous = 0;
  ecs::Tick early = 0;
};

/// An encoded delta or full state. Valid until the next tick.
class EncodedDeltaCache {
 public:
  explicit EncodedDeltaCache(Published& published);
  EncodedDeltaCache(const EncodedDeltaCache&) = delete;
  EncodedDeltaCache& operator=(const EncodedDeltaCache&) = delete;

  // Good until the next tick.
  class EncodedDelta {
   public:
    [[nodiscard]] std::uint32_t count() const {
      return static_cast<std::uint32_t>(is_long() ? word_ >> tag_bits & long_count_max : word_ & tag_mask);
    }

    /// Returns false if the value log no longer has its baseline.
    [[nodiscard]] bool available() const { return word_ != unavailable_tag; }

   private:
    friend class EncodedDeltaCache;
    explicit EncodedDelta(std::uint64_t word) : word_(word) {}
    [[nodiscard]] bool is_long() const { return (word_ & tag_mask) == long_tag; }
    [[nodiscard]] std::size_t place() const { return word_ >> (tag_bits + long_count_bits); }

    std::uint64_t word_;
  };
  static constexpr std::uint32_t short_count_max = 58;
  static EncodedDelta empty() { return EncodedDelta(0); }
  static EncodedDelta unavailable() { return EncodedDelta(unavailable_tag); }

  /// Discards all entries. To be called once after each publication.
  void begin_tick(ecs::Tick tick);

  /// Returns an entity's full state.
  EncodedDelta full_state(std::uint32_t index, bool owner) { return find(index, full_state_time, owner); }
  /// Returns an entity's delta against its states at these ticks. Not available if the value log no longer has one of
  /// them.
  EncodedDelta delta(std::uint32_t index, const BaselineTicks& ticks, bool owner) {
    if (tick_ - ticks.baseline > age_max) return EncodedDelta(unavailable_tag);
    return find(index, interval(index, ticks), owner);
  }
  /// Returns the delta against the level's state, for an entity of the level with unchanged composition.
  EncodedDelta delta_from_level(std::uint32_t index) { return find(index, from_level, false); }
  /// Sets the level for delta_from_level, which must outlive the entries.
  void set_level(const wire::LevelCopy* level) { level_ = level; }
  /// Copies an encoded delta.
  void copy(EncodedDelta bits, core::BitWriter& writer) {
    ++copied_;
    if (!bits.is_long()) return writer.write(bits.word_ >> tag_bits, bits.count());
    writer.write_bits(&arena_[bits.place()], bits.count());
  }

  /// Adds the bits of each component in such an encoded delta, which is available, to `sent`.
  void measure_full(std::uint32_t index, bool owner, ComponentBytes& sent) {
    measure(index, full_state_time, owner, sent);
  }
  void measure_delta(std::uint32_t index, const BaselineTicks& ticks, bool owner, ComponentBytes& sent) {
    measure(index, interval(index, ticks), owner, sent);
  }
  void measure_delta_from_level(std::uint32_t index, ComponentBytes& sent) { measure(index, from_level, false, sent); }

  /// Returns how many were encoded, and how many copied, in all ticks so far.
  [[nodiscard]] std::uint64_t made() const { return made_; }
  [[nodiscard]] std::uint64_t copied() const { return copied_; }

 private:
  static constexpr unsigned tag_bits = 6;
  static constexpr std::uint64_t tag_mask = (1u << tag_bits) - 1;
  static constexpr std::uint64_t unmade_tag = 61;
  static constexpr std::uint64_t unavailable_tag = 62;
  static constexpr std::uint64_t long_tag = 63;
  static constexpr unsigned long_count_bits = 20;
  static constexpr std::uint64_t long_count_max = (1u << long_count_bits) - 1;
  static constexpr ecs::Tick age_max = (1u << 25) - 1;
  static constexpr ecs::Tick level_span = 63;
  static constexpr std::uint64_t no_key = ~0ull;
  static constexpr std::size_t least_entries = 256;
  static constexpr unsigned block_shift = 4;
  static constexpr std::uint32_t block_size = 1u << block_shift;

  struct Entry {
    std::uint64_t key = no_key;
    std::uint32_t block = 0;
  };
  struct alignas(64) Block {
    std::array<std::uint64_t, block_size> words;
  };

  // A full state has age 0.
  static constexpr wire::Interval full_state_time{.age = 0};
  static constexpr wire::Interval from_level{.age = 1, .span = level_span};

  // Returns the ticks between the states that a delta depends on. Only extrapolation looks at more than the baseline.
  [[nodiscard]] wire::Interval interval(std::uint32_t index, const BaselineTicks& ticks) const {
    wire::Interval time{.age = tick_ - ticks.baseline};
    if (ticks.previous == 0 || !published_.extrapolates(index)) return time;
    if (time.age > wire::motion_age_max || ticks.baseline - ticks.previous > wire::motion_span_max) return time;
    time.span = ticks.baseline - ticks.previous;
    if (ticks.early != 0) time.early = ticks.baseline - ticks.early;
    return time;
  }

  EncodedDelta find(std::uint32_t index, const wire::Interval& time, bool owner) {
    const std::uint64_t key = std::uint64_t{index >> block_shift} << 36 | std::uint64_t{time.age} << 11 |
                              time.span << 5 | time.early << 1 | (owner ? 1u : 0u);
    const Entry& entry = entries_[place_of(key)];
    std::uint64_t& word = blocks_[entry.key == key ? entry.block : add_block(key)].words[index % block_size];
    if (word == unmade_tag) word = encode(index, time, owner);
    return EncodedDelta(word);
  }
  // Returns where the key is, or would be.
  [[nodiscard]] std::size_t place_of(std::uint64_t key) const {
    std::size_t place = key * 0x9e3779b97f4a7c15ull >> shift_;
    while (entries_[place].key != key && entries_[place].key != no_key) place = (place + 1) & (entries_.size() - 1);
    return place;
  }
  std::uint32_t add_block(std::uint64_t key);
  std::uint64_t encode(std::uint32_t index, const wire::Interval& time, bool owner);
  void measure(std::uint32_t index, const wire::Interval& time, bool owner, ComponentBytes& sent);
  core::BitWriter make_room(const wire::EntityLayout& layout);
  // Loads the current words to current_words_. Returns the baselines; none if the value log no longer has them.
  std::optional<wire::Baselines> load_words(std::uint32_t index, const wire::Interval& time);
  std::uint64_t store(const core::BitWriter& writer);
  void clear(std::size_t entries);
  void grow();

  Published& published_;
  const wire::LevelCopy* level_ = nullptr;
  ecs::Tick tick_ = 0;
  std::vector<Entry> entries_;  // a power of two, at most half of them used
  unsigned shift_ = 0;
  std::vector<Block> blocks_;
  std::uint32_t used_blocks_ = 0;
  std::vector<std::byte> arena_;
  std::size_t used_bytes_ = 0;
  std::uint64_t made_ = 0;
  std::uint64_t copied_ = 0;
  std::vector<std::uint32_t> current_words_;
  std::vector<std::uint32_t> baseline_words_;
  std::vector<std::uint32_t> previous_baseline_words_;
  std::vector<std::uint32_t> early_baseline_words_;
  std::vector<std::uint32_t> row_bits_;  // scratch of measuring
};

}  // namespace mobula::server
