#include <algorithm>
#include <cstring>
#include <mobula/client/mirror/delta_decoder.hpp>

namespace mobula::client {
namespace {

constexpr const char* ends_too_early = "ends too early";
constexpr const char* twice = "two entries of one id";
constexpr const char* too_many_states = "more states of an entity than deltas can be under way";

}  // namespace

const char* DeltaDecoder::run() {
  mirror_.entries_.clear();
  mirror_.words_.clear();
  mirror_.values_.clear();
  ++mirror_.round_;
  for (const auto part :
       {&DeltaDecoder::moving, &DeltaDecoder::changed, &DeltaDecoder::appeared, &DeltaDecoder::gone}) {
    next_id_ = 0;
    if (const char* wrong = (this->*part)()) return wrong;
    if (!bits_.ok()) return ends_too_early;
  }
  if (bits_.left() >= 8 || bits_.read(static_cast<unsigned>(bits_.left())) != 0) return "goes on after its end";
  return nullptr;
}

// Of all deltas that the server knows to have come, when it wrote this one.
ecs::Tick DeltaDecoder::newest_tick() const {
  return mirror_.acknowledged_[header_.ack % Mirror::acknowledged_kept].tick;
}

const char* DeltaDecoder::moving() {
  std::uint32_t left = bits_.read_golomb(wire::moving_count_order);
  if (left == 0) return nullptr;
  const ecs::Tick newest = newest_tick();
  for (std::uint32_t id = bits_.read_golomb(wire::first_id_order); left > 0; ++id) {
    if (id >= mirror_.known_.size()) return "more that moves than there is";
    if (!mirror_.is_moving(id, header_.ack, newest)) continue;
    const bool here = bits_.read_bool();
    if (!bits_.ok()) return ends_too_early;
    if (!here) continue;
    if (const char* wrong = change(id)) return wrong;
    --left;
  }
  return nullptr;
}

bool DeltaDecoder::read_id(std::uint32_t& id) {
  const std::uint64_t read = next_id_ + bits_.read_golomb(wire::id_order);
  id = static_cast<std::uint32_t>(std::min<std::uint64_t>(read, wire::ids_max));
  next_id_ = read + 1;
  return bits_.ok() && id < wire::ids_max;
}

bool DeltaDecoder::first_of(std::uint32_t id) {
  if (id >= mirror_.known_.size()) return true;  // which appears, and may go at once
  return std::exchange(mirror_.known_[id].round, mirror_.round_) != mirror_.round_;
}

const char* DeltaDecoder::changed() {
  std::uint32_t id = 0;
  for (std::uint32_t left = bits_.read_golomb(wire::count_order); left > 0; --left) {
    if (!read_id(id) || id >= mirror_.known_.size()) return "a change of an id that is not there";
    if (const char* wrong = change(id)) return wrong;
  }
  return nullptr;
}

const char* DeltaDecoder::appeared() {
  std::uint32_t id = 0;
  std::uint32_t left = bits_.read_golomb(wire::count_order);
  if (left > 0 && header_.sequence < mirror_.newest_) find_left();
  for (; left > 0; --left) {
    if (!read_id(id)) return "an id beyond the limit";
    if (const char* wrong = whole(id)) return wrong;
  }
  return nullptr;
}

const char* DeltaDecoder::gone() {
  std::uint32_t id = 0;
  for (std::uint32_t left = bits_.read_golomb(wire::count_order); left > 0; --left) {
    if (!read_id(id)) return "an id beyond the limit";
    if (!first_of(id)) return twice;
    const bool destroyed = bits_.read_bool();
    ecs::Entity entity;  // of the level; else the id says it
    if (bits_.read_bool()) entity = level_entity(bits_.read_golomb(wire::index_order));
    if (!bits_.ok()) return ends_too_early;
    mirror_.entries_.push_back({.kind = Mirror::Entry::Kind::gone,
                                .owner = false,
                                .newest = false,
                                .shown = false,
                                .destroyed = destroyed,
                                .id = id,
                                .entity = entity,
                                .prototype = ecs::empty_prototype,
                                .words = 0,
                                .values = 0});
  }
  return nullptr;
}

const char* DeltaDecoder::change(std::uint32_t id) {
  if (!first_of(id)) return twice;
  const Mirror::Known& known = mirror_.known_[id];
  const EntityVersions::Baselines base = known.versions.baselines(header_.ack);
  if (base.b1.tick == 0 || base.b1.words == nullptr || base.b1.tick >= header_.tick)
    return "a change of what is not there";
  if (base.b2.tick != 0 && base.b2.words == nullptr) return "a change of what is no longer there";
  if (known.versions.size() >= EntityVersions::states_max) return too_many_states;
  const wire::EntityLayout& layout = mirror_.codecs_.entity(known.prototype);
  const std::size_t words = mirror_.words_.size();
  mirror_.words_.resize(words + layout.words);
  const wire::Baselines baseline{.baseline = base.b1.words,
                                 .previous_baseline = base.b2.tick != 0 ? base.b2.words : nullptr,
                                 .time = {header_.tick - base.b1.tick, base.b1.tick - base.b2.tick}};
  if (!wire::EntityCodec(layout, known.owner).read_delta(baseline, bits_, mirror_.words_.data() + words))
    return "a change that cannot be read";
  const bool newest = !known.gone && known.versions.newest().tick < header_.tick;
  return finish({.kind = Mirror::Entry::Kind::change,
                 .owner = known.owner,
                 .newest = newest,
                 .shown = newest && known.shown,
                 .destroyed = false,
                 .id = id,
                 .entity = known.entity,
                 .prototype = known.prototype,
                 .words = words,
                 .values = 0});
}

// Null if there is no level, or no such entity in it.
ecs::Entity DeltaDecoder::level_entity(std::uint32_t index) const {
  if (mirror_.level_.copy == nullptr) return ecs::null_entity;
  const ecs::EntityRange& range = mirror_.level_.copy->range();
  return index - range.first < range.count ? range.at(index - range.first) : ecs::null_entity;
}

const char* DeltaDecoder::whole(std::uint32_t id) {
  if (!first_of(id)) return twice;
  const std::uint32_t index = bits_.read_golomb(wire::index_order);
  const bool of_level = bits_.read_bool();
  if (!bits_.ok() || index >= mirror_.entities_max_) return "an entity that cannot be";
  if (of_level) return since_level(id, level_entity(index));
  const ecs::Entity entity{index, static_cast<std::uint32_t>(bits_.read(32))};
  const bool owner = bits_.read_bool();
  const std::uint32_t announced = bits_.read_golomb(wire::prototype_order);
  if (!bits_.ok()) return ends_too_early;
  if (!entity) return "an entity that cannot be";
  if (announced >= mirror_.prototypes_.size()) return "a prototype that was not announced";
  const ecs::PrototypeId prototype = mirror_.prototypes_[announced];
  if (announced != 0 && prototype == ecs::empty_prototype) return "a prototype that was not announced";
  const wire::EntityLayout& layout = mirror_.codecs_.entity(prototype);
  const std::size_t words = mirror_.words_.size();
  mirror_.words_.resize(words + layout.words);
  if (!wire::EntityCodec(layout, owner).read_full(bits_, mirror_.words_.data() + words))
    return "an entity that cannot be read";
  return appear(id, entity, prototype, owner, words);
}

const char* DeltaDecoder::since_level(std::uint32_t id, ecs::Entity entity) {
  if (!entity) return "an entity of the level that it does not have";
  const wire::LevelCopy& level = *mirror_.level_.copy;
  const ecs::PrototypeId prototype = mirror_.level_.prototypes[entity.index - level.range().first];
  const wire::EntityLayout& layout = mirror_.codecs_.entity(prototype);
  level_words_.resize(layout.words);
  level.words(entity.index, level_words_.data());
  const std::size_t words = mirror_.words_.size();
  mirror_.words_.resize(words + layout.words);
  const wire::Baselines baseline{
      .baseline = level_words_.data(), .previous_baseline = nullptr, .time = {wire::level_age, 0}};
  if (!wire::EntityCodec(layout, false).read_delta(baseline, bits_, mirror_.words_.data() + words))
    return "an entity that cannot be read";
  return appear(id, entity, prototype, false, words);
}

const char* DeltaDecoder::appear(std::uint32_t id, ecs::Entity entity, ecs::PrototypeId prototype, bool owner,
                                 std::size_t words) {
  const bool is_known = id < mirror_.known_.size();
  if (is_known && mirror_.known_[id].versions.size() >= EntityVersions::states_max) return too_many_states;
  const bool newest = !is_known || is_news(mirror_.known_[id], entity);
  const ecs::Entity there = mirror_.registry_.entities().at(entity.index);
  // What an id shows it goes on to show, made of whatever it is by now.
  const bool shows = is_known && mirror_.known_[id].shown && mirror_.known_[id].entity == entity;
  const bool may_show = (!there || mirror_.tick_of(there) < header_.tick) && !left_since(entity);
  return finish({.kind = Mirror::Entry::Kind::whole,
                 .owner = owner,
                 .newest = newest,
                 .shown = newest && (shows || may_show),
                 .destroyed = false,
                 .id = id,
                 .entity = entity,
                 .prototype = prototype,
                 .words = words,
                 .values = 0});
}

// For a delta that is late. An id that serves another by now is none of them: what was written before comes too late.
void DeltaDecoder::find_left() {
  for (const Mirror::Known& known : mirror_.known_)
    if (known.gone && known.left) left_.push_back(&known);
  std::ranges::sort(left_, {}, left_index);
}

// Whether more is known of the entity than it was in this delta's tick, or its index had another by then.
bool DeltaDecoder::left_since(ecs::Entity entity) const {
  const auto [first, last] = std::ranges::equal_range(left_, entity.index, {}, left_index);
  return std::any_of(first, last, [&](const Mirror::Known* known) {
    return known->versions.newest().tick >= header_.tick || (known->destroyed && known->left == entity);
  });
}

bool DeltaDecoder::is_news(const Mirror::Known& known, ecs::Entity entity) const {
  if (known.gone) return header_.tick > known.gone_tick;
  return known.entity != entity || known.versions.newest().tick < header_.tick;
}

// Makes the components of what will be shown, onto those that are there, so that what is never sent stays.
const char* DeltaDecoder::finish(Mirror::Entry entry) {
  entry.values = mirror_.values_.size();
  const ecs::Registry& registry = mirror_.registry_;
  const std::uint32_t* words = mirror_.words_.data() + entry.words;
  if (entry.shown) {
    for (const ecs::PoolId pool : registry.prototypes().pools(entry.prototype)) {
      const ecs::ComponentType& type = registry.pool(pool).type();
      const wire::RowCodec& codec = *mirror_.codecs_.row(pool);
      const std::byte* present = registry.valid(entry.entity) ? registry.try_read(entry.entity, pool) : nullptr;
      const std::size_t at = mirror_.values_.size();
      mirror_.values_.resize(at + type.size);
      std::byte* value = mirror_.values_.data() + at;
      if (type.size > 0) std::memcpy(value, present != nullptr ? present : type.default_value.data(), type.size);
      if (!codec.to_component(words, entry.owner, value)) return "a component that cannot be";
      if (!entry.owner) codec.reset_owner_only(type.default_value.data(), value);
      words += codec.words();
    }
  }
  mirror_.entries_.push_back(entry);
  return nullptr;
}

}  // namespace mobula::client
