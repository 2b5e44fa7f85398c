#include <algorithm>
#include <cstring>
#include <mobula/client/mirror/delta_decoder.hpp>
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

// As JSON, cut if it is long.
std::string value_text(const reflect::Field& field, const std::byte* at, const index::NameTable& names) {
  std::string text;
  index::append_json(field, at, names, text);
  if (text.size() > value_bytes_max) text.resize(value_bytes_max);
  while (!core::is_printable(text)) text.pop_back();
  return text;
}

// Two values of one component that were read from words.
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

// As above, where the client's words are no value: by what travels together.
void name_impossible(const reflect::Component& component, const std::string& name, const wire::RowCodec& codec,
                     bool owner, const std::uint32_t* client, const std::uint32_t* server, const std::byte* value,
                     const index::NameTable& names, std::vector<wire::MirrorDifference>& differences) {
  for (const wire::Unit& unit : codec.units()) {
    const std::uint32_t end = unit.first + unit.size();
    const std::uint32_t differs = static_cast<std::uint32_t>(
        std::mismatch(client + unit.first, client + end, server + unit.first).first - client);
    if (differs == end || (unit.owner_only && !owner) || differences.size() >= wire::max_mirror_differences) continue;
    const reflect::Field& field = component.fields[unit.field];
    differences.push_back({.entity = {},
                           .component = name,
                           .field = field.path,
                           .client = core::format("no value (word {:08x})", client[differs]),
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
  for (const Told& told : told_) mirror.registry_.prototypes().drop(told.prototype);
  told_ = {};
  words_ = {};
}

std::optional<wire::MirrorHashes> MirrorCheck::next(Mirror& mirror, core::Nanoseconds now) {
  if (now < next_at_) return std::nullopt;
  if (wanted_) begin(mirror);
  if (!under_way_) {
    forget(mirror);
    return std::nullopt;
  }
  wire::MirrorHashes part{.of_level = of_level_, .first = next_place_, .end = 0, .tick = mirror.tick_, .hashes = {}};
  of_level_ ? tell_level(mirror, part) : tell_ids(mirror, part);
  next_place_ = part.end;
  next_at_ = now + part_interval;
  if (part.end != all_places) return part;
  if (of_level_ || mirror.level_.copy == nullptr) {
    under_way_ = false;
    next_at_ = now + pause;
  }
  of_level_ = true;
  next_place_ = 0;
  return part;
}

void MirrorCheck::tell(Mirror& mirror, wire::MirrorHashes& part, const Told& told) {
  part.hashes.push_back(told.hash);
  told_.push_back(told);
  mirror.registry_.prototypes().hold(told.prototype);
  words_.resize(told.words + mirror.codecs_.entity(told.prototype).words);
}

void MirrorCheck::tell_ids(Mirror& mirror, wire::MirrorHashes& part) {
  std::uint32_t id = part.first;
  for (; id < mirror.known_.size() && part.hashes.size() < wire::max_mirror_hashes; ++id) {
    const Mirror::Known& known = mirror.known_[id];
    if (!known.entity || known.gone) continue;
    const EntityVersions::Version newest = known.versions.newest();
    tell(mirror, part,
         {.of_level = false,
          .hash = {id, known.entity, newest.tick, known.hash},
          .prototype = known.prototype,
          .owner = known.owner,
          .words = words_.size()});
    std::copy_n(newest.words, words_.size() - told_.back().words, words_.data() + told_.back().words);
  }
  part.end = id < mirror.known_.size() ? id : all_places;
}

// What is in the registry: it has no other values.
void MirrorCheck::tell_level(Mirror& mirror, wire::MirrorHashes& part) {
  const ecs::EntityRange& range = mirror.level_.copy->range();
  std::uint32_t index = std::max(part.first, range.first);
  for (; index < range.first + range.count && part.hashes.size() < wire::max_mirror_hashes; ++index) {
    const ecs::Entity entity = range.at(index - range.first);
    if (!mirror.is_as_loaded(entity)) continue;
    const ecs::PrototypeId prototype = mirror.level_.prototypes[index - range.first];
    const std::size_t words = words_.size();
    tell(mirror, part,
         {.of_level = true,
          .hash = {index, entity, mirror.level_.tick, 0},
          .prototype = prototype,
          .owner = false,
          .words = words});
    mirror.codecs_.words(entity, prototype, words_.data() + words);
    told_.back().hash.hash = part.hashes.back().hash =
        mirror.codecs_.hash(entity, prototype, words_.data() + words, false);
  }
  part.end = index < range.first + range.count ? index : all_places;
}

MirrorCheck::Told* MirrorCheck::find(const wire::MirrorCorrection& correction) {
  const auto before = [](const Told& told, const wire::MirrorCorrection& wanted) {
    return std::pair(told.of_level, told.hash.place) < std::pair(wanted.of_level, wanted.place);
  };
  const auto found = std::lower_bound(told_.begin(), told_.end(), correction, before);
  const bool same = found != told_.end() && found->of_level == correction.of_level &&
                    found->hash.place == correction.place && found->hash.entity == correction.entity &&
                    found->hash.tick == correction.tick;
  return same ? &*found : nullptr;
}

core::Result<std::vector<wire::MirrorDifference>> MirrorCheck::take(Mirror& mirror,
                                                                    const wire::MirrorCorrection& correction) {
  std::vector<wire::MirrorDifference> differences;
  const bool explains = ++explained_ <= explained_max;
  if (correction.fault == wire::MirrorFault::missing && explains)
    core::log_error("client", "mirror: entity {} was missing", to_string(correction.entity));
  Told* told = find(correction);
  if (told == nullptr || correction.fault == wire::MirrorFault::missing) return differences;
  if (correction.fault == wire::MirrorFault::unknown) {
    if (mirror.drop(correction.of_level, correction.place, correction.entity, correction.tick))
      differences.push_back(
          {.entity = {}, .component = "entity", .field = "exists", .client = "true", .server = "false"});
  } else if (const core::Status done = compare(mirror, *told, correction, differences); !done) {
    return done.error();
  }
  told->hash.tick = 0;  // once
  if (!explains) return std::vector<wire::MirrorDifference>{};
  for (wire::MirrorDifference& each : differences) {
    each.entity = correction.entity;
    core::log_error("client", "mirror: entity {} at tick {}, {} {}: {} here, {} at the server",
                    to_string(correction.entity), correction.tick, each.component, each.field, each.client,
                    each.server);
  }
  return differences;
}

core::Status MirrorCheck::compare(Mirror& mirror, const Told& told, const wire::MirrorCorrection& correction,
                                  std::vector<wire::MirrorDifference>& differences) const {
  const std::uint64_t prototype = mirror.codecs_.prototype_hash(told.prototype);
  if (prototype != correction.prototype) {
    differences.push_back({.entity = {},
                           .component = "entity",
                           .field = "prototype",
                           .client = core::format("{:016x}", prototype),
                           .server = core::format("{:016x}", correction.prototype)});
    return core::Done{};
  }
  if (correction.words.empty()) return core::Done{};
  if (correction.words.size() != mirror.codecs_.entity(told.prototype).words)
    return core::Error{"malformed correction", "as many words as the entity has"};
  const bool owner = told.owner && correction.owner;
  std::size_t at = 0;
  for (const ecs::PoolId id : mirror.registry_.prototypes().pools(told.prototype)) {
    const ecs::Pool& pool = mirror.registry_.pool(id);
    const wire::RowCodec& codec = *mirror.codecs_.row(id);
    const reflect::Component& component = *mirror.schema_->find(pool.type().id);
    core::Bytes client = component.default_value;
    core::Bytes server = component.default_value;
    if (!codec.to_component(correction.words.data() + at, owner, server.data()))
      return core::Error{"malformed correction", "a component that cannot be"};
    const std::uint32_t* words = words_.data() + told.words + at;
    if (codec.to_component(words, owner, client.data())) {
      name_differences(component, pool.instance_name(), client.data(), server.data(), mirror.names_, differences);
    } else {
      name_impossible(component, pool.instance_name(), codec, owner, words, correction.words.data() + at, server.data(),
                      mirror.names_, differences);
    }
    at += codec.words();
  }
  return core::Done{};
}

}  // namespace mobula::client
