#include <algorithm>
#include <cstring>
#include <mobula/client/mirror/delta_decoder.hpp>

namespace mobula::client {
namespace {

constexpr const char* ends_too_early = "the delta ends too early";
constexpr const char* more_moving = "more moving entities than there are";
constexpr const char* twice = "two entries of one id";
constexpr const char* too_many_states = "more states of an entity than there can be deltas in flight";

}  // namespace

const char* DeltaDecoder::run() {
  delta_.entries.clear();
  delta_.words.clear();
  delta_.values.clear();
  delta_.ids.make_room(mirror_.known.size());
  delta_.ids.clear();
  for (const auto part :
       {&DeltaDecoder::read_moving, &DeltaDecoder::read_changed, &DeltaDecoder::read_full, &DeltaDecoder::read_lost}) {
    next_id_ = 0;
    if (const char* wrong = (this->*part)()) return wrong;
    if (!bits_.ok()) return ends_too_early;
  }
  if (bits_.left() >= 8 || bits_.read(static_cast<unsigned>(bits_.left())) != 0)
    return "the delta goes on after its end";
  return nullptr;
}

const char* DeltaDecoder::read_moving() {
  std::uint32_t left = bits_.read_golomb(wire::moving_count_order);
  if (left == 0) return nullptr;
  std::uint32_t id = bits_.read_golomb(wire::first_id_order);
  for (;;) {
    std::uint64_t run = std::uint64_t{bits_.read_golomb(wire::run_order)} + 1;
    if (!bits_.ok()) return ends_too_early;
    if (run > left) return "a run of moving entities that is too long";
    for (left -= static_cast<std::uint32_t>(run); run > 0; --run, ++id) {
      if (!find_moving(id)) return more_moving;
      if (const char* wrong = read_change(id)) return wrong;
    }
    if (left == 0) return nullptr;
    for (std::uint64_t gap = std::uint64_t{bits_.read_golomb(wire::gap_order)} + 1; gap > 0; --gap, ++id)
      if (!find_moving(id)) return more_moving;
  }
}

// Moves on to the next moving id, from `id` on. Returns false if there is none.
bool DeltaDecoder::find_moving(std::uint32_t& id) const {
  while (id < mirror_.known.size() && !mirror_.is_moving(id, header_.ack)) ++id;
  return id < mirror_.known.size();
}

bool DeltaDecoder::read_id(std::uint32_t& id) {
  const std::uint64_t read = next_id_ + bits_.read_golomb(wire::id_order);
  id = static_cast<std::uint32_t>(std::min<std::uint64_t>(read, wire::ids_max));
  next_id_ = read + 1;
  return bits_.ok() && id < wire::ids_max;
}

// Notes that an entry names an id. Returns false if an earlier entry did.
bool DeltaDecoder::is_first_entry(std::uint32_t id) {
  if (id >= mirror_.known.size()) return true;  // a new id may be in both of the last two lists
  if (delta_.ids.contains(id)) return false;
  delta_.ids.insert(id);
  return true;
}

const char* DeltaDecoder::read_changed() {
  std::uint32_t id = 0;
  for (std::uint32_t left = bits_.read_golomb(wire::count_order); left > 0; --left) {
    if (!read_id(id) || id >= mirror_.known.size()) return "a change of an unknown id";
    if (const char* wrong = read_change(id)) return wrong;
  }
  return nullptr;
}

const char* DeltaDecoder::read_full() {
  std::uint32_t id = 0;
  std::uint32_t left = bits_.read_golomb(wire::count_order);
  if (left > 0 && header_.sequence < mirror_.newest) find_former();
  for (; left > 0; --left) {
    if (!read_id(id)) return "an id beyond the limit";
    if (const char* wrong = read_full_state(id)) return wrong;
  }
  return nullptr;
}

const char* DeltaDecoder::read_lost() {
  std::uint32_t id = 0;
  for (std::uint32_t left = bits_.read_golomb(wire::count_order); left > 0; --left) {
    if (!read_id(id)) return "an id beyond the limit";
    if (!is_first_entry(id)) return twice;
    const bool destroyed = bits_.read_bool();
    const bool continues = header_.lost_continue && !destroyed && bits_.read_bool();
    ecs::Entity entity;  // null unless it is of the level
    if (bits_.read_bool()) entity = mirror_.level_entity(bits_.read_golomb(wire::index_order));
    if (!bits_.ok()) return ends_too_early;
    delta_.entries.push_back({.kind = DeltaEntry::Kind::lost,
                              .owner = false,
                              .newest = false,
                              .shown = false,
                              .destroyed = destroyed,
                              .continues = continues,
                              .id = id,
                              .entity = entity,
                              .prototype = ecs::empty_prototype,
                              .words = 0,
                              .values = 0});
  }
  return nullptr;
}

const char* DeltaDecoder::read_change(std::uint32_t id) {
  if (!is_first_entry(id)) return twice;
  const MirroredEntity& known = mirror_.known[id];
  EntityVersions::Baselines base = known.versions.baselines(header_.ack);
  if (header_.without_early) base.early = {};
  if (base.baseline.tick == 0 || base.baseline.words == nullptr || base.baseline.tick >= header_.tick)
    return "a change of an entity that has no state";
  if ((base.previous.tick != 0 && base.previous.words == nullptr) ||
      (base.early.tick != 0 && base.early.words == nullptr))
    return "a change encoded against a state that is lost";
  if (known.versions.size() >= EntityVersions::states_max) return too_many_states;
  const wire::EntityLayout& layout = mirror_.codecs.entity(known.prototype);
  const std::size_t words = delta_.words.size();
  delta_.words.resize(words + layout.words);
  const wire::Baselines baseline{.baseline = base.baseline.words,
                                 .previous_baseline = base.previous.words,
                                 .early_baseline = base.early.words,
                                 .time = {.age = header_.tick - base.baseline.tick,
                                          .span = base.baseline.tick - base.previous.tick,
                                          .early = base.baseline.tick - base.early.tick}};
  if (!wire::EntityCodec(layout, known.owner, header_.tick).read_delta(baseline, bits_, delta_.words.data() + words))
    return "a change that cannot be decoded";
  const bool newest = !known.lost && known.versions.newest().tick < header_.tick;
  return add({.kind = DeltaEntry::Kind::delta,
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

const char* DeltaDecoder::read_full_state(std::uint32_t id) {
  if (!is_first_entry(id)) return twice;
  const std::uint32_t index = bits_.read_golomb(wire::index_order);
  const bool of_level = bits_.read_bool();
  if (!bits_.ok() || index >= mirror_.entities_max) return "an impossible entity handle";
  if (of_level) return read_change_of_level(id, mirror_.level_entity(index));
  const ecs::Entity entity{index, static_cast<std::uint32_t>(bits_.read(32))};
  const bool owner = bits_.read_bool();
  const std::uint32_t announced = bits_.read_golomb(wire::prototype_order);
  if (!bits_.ok()) return ends_too_early;
  if (!entity) return "an impossible entity handle";
  if (announced >= mirror_.prototypes.size()) return "a prototype that was not announced";
  const ecs::PrototypeId prototype = mirror_.prototypes[announced];
  if (announced != 0 && prototype == ecs::empty_prototype) return "a prototype that was not announced";
  const wire::EntityLayout& layout = mirror_.codecs.entity(prototype);
  const std::size_t words = delta_.words.size();
  delta_.words.resize(words + layout.words);
  if (!wire::EntityCodec(layout, owner, header_.tick).read_full(bits_, delta_.words.data() + words))
    return "an entity that cannot be decoded";
  return add_full(id, entity, prototype, owner, words);
}

const char* DeltaDecoder::read_change_of_level(std::uint32_t id, ecs::Entity entity) {
  if (!entity) return "an entity that the level does not have";
  const wire::LevelCopy& level = *mirror_.level.copy;
  const ecs::PrototypeId prototype = mirror_.level.prototypes[entity.index - level.range().first];
  const wire::EntityLayout& layout = mirror_.codecs.entity(prototype);
  level_words_.resize(layout.words);
  level.words(entity.index, level_words_.data());
  const std::size_t words = delta_.words.size();
  delta_.words.resize(words + layout.words);
  const wire::Baselines baseline{.baseline = level_words_.data(), .time = {.age = wire::level_age}};
  if (!wire::EntityCodec(layout, false, header_.tick).read_delta(baseline, bits_, delta_.words.data() + words))
    return "an entity that cannot be decoded";
  return add_full(id, entity, prototype, false, words);
}

const char* DeltaDecoder::add_full(std::uint32_t id, ecs::Entity entity, ecs::PrototypeId prototype, bool owner,
                                   std::size_t words) {
  const bool is_known = id < mirror_.known.size();
  if (is_known && mirror_.known[id].versions.size() >= EntityVersions::states_max) return too_many_states;
  const bool newest = !is_known || is_news(mirror_.known[id], entity);
  const ecs::Entity there = mirror_.registry.entities().at(entity.index);
  // An id goes on to show its entity, also if the entity's prototype has changed.
  const bool shows = is_known && mirror_.known[id].shown && mirror_.known[id].entity == entity;
  const bool may_show = (!there || mirror_.tick_of(there) < header_.tick) && !ended_since(entity);
  return add({.kind = DeltaEntry::Kind::full,
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

// Collects the despawned entities, for a late delta. An id that was reused is not among them: deltas written before
// that are refused as too late.
void DeltaDecoder::find_former() {
  for (const MirroredEntity& known : mirror_.known)
    if (known.lost && known.former) former_.push_back(&known);
  std::ranges::sort(former_, {}, former_index);
}

// Whether a newer state of a despawned entity was received, or another entity had its index by this delta's tick.
bool DeltaDecoder::ended_since(ecs::Entity entity) const {
  const auto [first, last] = std::ranges::equal_range(former_, entity.index, {}, former_index);
  return std::any_of(first, last, [&](const MirroredEntity* known) {
    return known->versions.newest().tick >= header_.tick || (known->destroyed && known->former == entity);
  });
}

bool DeltaDecoder::is_news(const MirroredEntity& known, ecs::Entity entity) const {
  if (known.lost) return header_.tick > known.lost_tick;
  return known.entity != entity || known.versions.newest().tick < header_.tick;
}

// Makes the components of a state that will be shown. They begin as copies of those in the registry, so that fields
// which are not sent keep their values.
const char* DeltaDecoder::add(DeltaEntry entry) {
  entry.values = delta_.values.size();
  const ecs::Registry& registry = mirror_.registry;
  const std::uint32_t* words = delta_.words.data() + entry.words;
  const ecs::Tick shown_tick = std::max(header_.tick, mirror_.tick);
  if (entry.shown) {
    for (const ecs::PoolId pool : registry.prototypes().pools(entry.prototype)) {
      const ecs::ComponentType& type = registry.pool(pool).type();
      const wire::RowCodec& codec = *mirror_.codecs.row(pool);
      const std::byte* present = registry.valid(entry.entity) ? registry.try_read(entry.entity, pool) : nullptr;
      const std::size_t at = delta_.values.size();
      delta_.values.resize(at + type.size);
      std::byte* value = delta_.values.data() + at;
      if (type.size > 0) std::memcpy(value, present != nullptr ? present : type.default_value.data(), type.size);
      if (!codec.to_component(words, entry.owner, shown_tick, value)) return "an impossible component value";
      if (!entry.owner) codec.reset_owner_only(type.default_value.data(), value);
      words += codec.words();
    }
  }
  delta_.entries.push_back(entry);
  return nullptr;
}

}  // namespace mobula::client
