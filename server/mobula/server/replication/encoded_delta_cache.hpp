// Cache of the encoded entities of this tick. Each is encoded once, when the first client needs it, and copied to all
// clients with the same baselines.
//
//   entry  u64 key: index / 16 << 32 | baseline's age << 7 | ticks between the baselines << 1 | owner
//              63 ticks between the baselines: the baseline is the level's state
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
  EncodedDelta full_state(std::uint32_t index, bool owner) { return find(index, 0, 0, owner); }
  /// Returns an entity's delta against its state at tick `baseline`, and against `previous_baseline`, at most
  /// previous_baseline_age_max earlier; 0 means that there is none. Not available if the value log no longer has a
  /// baseline.
  EncodedDelta delta(std::uint32_t index, ecs::Tick baseline, ecs::Tick previous_baseline, bool owner) {
    if (tick_ - baseline > age_max) return EncodedDelta(unavailable_tag);
    return find(index, tick_ - baseline, previous_baseline == 0 ? 0 : baseline - previous_baseline, owner);
  }
  /// Returns the delta against the level's state, for an entity of the level with unchanged composition.
  EncodedDelta delta_from_level(std::uint32_t index) { return find(index, 1, level_span, false); }
  /// Sets the level for delta_from_level, which must outlive the entries.
  void set_level(const wire::LevelCopy* level) { level_ = level; }
  /// Copies an encoded delta, with the bit `before` in front of it, or without.
  void copy(bool before, EncodedDelta bits, core::BitWriter& writer) {
    ++copied_;
    if (!bits.is_long()) return writer.write((bits.word_ >> tag_bits) << 1 | (before ? 1u : 0u), bits.count() + 1);
    writer.write_bool(before);
    writer.write_bits(&arena_[bits.place()], bits.count());
  }
  void copy(EncodedDelta bits, core::BitWriter& writer) {
    ++copied_;
    if (!bits.is_long()) return writer.write(bits.word_ >> tag_bits, bits.count());
    writer.write_bits(&arena_[bits.place()], bits.count());
  }

  /// Adds the bits of each component in such an encoded delta, which is available, to `sent`.
  void measure_full(std::uint32_t index, bool owner, ComponentBytes& sent) { measure(index, 0, 0, owner, sent); }
  void measure_delta(std::uint32_t index, ecs::Tick baseline, ecs::Tick previous_baseline, bool owner,
                     ComponentBytes& sent) {
    measure(index, tick_ - baseline, previous_baseline == 0 ? 0 : baseline - previous_baseline, owner, sent);
  }
  void measure_delta_from_level(std::uint32_t index, ComponentBytes& sent) {
    measure(index, 1, level_span, false, sent);
  }

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

  // `age` ticks between the baseline and now, 0 for a full state; `span` ticks between the baselines, 0 without a
  // previous one.
  EncodedDelta find(std::uint32_t index, ecs::Tick age, ecs::Tick span, bool owner) {
    const std::uint64_t key =
        std::uint64_t{index >> block_shift} << 32 | std::uint64_t{age} << 7 | span << 1 | (owner ? 1u : 0u);
    const Entry& entry = entries_[place_of(key)];
    std::uint64_t& word = blocks_[entry.key == key ? entry.block : add_block(key)].words[index % block_size];
    if (word == unmade_tag) word = encode(index, age, span, owner);
    return EncodedDelta(word);
  }
  // Returns where the key is, or would be.
  [[nodiscard]] std::size_t place_of(std::uint64_t key) const {
    std::size_t place = key * 0x9e3779b97f4a7c15ull >> shift_;
    while (entries_[place].key != key && entries_[place].key != no_key) place = (place + 1) & (entries_.size() - 1);
    return place;
  }
  std::uint32_t add_block(std::uint64_t key);
  std::uint64_t encode(std::uint32_t index, ecs::Tick age, ecs::Tick span, bool owner);
  void measure(std::uint32_t index, ecs::Tick age, ecs::Tick span, bool owner, ComponentBytes& sent);
  core::BitWriter make_room(const wire::EntityLayout& layout);
  // Loads the current words to current_words_. Returns the baselines; none if the value log no longer has them.
  std::optional<wire::Baselines> load_words(std::uint32_t index, ecs::Tick age, ecs::Tick span);
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
  std::vector<std::uint32_t> row_bits_;  // scratch of measuring
};

}  // namespace mobula::server
