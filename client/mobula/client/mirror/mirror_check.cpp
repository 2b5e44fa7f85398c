#include <algorithm>
#include <cstring>
#include <mobula/client/mirror/mirror_check.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/core/text.hpp>
#include <mobula/index/property_text.hpp>

namespace mobula::client {
namespace {

constexpr std::size_t value_bytes_max = 100;
constexpr std::uint32_t all_places = ~0u;

std::string element_path(const reflect::Field& field, std::uint32_t element) {
  std::string path = field.path;
  if (field.count == 1) return path;
  const std::size_t at = field.array_at != 0 ? field.array_at : path.size();
  return path.insert(at, core::format("[{}]", element));
}

// Returns a value as JSON, truncated if it is long.
std::string value_text(const reflect::Field& field, const std::byte* at, const index::NameTable& names) {
  std::string text;
  index::append_json(field, at, names, text);
  if (text.size() > value_bytes_max) text.resize(value_bytes_max);
  while (!core::is_printable(text)) text.pop_back();
  return text;
}

// Appends the fields in which two values of one component differ.
void name_differences(const reflect::Component& component, const std::string& name, const std::byte* client,
                      const std::byte* server, const index::NameTable& names,
                      std::vector<wire::MirrorDifference>& differences) {
  for (const reflect::Field& field : component.fields) {
    for (std::uint32_t i = 0; i < field.count && differences.size() < wire::max_mirror_differences; ++i) {
      const std::size_t at = field.offset + std::size_t{i} * field.stride;
      if (std::memcmp(client + at, server + at, field.size) == 0) continue;
      differences.push_back({.entity = {},
                             .component = name,
                             .field = element_path(field, i),
                             .client = value_text(field, client + at, names),
                             .server = value_text(field, server + at, names)});
    }
  }
}

// Returns a course in words, with its numbers as they are sent.
std::string course_text(const wire::CourseUnit& unit, const std::uint32_t* words) {
  if (!wire::is_under_way(unit, words)) return "at rest";
  std::string text = core::format("a course since tick {} by", words[unit.tick_word()]);
  for (std::uint32_t i = 0; i + 1 < unit.course_words(); ++i)
    text += core::format(" {}", static_cast<std::int32_t>(words[unit.course + i]));
  return text;
}

// Appends the units whose courses differ. The values of one tick may be the same.
void name_courses(const reflect::Component& component, const std::string& name, const wire::RowCodec& codec,
                  const std::uint32_t* client, const std::uint32_t* server,
                  std::vector<wire::MirrorDifference>& differences) {
  for (const wire::Unit& unit : codec.units()) {
    if (unit.course == wire::Unit::no_course || differences.size() >= wire::max_mirror_differences) continue;
    const wire::CourseUnit& course = codec.courses()[unit.course];
    const std::size_t bytes = sizeof(std::uint32_t) * course.course_words();
    if (std::memcmp(client + course.course, server + course.course, bytes) == 0) continue;
    differences.push_back({.entity = {},
                           .component = name,
                           .field = unit_path(component, unit),
                           .client = course_text(course, client),
                           .server = course_text(course, server)});
  }
}

// Appends the units in which words differ, for words of the client that are not a value.
void name_impossible(const reflect::Component& component, const std::string& name, const wire::RowCodec& codec,
                     bool owner, const std::uint32_t* client, const std::uint32_t* server, const std::byte* value,
                     const index::NameTable& names, std::vector<wire::MirrorDifference>& differences) {
  for (const wire::Unit& unit : codec.units()) {
    const std::uint32_t end = unit.first + unit.size();
    const std::uint32_t differs = static_cast<std::uint32_t>(
        std::mismatch(client + unit.first, client + end, server + unit.first).first - client);
    if (differs == end || !wire::receives(unit.receivers, owner) || differences.size() >= wire::max_mirror_differences)
      continue;
    const reflect::Field& field = component.fields[unit.field];
    differences.push_back({.entity = {},
                           .component = name,
                           .field = field.path,
                           .client = core::format("not a value (word {:08x})", client[differs]),
                           .server = value_text(field, value + field.offset, names)});
  }
}

}  // namespace

void MirrorCheck::suspect(core::Nanoseconds now) {
  if (!under_way_ && now >= next_at_) wanted_ = true;
}

void MirrorCheck::begin(Mirror& mirror) {
  forget(mirror);
  mirror.rehash_all();
  wanted_ = of_level_ = false;
  under_way_ = true;
  next_place_ = 0;
  explained_ = 0;
}

void MirrorCheck::forget(Mirror& mirror) {
  for (const Sent& sent : sent_) mirror.registry().prototypes().drop(sent.prototype);
  sent_ = {};
  words_ = {};
}

std::optional<wire::MirrorHashes> MirrorCheck::next(Mirror& mirror, core::Nanoseconds now) {
  if (now < next_at_) return std::nullopt;
  if (wanted_) begin(mirror);
  if (!under_way_) {
    forget(mirror);
    return std::nullopt;
  }
  wire::MirrorHashes part{.of_level = of_level_, .first = next_place_, .end = 0, .tick = mirror.tick(), .hashes = {}};
  of_level_ ? add_level(mirror, part) : add_ids(mirror, part);
  next_place_ = part.end;
  next_at_ = now + part_interval;
  if (part.end != all_places) return part;
  if (of_level_ || mirror.state().level.copy == nullptr) {
    under_way_ = false;
    next_at_ = now + pause;
  }
  of_level_ = true;
  next_place_ = 0;
  return part;
}

void MirrorCheck::add(Mirror& mirror, wire::MirrorHashes& part, const Sent& sent) {
  part.hashes.push_back(sent.hash);
  sent_.push_back(sent);
  mirror.registry().prototypes().hold(sent.prototype);
  words_.resize(sent.words + mirror.state().codecs.entity(sent.prototype).words);
}

void MirrorCheck::add_ids(Mirror& mirror, wire::MirrorHashes& part) {
  const std::vector<MirroredEntity>& all = mirror.state().known;
  std::uint32_t id = part.first;
  for (; id < all.size() && part.hashes.size() < wire::max_mirror_hashes; ++id) {
    const MirroredEntity& known = all[id];
    if (!known.entity || known.lost) continue;
    const EntityVersions::Version newest = known.versions.newest();
    add(mirror, part,
        {.of_level = false,
         .hash = {id, known.entity, newest.tick, known.hash},
         .prototype = known.prototype,
         .owner = known.owner,
         .words = words_.size()});
    std::copy_n(newest.words, words_.size() - sent_.back().words, words_.data() + sent_.back().words);
  }
  part.end = id < all.size() ? id : all_places;
}

// Hashes the registry: an unmodified entity of the level has no other values.
void MirrorCheck::add_level(Mirror& mirror, wire::MirrorHashes& part) {
  const MirrorState& state = mirror.state();
  const ecs::EntityRange& range = state.level.copy->range();
  std::uint32_t index = std::max(part.first, range.first);
  for (; index < range.first + range.count && part.hashes.size() < wire::max_mirror_hashes; ++index) {
    const ecs::Entity entity = range.at(index - range.first);
    if (!state.is_as_loaded(entity)) continue;
    const ecs::PrototypeId prototype = state.level.prototypes[index - range.first];
    const std::size_t words = words_.size();
    add(mirror, part,
        {.of_level = true,
         .hash = {index, entity, state.level.tick, 0},
         .prototype = prototype,
         .owner = false,
         .words = words});
    state.codecs.words(entity, prototype, words_.data() + words);
    sent_.back().hash.hash = part.hashes.back().hash =
        state.codecs.hash(entity, prototype, words_.data() + words, false);
  }
  part.end = index < range.first + range.count ? index : all_places;
}

MirrorCheck::Sent* MirrorCheck::find(const wire::MirrorCorrection& correction) {
  const auto before = [](const Sent& sent, const wire::MirrorCorrection& wanted) {
    return std::pair(sent.of_level, sent.hash.place) < std::pair(wanted.of_level, wanted.place);
  };
  const auto found = std::lower_bound(sent_.begin(), sent_.end(), correction, before);
  const bool same = found != sent_.end() && found->of_level == correction.of_level &&
                    found->hash.place == correction.place && found->hash.entity == correction.entity &&
                    found->hash.tick == correction.tick;
  return same ? &*found : nullptr;
}

core::Result<std::vector<wire::MirrorDifference>> MirrorCheck::on_correction(Mirror& mirror,
                                                                             const wire::MirrorCorrection& correction) {
  std::vector<wire::MirrorDifference> differences;
  const bool explains = ++explained_ <= explained_max;
  if (correction.fault == wire::MirrorFault::missing && explains)
    core::log_error("client", "mirror: entity {} was missing", to_string(correction.entity));
  Sent* sent = find(correction);
  if (sent == nullptr || correction.fault == wire::MirrorFault::missing) return differences;
  if (correction.fault == wire::MirrorFault::unknown) {
    if (mirror.drop(correction.of_level, correction.place, correction.entity, correction.tick))
      differences.push_back(
          {.entity = {}, .component = "entity", .field = "exists", .client = "true", .server = "false"});
  } else if (const core::Status done = compare(mirror.state(), *sent, correction, differences); !done) {
    return done.error();
  }
  sent->hash.tick = 0;  // a second correction of it yields nothing
  if (!explains) return std::vector<wire::MirrorDifference>{};
  for (wire::MirrorDifference& each : differences) {
    each.entity = correction.entity;
    core::log_error("client", "mirror: entity {} at tick {}, {} {}: {} in the mirror, {} on the server",
                    to_string(correction.entity), correction.tick, each.component, each.field, each.client,
                    each.server);
  }
  return differences;
}

core::Status MirrorCheck::compare(const MirrorState& mirror, const Sent& sent, const wire::MirrorCorrection& correction,
                                  std::vector<wire::MirrorDifference>& differences) const {
  const std::uint64_t prototype = mirror.codecs.prototype_hash(sent.prototype);
  if (prototype != correction.prototype) {
    differences.push_back({.entity = {},
                           .component = "entity",
                           .field = "prototype",
                           .client = core::format("{:016x}", prototype),
                           .server = core::format("{:016x}", correction.prototype)});
    return core::Done{};
  }
  if (correction.words.empty()) return core::Done{};
  if (correction.words.size() != mirror.codecs.entity(sent.prototype).words)
    return core::Error{"malformed correction", "another number of words than the entity has"};
  if (sent.owner != correction.owner) {
    // They receive different words. Those that one of them does not receive are zeros, which may be no value.
    differences.push_back({.entity = {},
                           .component = "entity",
                           .field = "owner",
                           .client = sent.owner ? "true" : "false",
                           .server = correction.owner ? "true" : "false"});
    return core::Done{};
  }
  const bool owner = sent.owner;
  std::size_t at = 0;
  for (const ecs::PoolId id : mirror.registry.prototypes().pools(sent.prototype)) {
    const ecs::Pool& pool = mirror.registry.pool(id);
    const wire::RowCodec& codec = *mirror.codecs.row(id);
    const reflect::Component& component = *mirror.schema->find(pool.type().id);
    core::Bytes client = component.default_value;
    core::Bytes server = component.default_value;
    if (!codec.to_component(correction.words.data() + at, owner, mirror.tick, server.data()))
      return core::Error{"malformed correction", "an impossible component value"};
    const std::uint32_t* words = words_.data() + sent.words + at;
    if (codec.to_component(words, owner, mirror.tick, client.data())) {
      name_differences(component, pool.instance_name(), client.data(), server.data(), mirror.names, differences);
      name_courses(component, pool.instance_name(), codec, words, correction.words.data() + at, differences);
    } else {
      name_impossible(component, pool.instance_name(), codec, owner, words, correction.words.data() + at, server.data(),
                      mirror.names, differences);
    }
    at += codec.words();
  }
  return core::Done{};
}

}  // namespace mobula::client
