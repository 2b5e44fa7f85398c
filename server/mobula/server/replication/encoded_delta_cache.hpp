// The bits of entities as they go out this tick: each made once, when the first client needs it, and copied to all that
// know the same of the entity.
//
//   entry  u64 what of which entities: index / 16 << 32 | ticks since b1 << 7 | ticks from b2 to b1 << 1 | owner
//              63 ticks from b2 to b1: b1 is what the level has
//          u32 their block
//   block  16 times u64: a string of up to 58 bits << 6 | its length
//                        a longer one: place in the arena << 26 | its length << 6 | 63
//                        62: the log no longer knows b1; 61: nobody has asked for it
//
// Entries lie where their hash says, or next to that. Clients mostly ask for the same few of each entity, and for
// neighbours of whom they asked for before: what is in use is small, and stays in the cache.
#pragma once

#include <array>
#include <mobula/server/replication/published.hpp>
#include <mobula/server/replication/sent_bytes.hpp>
#include <mobula/wire/entity_codec.hpp>
#include <mobula/wire/level_copy.hpp>
#include <optional>
#include <vector>

namespace mobula::server {

class EncodedDeltaCache {
 public:
  explicit EncodedDeltaCache(Published& published);
  EncodedDeltaCache(const EncodedDeltaCache&) = delete;
  EncodedDeltaCache& operator=(const EncodedDeltaCache&) = delete;

  // Good until the next tick.
  class Bits {
   public:
    [[nodiscard]] std::uint32_t count() const {
      return static_cast<std::uint32_t>(is_long() ? word_ >> tag_bits & long_count_max : word_ & tag_mask);
    }

    // False: the log no longer knows what they should rest on.
    [[nodiscard]] bool known() const { return word_ != gone_tag; }

   private:
    friend class EncodedDeltaCache;
    explicit Bits(std::uint64_t word) : word_(word) {}
    [[nodiscard]] bool is_long() const { return (word_ & tag_mask) == long_tag; }
    [[nodiscard]] std::size_t place() const { return word_ >> (tag_bits + long_count_bits); }

    std::uint64_t word_;
  };
  static constexpr std::uint32_t short_count_max = 58;
  static Bits no_bits() { return Bits(0); }
  static Bits unknown_bits() { return Bits(gone_tag); }

  // After each publication, once; what was made before is gone.
  void begin_tick(ecs::Tick tick);

  // All of an entity, as for somebody who does not know it.
  Bits whole(std::uint32_t index, bool owner) { return find(index, 0, 0, owner); }
  // What is new since its state at tick `b1`, and, unless `b2` is 0, the one before at `b2`, at most b2_age_max
  // earlier. Not known if the log no longer has b1.
  Bits change(std::uint32_t index, ecs::Tick b1, ecs::Tick b2, bool owner) {
    if (tick_ - b1 > age_max) return Bits(gone_tag);
    return find(index, tick_ - b1, b2 == 0 ? 0 : b1 - b2, owner);
  }
  // What is not as the level has it, of an entity of the level that is made of the same.
  Bits since_level(std::uint32_t index) { return find(index, 1, level_span, false); }
  // Of which since_level speaks; it outlives the strings.
  void set_level(const wire::LevelCopy* level) { level_ = level; }
  // After a bit `before`.
  void copy(bool before, Bits bits, core::BitWriter& writer) {
    ++copied_;
    if (!bits.is_long()) return writer.write((bits.word_ >> tag_bits) << 1 | (before ? 1u : 0u), bits.count() + 1);
    writer.write_bool(before);
    writer.write_bits(&arena_[bits.place()], bits.count());
  }
  void copy(Bits bits, core::BitWriter& writer) {
    ++copied_;
    if (!bits.is_long()) return writer.write(bits.word_ >> tag_bits, bits.count());
    writer.write_bits(&arena_[bits.place()], bits.count());
  }

  // Whose the bits of such a string are; one that is known.
  void measure_whole(std::uint32_t index, bool owner, SentBytes& sent) { measure(index, 0, 0, owner, sent); }
  void measure_change(std::uint32_t index, ecs::Tick b1, ecs::Tick b2, bool owner, SentBytes& sent) {
    measure(index, tick_ - b1, b2 == 0 ? 0 : b1 - b2, owner, sent);
  }
  void measure_since_level(std::uint32_t index, SentBytes& sent) { measure(index, 1, level_span, false, sent); }

  // In all ticks so far.
  [[nodiscard]] std::uint64_t made() const { return made_; }
  [[nodiscard]] std::uint64_t copied() const { return copied_; }

 private:
  static constexpr unsigned tag_bits = 6;
  static constexpr std::uint64_t tag_mask = (1u << tag_bits) - 1;
  static constexpr std::uint64_t unknown_tag = 61;
  static constexpr std::uint64_t gone_tag = 62;
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

  // Of a state `age` ticks before this one; 0: whole. b2 is `span` ticks before that; 0: there is none.
  Bits find(std::uint32_t index, ecs::Tick age, ecs::Tick span, bool owner) {
    const std::uint64_t key =
        std::uint64_t{index >> block_shift} << 32 | std::uint64_t{age} << 7 | span << 1 | (owner ? 1u : 0u);
    const Entry& entry = entries_[place_of(key)];
    std::uint64_t& word = blocks_[entry.key == key ? entry.block : add_block(key)].words[index % block_size];
    if (word == unknown_tag) word = make(index, age, span, owner);
    return Bits(word);
  }
  // Where the key is, or would be.
  [[nodiscard]] std::size_t place_of(std::uint64_t key) const {
    std::size_t place = key * 0x9e3779b97f4a7c15ull >> shift_;
    while (entries_[place].key != key && entries_[place].key != no_key) place = (place + 1) & (entries_.size() - 1);
    return place;
  }
  std::uint32_t add_block(std::uint64_t key);
  std::uint64_t make(std::uint32_t index, ecs::Tick age, ecs::Tick span, bool owner);
  void measure(std::uint32_t index, ecs::Tick age, ecs::Tick span, bool owner, SentBytes& sent);
  core::BitWriter make_room(const wire::EntityLayout& layout);
  // The words now go to now_, and what a change rests on is given; nothing if the log no longer knows that.
  std::optional<wire::Baseline> read(std::uint32_t index, ecs::Tick age, ecs::Tick span);
  std::uint64_t keep(const core::BitWriter& writer);
  void clear(std::size_t entries);
  void grow();

  Published& published_;
  const wire::LevelCopy* level_ = nullptr;
  ecs::Tick tick_ = 0;
  std::vector<Entry> entries_;  // as many as a power of two, at most half of them used
  unsigned shift_ = 0;
  std::vector<Block> blocks_;
  std::uint32_t used_blocks_ = 0;
  std::vector<std::byte> arena_;
  std::size_t used_bytes_ = 0;
  std::uint64_t made_ = 0;
  std::uint64_t copied_ = 0;
  std::vector<std::uint32_t> now_;
  std::vector<std::uint32_t> b1_;
  std::vector<std::uint32_t> b2_;
  std::vector<std::uint32_t> row_bits_;  // scratch of measuring
};

}  // namespace mobula::server
