#include <algorithm>
#include <cstring>
#include <mobula/client/mirror/mirror.hpp>
#include <mobula/core/bit_set.hpp>
#include <mobula/core/format.hpp>

namespace mobula::client {
namespace {

// Bounds of what a server can make a mirror keep.
constexpr std::uint32_t prototype_id_limit = 1u << 16;
constexpr std::size_t names_max = 1u << 16;

constexpr std::uint32_t prototypes_swept = 16;  // checked for being unused, with each delta or announcement

}  // namespace

Mirror::Mirror(std::shared_ptr<const reflect::Schema> schema, std::uint32_t entities_max)
    : state_(std::move(schema), entities_max) {}

Mirror::~Mirror() = default;

core::Result<std::unique_ptr<Mirror>> Mirror::make(std::shared_ptr<const reflect::Schema> schema,
                                                   std::uint32_t entities_max, const Mirror* former) {
  std::unique_ptr<Mirror> mirror(new Mirror(std::move(schema), entities_max));
  MirrorState& state = mirror->state_;
  if (core::Status done = reflect::register_components(state.registry, *state.schema); !done) return done.error();
  for (const reflect::Component& component : state.schema->components())
    if (core::Result<core::StringId32> named = state.names.add(component.name); !named) return named.error();
  if (former == nullptr || former->schema().fingerprint() != state.schema->fingerprint()) return mirror;
  state.names = former->names();
  for (ecs::PoolId id = 0; id < former->registry().pool_count(); ++id) {
    const ecs::Pool& pool = former->registry().pool(id);
    const core::Result<ecs::PoolId> opened = state.registry.open_pool(pool.type().id, pool.instance_name());
    if (!opened) return opened.error();
  }
  return mirror;
}

core::Status Mirror::add_names(const wire::Names& names) {
  if (state_.names.size() + names.texts.size() > names_max)
    return core::Error{"too many names", core::format("the server announced more than {} names", names_max)};
  for (const std::string& text : names.texts)
    if (core::Result<core::StringId32> named = state_.names.add(text); !named) return named.error();
  return core::Done{};
}

core::Status Mirror::check_prototype(const wire::Prototype& prototype) const {
  if (prototype.id == 0 || prototype.id >= prototype_id_limit)
    return core::Error{"too many prototypes",
                       core::format("prototype id {}; ids are 1 to {}", prototype.id, prototype_id_limit - 1)};
  for (const auto& [type, instance] : prototype.components) {
    const reflect::Component* component = state_.schema->find(type);
    if (component == nullptr)
      return core::Error{"unknown component", "the schema has no component type " + to_string(type)};
    if (component->not_sent) return core::Error{"bad prototype", component->name + " is server-only and never sent"};
    if (!state_.names.contains(instance))
      return core::Error{"bad prototype", "instance name " + to_string(instance) + " was not announced"};
    if (std::ranges::count(prototype.components, instance, &index::ComponentRef::instance) > 1)
      return core::Error{"bad prototype", "two components have the instance name " + state_.names.text(instance)};
  }
  return core::Done{};
}

core::Result<ecs::PrototypeId> Mirror::intern(std::span<const index::ComponentRef> components) {
  std::vector<ecs::PoolId> pools;
  for (const auto& [type, instance] : components) {
    const core::Result<ecs::PoolId> pool = state_.registry.open_pool(type, state_.names.text(instance));
    if (!pool) return pool.error();
    pools.push_back(*pool);
  }
  if (const ecs::SentSize size = state_.registry.prototypes().sent_size(pools); !size.fits())
    return core::Error{"bad prototype",
                       core::format("{} components of {} bytes; an entity has at most {} of {} bytes", size.components,
                                    size.bits / 8, ecs::SentSize::components_max, ecs::SentSize::bits_max / 8)};
  return state_.registry.prototypes().intern(pools);
}

core::Status Mirror::add_prototypes(const wire::Prototypes& message) {
  const core::Status added = intern_prototypes(message);
  state_.codecs.forget(
      state_.registry.prototypes().reclaim(prototypes_swept));  // announcements alone could add ever more
  return added;
}

core::Status Mirror::intern_prototypes(const wire::Prototypes& message) {
  for (const wire::Prototype& prototype : message.prototypes)
    if (core::Status good = check_prototype(prototype); !good) return good;
  std::vector<ecs::PrototypeId> interned;
  for (const wire::Prototype& prototype : message.prototypes) {
    const core::Result<ecs::PrototypeId> made = intern(prototype.components);
    if (!made) return made.error();
    interned.push_back(*made);
  }
  for (std::size_t i = 0; i < interned.size(); ++i) {
    const std::uint32_t id = message.prototypes[i].id;
    for (; id >= state_.prototypes.size(); state_.prototypes.push_back(ecs::empty_prototype))
      state_.registry.prototypes().hold(ecs::empty_prototype);
    state_.registry.prototypes().hold(interned[i]);
    state_.registry.prototypes().drop(std::exchange(state_.prototypes[id], interned[i]));
  }
  return core::Done{};
}

core::Status Mirror::apply(const wire::DeltaHeader& header, core::ByteView delta) {
  const bool late = header.sequence < state_.newest;
  if (header.ack >= next_ack_)
    return core::Error{"malformed delta", "it is encoded against an acknowledgement that was not sent"};
  // May be true of the newest delta too, if the server has received no acknowledgement for long.
  if (header.ack < floor_ || state_.at(header.ack).ack != header.ack)
    return core::Error{"too late", "it is encoded against an acknowledgement that is forgotten"};
  const core::Bytes* const sent = header.body != 0 ? bodies_.find(header.body) : nullptr;
  if (header.body != 0 && sent == nullptr)
    return core::Error{"too late", "it has a body that is not here, or not any more"};
  const core::ByteView body = sent != nullptr ? core::ByteView(*sent) : delta.subspan(wire::header_size(header));
  if (const char* wrong = DeltaDecoder(state_, header, body, delta_).run())
    return core::Error{late ? "too late" : "malformed delta", wrong};
  if (state_words_ + stale_.kept_words() + words_to_come() > state_words_max)
    return core::Error{"too much to keep", core::format("the states of all entities exceed {} words", state_words_max)};

  state_.registry.set_tick(std::max(header.tick, state_.tick));
  for (const DeltaEntry& entry : delta_.entries) apply(entry, header);
  state_.registry.clear_journal();
  state_.codecs.forget(state_.registry.prototypes().reclaim(prototypes_swept));
  if (header.tick > state_.tick) {
    state_.tick = header.tick;
    courses_.follow(state_.registry, state_.tick, changes_);
    follow_stale();
  }
  if (late) return core::Done{};
  state_.newest = header.sequence;
  std::uint32_t& oldest = baselines_[state_.newest % late_margin];
  floor_ = std::max(floor_, oldest);
  oldest = header.ack;
  return core::Done{};
}

// Returns the words that the decoded delta adds: its states, the growth of former states to a new prototype's size, and
// copies of former states for pictures.
std::size_t Mirror::words_to_come() const {
  std::size_t words = delta_.words.size() + delta_.entries.size() * EntityVersions::head;
  for (const DeltaEntry& entry : delta_.entries) {
    if (entry.shown) words += state_.codecs.entity(entry.prototype).courses * MirroredCourses::entry_words;
    if (entry.kind == DeltaEntry::Kind::full && entry.newest && entry.id < state_.known.size() &&
        state_.known[entry.id].prototype != entry.prototype)
      words += state_.known[entry.id].versions.size() * state_.codecs.entity(entry.prototype).words +
               state_.known[entry.id].versions.kept_words();
  }
  return words;
}

void Mirror::acknowledged(std::uint32_t ack) {
  rehash_some();
  state_.acknowledged[ack % acknowledged_kept] = {ack, state_.tick, hash_};
  next_ack_ = ack + 1;
}

std::optional<bool> Mirror::verify(const wire::DeltaHeader& header) const {
  const MirrorState::Acknowledged& then = state_.at(header.ack);
  if (!header.verifies || header.ack == 0 || then.ack != header.ack) return std::nullopt;
  return then.hash == header.hash;
}

// --- Applying ------------------------------------------------------------------------------------------------------

void Mirror::apply(const DeltaEntry& entry, const wire::DeltaHeader& header) {
  if (entry.kind == DeltaEntry::Kind::lost) return apply_lost(entry, header.tick);
  const bool other_owner = entry.kind == DeltaEntry::Kind::full && is_owner(entry.entity) != entry.owner;
  if (entry.kind == DeltaEntry::Kind::full && entry.newest) assign_id(entry, header);
  MirroredEntity& known = state_.known[entry.id];
  const std::uint32_t count = state_.codecs.entity(entry.prototype).words;
  // An older state is useless if the newest one is of another entity, prototype or owner.
  const bool fits = known.prototype == entry.prototype && known.owner == entry.owner && !known.lost;
  if (!fits) return;
  before_.clear();
  if (entry.shown && entry.kind == DeltaEntry::Kind::delta) {
    const EntityVersions::Version newest = known.versions.newest();
    if (newest.words != nullptr) before_.assign(newest.words, newest.words + count);
  }
  if (entry.kind == DeltaEntry::Kind::full) known.first_tick = std::min(known.first_tick, header.tick);
  const std::span<const std::uint32_t> words(delta_.words.data() + entry.words, count);
  state_words_ -= known.versions.kept_words();
  known.versions.add(header.tick, next_ack_, entry.kind == DeltaEntry::Kind::full, words);
  if (entry.newest) rehash(known);
  if (entry.shown) show(entry, known, other_owner);
  known.versions.prune(floor_, shown_tick_);
  prune_former(known);
  state_words_ += known.versions.kept_words();
}

void Mirror::assign_id(const DeltaEntry& entry, const wire::DeltaHeader& header) {
  if (entry.id >= state_.known.size()) state_.known.resize(entry.id + 1);
  MirroredEntity& known = state_.known[entry.id];
  const bool same = known.entity == entry.entity && !known.lost;
  if (same && known.prototype == entry.prototype && known.owner == entry.owner) return;
  state_words_ -= known.versions.kept_words();
  drop_courses(known);  // those of the former prototype
  ecs::PrototypeTable& prototypes = state_.registry.prototypes();
  prototypes.hold(entry.prototype);
  if (same) keep_former(known, header.tick);
  if (known.entity) prototypes.drop(known.prototype);
  if (!same) replace_entity(known, entry.entity, header);
  known.entity = entry.entity;
  known.prototype = entry.prototype;
  known.owner = entry.owner;
  known.versions.restart(state_.codecs.entity(entry.prototype).words);
  state_words_ += known.versions.kept_words();
}

void Mirror::replace_entity(MirroredEntity& known, ecs::Entity entity, const wire::DeltaHeader& header) {
  // A delta that uses the id for its former entity was written before this one, and is too late from now on.
  if (known.entity || known.lost) floor_ = std::max(floor_, header.ack);
  if (!known.lost && known.entity) hash_ -= known.hash;
  size_ += !known.lost && known.entity ? 0 : 1;
  if (known.shown) {
    hide(known);
    set_stale(known.entity);
  }
  drop_former(known, known.former_states.size());
  forget_former(id_of(known));
  known = {};
  known.first_tick = ~0u;
  if (!state_.is_as_loaded(entity)) return;
  // An entity of the level is counted already.
  known.first_tick = state_.level.tick;
  --size_;
  known.hash = state_.level.copy->hash(entity.index);
  keep_loaded(known, entity, header.tick);
  state_.level.here[entity.index - state_.level.copy->range().first] = false;
}

void Mirror::apply_lost(const DeltaEntry& entry, ecs::Tick tick) {
  if (state_.is_as_loaded(entry.entity)) end_loaded(entry.entity, entry.destroyed);
  if (entry.id >= state_.known.size()) state_.known.resize(entry.id + 1);
  MirroredEntity& known = state_.known[entry.id];
  known.lost_tick = std::max(known.lost_tick, tick);
  if (std::exchange(known.lost, true)) return;
  known.lost_ack = next_ack_;
  known.former = known.entity ? known.entity : entry.entity;
  known.destroyed = entry.destroyed;
  note_former(entry.id);
  if (!known.entity) return;  // the delta with its first state was lost
  StaleCourses courses;
  if (entry.continues && known.shown) courses = courses_of(known, tick);
  state_words_ -= known.versions.kept_words();
  known.versions.restart(0);
  state_words_ += known.versions.kept_words();
  drop_former(known, known.former_states.size());
  hash_ -= std::exchange(known.hash, 0);
  --size_;
  if (!known.shown) return;  // shown under another id by now, or its index is another entity's
  hide(known);
  entry.destroyed ? destroy(known.entity) : set_stale(known.entity, std::move(courses));
}

void Mirror::hide(MirroredEntity& known) {
  known.shown = false;
  drop_courses(known);
  state_.shown.erase(known.entity.index);
}

// If an index has several former entities, the latest one counts.
void Mirror::note_former(std::uint32_t id) {
  if (const ecs::Entity former = state_.known[id].former; former) state_.former.set(former.index, id);
}

void Mirror::forget_former(std::uint32_t id) {
  const ecs::Entity former = state_.known[id].former;
  if (former && state_.former.find(former.index) == id) state_.former.erase(former.index);
}

void Mirror::destroy(ecs::Entity entity) {
  stale_.erase(entity);
  changes_.add(entity, ChangeKind::destroyed);
  state_.registry.destroy(entity);
}

// Creates an entity in the registry, unless it is there. Whatever had its index, also the entity itself under another
// id, is no longer shown. Returns whether the entity is listed as spawned or composed.
bool Mirror::bring_in(MirroredEntity& known, bool other_owner) {
  const std::uint32_t before = state_.shown.find(known.entity.index);
  if (before != ShownIds::none) {
    state_.known[before].shown = false;
    drop_courses(state_.known[before]);
  }
  const std::uint32_t id = id_of(known);
  state_.shown.set(known.entity.index, id);
  known.shown = true;
  const ecs::Entity there = state_.registry.entities().at(known.entity.index);
  if (there && there != known.entity) state_.is_as_loaded(there) ? end_loaded(there, true) : destroy(there);
  const bool is_new = !state_.registry.valid(known.entity);
  const bool spawned = is_new || is_stale(known.entity);
  if (is_new) state_.registry.create_given(known.entity);
  stale_.erase(known.entity);
  const bool composed = recompose(known.entity, known.prototype) || other_owner;
  const std::span<const ecs::PoolId> pools = state_.registry.prototypes().pools(known.prototype);
  if (!spawned && !composed) {
    changes_.mark_as(before, id, pools);
    return false;
  }
  changes_.add(known.entity, spawned ? ChangeKind::spawned : ChangeKind::composed);
  changes_.mark(id);
  return true;
}

void Mirror::show(const DeltaEntry& entry, MirroredEntity& known, bool other_owner) {
  const bool is_listed = entry.kind == DeltaEntry::Kind::full && bring_in(known, other_owner);
  show_values(entry, known.entity, !is_listed);
  note_courses(known);
}

// Writes the components that differ from the state before. `lists`: each of them is listed as changed.
void Mirror::show_values(const DeltaEntry& entry, ecs::Entity entity, bool lists) {
  const std::uint32_t* words = delta_.words.data() + entry.words;
  const std::byte* value = delta_.values.data() + entry.values;
  std::size_t at = 0;
  for (const ecs::PoolId pool : state_.registry.prototypes().pools(entry.prototype)) {
    const std::uint32_t count = state_.codecs.row(pool)->words();
    const std::uint32_t size = state_.registry.pool(pool).type().size;
    const bool same = before_.empty()
                          ? size == 0 || std::memcmp(state_.registry.try_read(entity, pool), value, size) == 0
                          : std::equal(words, words + count, before_.begin() + static_cast<std::ptrdiff_t>(at));
    if (!same && size > 0) {
      std::memcpy(state_.registry.try_write(entity, pool), value, size);
      if (lists) changes_.add(entity, entry.id, pool);
    }
    words += count;
    at += count;
    value += size;
  }
}

// Follows the courses of an entity's shown state. `before_` are the words of the one before.
void Mirror::note_courses(MirroredEntity& known) {
  if (state_.codecs.entity(known.prototype).courses == 0) return;
  state_words_ -= known.course_words();
  known.courses = courses_.set(state_.codecs, {.entity = known.entity,
                                               .id = id_of(known),
                                               .pools = state_.registry.prototypes().pools(known.prototype),
                                               .words = known.versions.newest().words,
                                               .before = before_.empty() ? nullptr : before_.data()});
  state_words_ += known.course_words();
}

void Mirror::drop_courses(MirroredEntity& known) {
  if (known.courses == 0) return;
  courses_.erase(known.entity.index, state_.registry.prototypes().pools(known.prototype));
  state_words_ -= known.course_words();
  known.courses = 0;
}

// Gives an entity the components of a prototype. Returns whether it had others.
bool Mirror::recompose(ecs::Entity entity, ecs::PrototypeId prototype) {
  if (state_.registry.prototype(entity) == prototype) return false;
  const ecs::PrototypeTable& prototypes = state_.registry.prototypes();
  // Copies the lists: adding a component makes prototypes, which may move the lists of the table.
  const auto copy = [&](ecs::PrototypeId id) {
    const std::span<const ecs::PoolId> pools = prototypes.pools(id);
    return std::vector<ecs::PoolId>(pools.begin(), pools.end());
  };
  for (const ecs::PoolId pool : copy(state_.registry.prototype(entity)))
    if (!prototypes.contains(prototype, pool)) state_.registry.remove(entity, pool);
  for (const ecs::PoolId pool : copy(prototype))
    if (!state_.registry.pool(pool).contains(entity.index)) state_.registry.add_bytes(entity, pool);
  return true;
}

bool Mirror::shows_newest(const MirroredEntity& known) const {
  const std::uint32_t* words = known.versions.newest().words;
  std::vector<std::uint32_t> shown;
  for (const ecs::PoolId pool : state_.registry.prototypes().pools(known.prototype)) {
    const wire::RowCodec& codec = *state_.codecs.row(pool);
    if (codec.courses().empty()) {
      shown.resize(codec.words());
      codec.to_words(state_.registry.try_read(known.entity, pool), shown.data());
      const std::uint32_t count = known.owner ? codec.words() : codec.public_words();
      if (!std::equal(words, words + count, shown.begin())) return false;
    } else if (!shows_courses(known, pool, words)) {
      return false;
    }
    words += codec.words();
  }
  return true;
}

// The words of a course do not follow from the component, so components are compared.
bool Mirror::shows_courses(const MirroredEntity& known, ecs::PoolId pool, const std::uint32_t* words) const {
  const std::byte* const shown = state_.registry.try_read(known.entity, pool);
  core::Bytes expected(shown, shown + state_.registry.pool(pool).type().size);
  return state_.codecs.row(pool)->to_component(words, known.owner, state_.tick, expected.data()) &&
         std::memcmp(expected.data(), shown, expected.size()) == 0;
}

void Mirror::check() {
  state_.registry.check();
  std::uint64_t hash = 0;
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < state_.level.here.size(); ++i) {
    if (!state_.level.here[i]) continue;
    MOBULA_ASSERT(state_.registry.valid(state_.level.copy->range().at(i)), "an unmodified entity of the level exists");
    hash += state_.level.copy->hash(state_.level.copy->range().first + i);
    ++count;
  }
  std::size_t state_words = 0;
  std::size_t former_states = 0;
  std::size_t courses = 0;
  for (const MirroredEntity& known : state_.known) {
    state_words += known.versions.kept_words() + known.course_words();
    courses += known.courses;
    for (const FormerStates& former : known.former_states) state_words += former.versions.kept_words();
    former_states += known.former_states.size();
    if (const std::uint32_t id = known.former ? state_.former.find(known.former.index) : ShownIds::none;
        id != ShownIds::none)
      MOBULA_ASSERT(state_.known[id].lost && state_.known[id].former.index == known.former.index,
                    "a former entity is found by its index");
    if (!known.entity || known.lost) continue;
    hash += hash_of(known);
    ++count;
    MOBULA_ASSERT(known.hash == hash_of(known), "an entity's hash is that of its newest state");
    MOBULA_ASSERT(!known.shown || !is_stale(known.entity), "an entity in view is not stale");
    MOBULA_ASSERT(known.shown == (state_.find(known.entity) == &known), "a shown entity is found by its handle");
    MOBULA_ASSERT(!known.shown || shows_newest(known), "the registry shows the newest state");
    MOBULA_ASSERT(
        known.courses == courses_.count(known.entity.index, state_.registry.prototypes().pools(known.prototype)) ||
            !known.shown,
        "the courses of a shown entity are counted");
  }
  MOBULA_ASSERT(hash == hash_ && count == size_, "the hash is the sum of the entities' hashes");
  MOBULA_ASSERT(state_words == state_words_, "the kept words are counted");
  MOBULA_ASSERT(courses == courses_.size(), "courses are those of shown entities");
  MOBULA_ASSERT(former_states == former_states_, "former states are counted");
}

}  // namespace mobula::client
