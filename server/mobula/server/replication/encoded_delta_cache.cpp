#include <algorithm>
#include <bit>
#include <mobula/server/replication/encoded_delta_cache.hpp>
#include <mobula/wire/delta.hpp>

namespace mobula::server {

EncodedDeltaCache::EncodedDeltaCache(Published& published) : published_(published) { clear(least_entries); }

// Sizes the table for as many entries as the last tick needed.
void EncodedDeltaCache::begin_tick(ecs::Tick tick) {
  static_assert(wire::previous_baseline_age_max < level_span && wire::early_baseline_age_max < 16);
  static_assert(ecs::SentSize::bits_max <= long_count_max);
  MOBULA_ASSERT(tick > tick_, "a tick begins once: its encoded deltas may have been copied");
  tick_ = tick;
  used_bytes_ = 0;
  clear(std::max(least_entries, std::bit_ceil(std::size_t{2} * used_blocks_)));
}

void EncodedDeltaCache::clear(std::size_t entries) {
  entries_.assign(entries, Entry{});
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(entries));
  used_blocks_ = 0;
}

void EncodedDeltaCache::grow() {
  std::vector<Entry> before(2 * entries_.size());
  before.swap(entries_);
  --shift_;
  for (const Entry& entry : before)
    if (entry.key != no_key) entries_[place_of(entry.key)] = entry;
}

std::uint32_t EncodedDeltaCache::add_block(std::uint64_t key) {
  if (std::size_t{2} * (used_blocks_ + 1) > entries_.size()) grow();
  entries_[place_of(key)] = {key, used_blocks_};
  if (used_blocks_ == blocks_.size()) blocks_.emplace_back();
  blocks_[used_blocks_].words.fill(unmade_tag);
  return used_blocks_++;
}

core::BitWriter EncodedDeltaCache::make_room(const wire::EntityLayout& layout) {
  if (current_words_.size() < layout.words) {
    current_words_.resize(layout.words);
    baseline_words_.resize(layout.words);
    previous_baseline_words_.resize(layout.words);
    early_baseline_words_.resize(layout.words);
  }
  // A little more than needed: BitWriter is fastest away from its buffer's end.
  const std::size_t room = (layout.bits_max + 7) / 8 + 16;
  if (arena_.size() < used_bytes_ + room) arena_.resize(std::max(2 * arena_.size(), used_bytes_ + room));
  return core::BitWriter({&arena_[used_bytes_], room});
}

std::uint64_t EncodedDeltaCache::encode(std::uint32_t index, const wire::Interval& time, bool owner) {
  ++made_;
  const wire::EntityLayout& layout = published_.codecs().entity(published_.entity(index).prototype);
  core::BitWriter writer = make_room(layout);
  const std::optional<wire::Baselines> baselines = load_words(index, time);
  if (!baselines) return unavailable_tag;
  const wire::EntityCodec codec(layout, owner, tick_);
  time.age == 0 ? codec.write_full(current_words_.data(), writer)
                : codec.write_delta(current_words_.data(), *baselines, writer);
  return store(writer);
}

// Encodes it once more, behind the entries, and discards the result.
void EncodedDeltaCache::measure(std::uint32_t index, const wire::Interval& time, bool owner, ComponentBytes& sent) {
  const ecs::PrototypeId prototype = published_.entity(index).prototype;
  const wire::EntityLayout& layout = published_.codecs().entity(prototype);
  core::BitWriter writer = make_room(layout);
  const std::optional<wire::Baselines> baselines = load_words(index, time);
  if (!baselines) return;
  row_bits_.assign(layout.rows.size(), 0);
  const wire::EntityCodec codec(layout, owner, tick_);
  time.age == 0 ? codec.measure_full(current_words_.data(), writer, row_bits_)
                : codec.measure_delta(current_words_.data(), *baselines, writer, row_bits_);
  sent.add(published_.registry().prototypes().pools(prototype), row_bits_);
}

std::optional<wire::Baselines> EncodedDeltaCache::load_words(std::uint32_t index, const wire::Interval& time) {
  published_.words_now(index, current_words_.data());
  if (time.age == 0) return wire::Baselines{};
  if (time.span == level_span) {
    level_->words(index, baseline_words_.data());
    return wire::Baselines{.baseline = baseline_words_.data(), .time = {.age = wire::level_age}};
  }
  const ecs::Tick baseline = tick_ - time.age;
  std::array<Published::FormerWords, 3> wanted{{{baseline, baseline_words_.data()},
                                                {baseline - time.span, previous_baseline_words_.data()},
                                                {baseline - time.early, early_baseline_words_.data()}}};
  const std::size_t count = time.span == 0 ? 1 : time.early == 0 ? 2 : 3;
  if (!published_.words_at(index, std::span(wanted).first(count))) return std::nullopt;
  return wire::Baselines{.baseline = baseline_words_.data(),
                         .previous_baseline = count > 1 ? previous_baseline_words_.data() : nullptr,
                         .early_baseline = count > 2 ? early_baseline_words_.data() : nullptr,
                         .time = time};
}

std::uint64_t EncodedDeltaCache::store(const core::BitWriter& writer) {
  MOBULA_ASSERT(writer.ok(), "an encoded delta has at most the layout's bits_max");
  const std::uint64_t count = writer.bits();
  if (count <= short_count_max)
    return (core::load<std::uint64_t>(&arena_[used_bytes_]) & ((1ull << count) - 1)) << tag_bits | count;
  const std::uint64_t place = used_bytes_;
  used_bytes_ += (writer.bytes() + 7) / 8 * 8;
  return place << (tag_bits + long_count_bits) | count << tag_bits | long_tag;
}

}  // namespace mobula::server
