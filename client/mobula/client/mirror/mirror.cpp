#include <algorithm>
#include <cstring>
#include <mobula/client/mirror/delta_decoder.hpp>
#include <mobula/client/mirror/mirror.hpp>

namespace mobula::client {
namespace {

// What a server may make a mirror keep.
constexpr std::uint32_t prototype_id_limit = 1u << 16;
constexpr std::size_t names_max = 1u << 16;

constexpr std::uint32_t prototypes_looked_at = 16;  // for those that nobody needs, with each delta or announcement

}  // namespace

Mirror::Mirror(std::shared_ptr<const reflect::Schema> schema, std::uint32_t entities_max)
    : schema_(std::move(schema)),
      entities_max_(entities_max),
      registry_({.entities = {.recycling = ecs::Recycling::given, .entities_max = entities_max},
                 .pools = {.sparse_page_shift = ecs::SparseSet::no_pages}}),
      codecs_(registry_, *schema_),
      prototypes_{ecs::empty_prototype} {}

Mirror::~Mirror() = default;

void MirrorChanges::clear() {
  appeared.clear();
  changed.clear();
  stale.clear();
  destroyed.clear();
}

core::Result<std::unique_ptr<Mirror>> Mirror::make(std::shared_ptr<const reflect::Schema> schema,
                                                   std::uint32_t entities_max) {
  std::unique_ptr<Mirror> mirror(new Mirror(std::move(schema), entities_max));
  if (core::Status done = reflect::register_components(mirror->registry_, *mirror->schema_); !done) return done.error();
  for (const reflect::Component& component : mirror->schema_->components())
    if (core::Result<core::StringId32> named = mirror->names_.add(component.name); !named) return named.error();
  return mirror;
}

core::Status Mirror::add_names(const wire::Names& names) {
  if (names_.size() + names.texts.size() > names_max)
    return core::Error{"too many names", "more names than a mirror keeps"};
  for (const std::string& text : names.texts)
    if (core::Result<core::StringId32> named = names_.add(text); !named) return named.error();
  return core::Done{};
}

core::Status Mirror::check_prototype(const wire::Prototype& prototype) const {
  if (prototype.id == 0 || prototype.id >= prototype_id_limit)
    return core::Error{"too many prototypes", "prototype id " + std::to_string(prototype.id)};
  for (const auto& [type, instance] : prototype.components) {
    const reflect::Component* component = schema_->find(type);
    if (component == nullptr) return core::Error{"unknown component", "no component type " + to_string(type)};
    if (component->not_sent) return core::Error{"bad prototype", component->name + " is never sent"};
    if (!names_.contains(instance))
      return core::Error{"bad prototype", "instance name " + to_string(instance) + " was not announced"};
    if (std::ranges::count(prototype.components, instance, &index::ComponentRef::instance) > 1)
      return core::Error{"bad prototype", "two components have the instance name " + names_.text(instance)};
  }
  return core::Done{};
}

core::Result<ecs::PrototypeId> Mirror::intern(std::span<const index::ComponentRef> components) {
  std::vector<ecs::PoolId> pools;
  for (const auto& [type, instance] : components) {
    const core::Result<ecs::PoolId> pool = registry_.open_pool(type, names_.text(instance));
    if (!pool) return pool.error();
    pools.push_back(*pool);
  }
  return registry_.prototypes().intern(pools);
}

core::Status Mirror::add_prototypes(const wire::Prototypes& message) {
  const core::Status added = take_prototypes(message);
  codecs_.forget(registry_.prototypes().reclaim(prototypes_looked_at));  // announcements alone could make ever more
  return added;
}

core::Status Mirror::take_prototypes(const wire::Prototypes& message) {
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
    for (; id >= prototypes_.size(); prototypes_.push_back(ecs::empty_prototype))
      registry_.prototypes().hold(ecs::empty_prototype);
    registry_.prototypes().hold(interned[i]);
    registry_.prototypes().drop(std::exchange(prototypes_[id], interned[i]));
  }
  return core::Done{};
}

core::Status Mirror::apply(const wire::DeltaHeader& header, core::ByteView delta) {
  const bool late = header.sequence < newest_;
  const Acknowledged& rests_on = acknowledged_[header.ack % acknowledged_kept];
  if (header.ack >= next_ack_)
    return core::Error{"malformed delta", "it rests on an acknowledgement that was not given"};
  // Also of the newest one, when the server has heard nothing for long.
  if (header.ack < floor_ || rests_on.ack != header.ack)
    return core::Error{"too late", "it rests on an acknowledgement that is forgotten"};
  if (const char* wrong = DeltaDecoder(*this, header, delta.subspan(wire::header_size(header))).run())
    return core::Error{late ? "too late" : "malformed delta", wrong};
  if (state_words_ + words_to_come() > state_words_max)
    return core::Error{"too much to keep", "more states of entities than a mirror keeps"};

  registry_.set_tick(std::max(header.tick, tick_));
  for (const Entry& entry : entries_) apply(entry, header);
  registry_.clear_journal();
  codecs_.forget(registry_.prototypes().reclaim(prototypes_looked_at));
  tick_ = std::max(tick_, header.tick);
  if (late) return core::Done{};
  newest_ = header.sequence;
  std::uint32_t& oldest = rests_on_[newest_ % late_margin];
  floor_ = std::max(floor_, oldest);
  oldest = header.ack;
  return core::Done{};
}

// Of the delta under way: its states, and those before them that become as wide.
std::size_t Mirror::words_to_come() {
  std::size_t words = words_.size() + entries_.size() * EntityVersions::head;
  for (const Entry& entry : entries_)
    if (entry.kind == Entry::Kind::whole && entry.newest && entry.id < known_.size() &&
        known_[entry.id].prototype != entry.prototype)
      words += known_[entry.id].versions.size() * codecs_.entity(entry.prototype).words;
  return words;
}

void Mirror::acknowledged(std::uint32_t ack) {
  rehash_some();
  acknowledged_[ack % acknowledged_kept] = {ack, tick_, hash_};
  next_ack_ = ack + 1;
}

std::optional<bool> Mirror::verify(const wire::DeltaHeader& header) const {
  const Acknowledged& then = acknowledged_[header.ack % acknowledged_kept];
  if (!header.verifies || header.ack == 0 || then.ack != header.ack) return std::nullopt;
  return then.hash == header.hash;
}

bool Mirror::is_moving(std::uint32_t id, std::uint32_t ack, ecs::Tick newest) const {
  const Known& known = known_[id];
  if (known.gone && known.gone_ack <= ack) return false;
  const EntityVersions::Version b1 = known.versions.baselines(ack).b1;
  return b1.tick != 0 && newest - b1.tick <= wire::moving_age_max;
}

const Mirror::Known* Mirror::find(ecs::Entity entity) const {
  const std::uint32_t id = shown_.find(entity.index);
  return id != ShownIds::none && known_[id].entity == entity ? &known_[id] : nullptr;
}

ecs::Tick Mirror::tick_of(ecs::Entity entity) const {
  const Known* known = find(entity);
  if (known != nullptr) return known->versions.newest().tick;
  return is_as_loaded(entity) ? level_.tick : 0;
}

bool Mirror::is_stale(ecs::Entity entity) const { return std::ranges::find(stale_, entity) != stale_.end(); }

// Applying ------------------------------------------------------------------------------------------------------------

void Mirror::apply(const Entry& entry, const wire::DeltaHeader& header) {
  if (entry.kind == Entry::Kind::gone) return apply_gone(entry, header.tick);
  if (entry.kind == Entry::Kind::whole && entry.newest) take_over_id(entry, header.ack);
  Known& known = known_[entry.id];
  const std::uint32_t count = codecs_.entity(entry.prototype).words;
  // A whole state that is not the newest, and is of something else than that, is of no use.
  const bool fits = known.prototype == entry.prototype && known.owner == entry.owner && !known.gone;
  if (!fits) return;
  before_.clear();
  if (entry.shown && entry.kind == Entry::Kind::change) {
    const EntityVersions::Version newest = known.versions.newest();
    if (newest.words != nullptr) before_.assign(newest.words, newest.words + count);
  }
  if (entry.kind == Entry::Kind::whole) known.appeared = std::min(known.appeared, header.tick);
  const std::span<const std::uint32_t> words(words_.data() + entry.words, count);
  state_words_ -= known.versions.kept_words();
  known.versions.add(header.tick, next_ack_, entry.kind == Entry::Kind::whole, words);
  if (entry.newest) rehash(known);
  if (entry.shown) show(entry, known);
  known.versions.prune(floor_, shown_tick_);
  state_words_ += known.versions.kept_words();
}

void Mirror::take_over_id(const Entry& entry, std::uint32_t ack) {
  if (entry.id >= known_.size()) known_.resize(entry.id + 1);
  Known& known = known_[entry.id];
  const bool same = known.entity == entry.entity && !known.gone;
  if (same && known.prototype == entry.prototype && known.owner == entry.owner) return;
  state_words_ -= known.versions.kept_words();
  ecs::PrototypeTable& prototypes = registry_.prototypes();
  prototypes.hold(entry.prototype);
  if (known.entity) prototypes.drop(known.prototype);
  if (!same) {
    // Who reads the id as another's knows less than the server did when it wrote this.
    if (known.entity || known.gone) floor_ = std::max(floor_, ack);
    if (!known.gone && known.entity) hash_ -= known.hash;
    size_ += !known.gone && known.entity ? 0 : 1;
    if (known.shown) {
      hide(known);
      set_stale(known.entity);
    }
    known = {};
    known.appeared = ~0u;
    if (is_as_loaded(entry.entity)) {  // counted already
      known.appeared = level_.tick;
      --size_;
      known.hash = level_.copy->hash(entry.entity.index);
      level_.here[entry.entity.index - level_.copy->range().first] = false;
    }
  }
  known.entity = entry.entity;
  known.prototype = entry.prototype;
  known.owner = entry.owner;
  known.versions.restart(codecs_.entity(entry.prototype).words);
  state_words_ += known.versions.kept_words();
}

void Mirror::apply_gone(const Entry& entry, ecs::Tick tick) {
  if (is_as_loaded(entry.entity)) end_loaded(entry.entity, entry.destroyed);
  if (entry.id >= known_.size()) known_.resize(entry.id + 1);
  Known& known = known_[entry.id];
  known.gone_tick = std::max(known.gone_tick, tick);
  if (std::exchange(known.gone, true)) return;
  known.gone_ack = next_ack_;
  known.left = known.entity ? known.entity : entry.entity;
  known.destroyed = entry.destroyed;
  if (!known.entity) return;  // it was lost that it appeared
  state_words_ -= known.versions.kept_words();
  known.versions.restart(0);
  state_words_ += known.versions.kept_words();
  hash_ -= std::exchange(known.hash, 0);
  --size_;
  if (!known.shown) return;  // back already under another id, or its index is another's
  hide(known);
  entry.destroyed ? destroy(known.entity) : set_stale(known.entity);
}

void Mirror::hide(Known& known) {
  known.shown = false;
  shown_.erase(known.entity.index);
}

void Mirror::destroy(ecs::Entity entity) {
  std::erase(stale_, entity);
  changes_.destroyed.push_back(entity);
  registry_.destroy(entity);
}

void Mirror::set_stale(ecs::Entity entity) {
  if (stale_.size() == stale_max) destroy(stale_.front());
  stale_.push_back(entity);
  changes_.stale.push_back(entity);
}

// What was at its index, also itself under another id, is no longer shown.
void Mirror::bring_in(Known& known) {
  const std::uint32_t before = shown_.find(known.entity.index);
  if (before != ShownIds::none) known_[before].shown = false;
  shown_.set(known.entity.index, static_cast<std::uint32_t>(&known - known_.data()));
  known.shown = true;
  const ecs::Entity there = registry_.entities().at(known.entity.index);
  if (there && there != known.entity) is_as_loaded(there) ? end_loaded(there, true) : destroy(there);
  if (!registry_.valid(known.entity)) registry_.create_given(known.entity);
  std::erase(stale_, known.entity);
  recompose(known.entity, known.prototype);
}

void Mirror::show(const Entry& entry, Known& known) {
  if (entry.kind == Entry::Kind::whole) bring_in(known);
  (entry.kind == Entry::Kind::whole ? changes_.appeared : changes_.changed).push_back(known.entity);
  const std::uint32_t* words = words_.data() + entry.words;
  const std::byte* value = values_.data() + entry.values;
  std::size_t at = 0;
  for (const ecs::PoolId pool : registry_.prototypes().pools(known.prototype)) {
    const std::uint32_t count = codecs_.row(pool)->words();
    const std::uint32_t size = registry_.pool(pool).type().size;
    const bool same =
        !before_.empty() && std::equal(words, words + count, before_.begin() + static_cast<std::ptrdiff_t>(at));
    if (!same && size > 0) std::memcpy(registry_.try_write(known.entity, pool), value, size);
    words += count;
    at += count;
    value += size;
  }
}

void Mirror::recompose(ecs::Entity entity, ecs::PrototypeId prototype) {
  const ecs::PrototypeTable& prototypes = registry_.prototypes();
  // Adding makes prototypes, which may move the table's own lists: hence copies.
  const auto copy = [&](ecs::PrototypeId id) {
    const std::span<const ecs::PoolId> pools = prototypes.pools(id);
    return std::vector<ecs::PoolId>(pools.begin(), pools.end());
  };
  for (const ecs::PoolId pool : copy(registry_.prototype(entity)))
    if (!prototypes.contains(prototype, pool)) registry_.remove(entity, pool);
  for (const ecs::PoolId pool : copy(prototype))
    if (!registry_.pool(pool).contains(entity.index)) registry_.add_bytes(entity, pool);
}

bool Mirror::shows_newest(const Known& known) {
  const std::uint32_t* words = known.versions.newest().words;
  std::vector<std::uint32_t> shown;
  for (const ecs::PoolId pool : registry_.prototypes().pools(known.prototype)) {
    const wire::RowCodec& codec = *codecs_.row(pool);
    shown.resize(codec.words());
    codec.to_words(registry_.try_read(known.entity, pool), shown.data());
    if (!std::equal(words, words + (known.owner ? codec.words() : codec.public_words()), shown.begin())) return false;
    words += codec.words();
  }
  return true;
}

void Mirror::check() {
  registry_.check();
  std::uint64_t hash = 0;
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < level_.here.size(); ++i) {
    if (!level_.here[i]) continue;
    MOBULA_ASSERT(registry_.valid(level_.copy->range().at(i)), "what is as loaded is there");
    hash += level_.copy->hash(level_.copy->range().first + i);
    ++count;
  }
  std::size_t state_words = 0;
  for (const Known& known : known_) {
    state_words += known.versions.kept_words();
    if (!known.entity || known.gone) continue;
    hash += hash_of(known);
    ++count;
    MOBULA_ASSERT(known.hash == hash_of(known), "an entity's hash is that of its newest state");
    MOBULA_ASSERT(!known.shown || !is_stale(known.entity), "what is in view is not stale");
    MOBULA_ASSERT(known.shown == (find(known.entity) == &known), "what is shown is found");
    MOBULA_ASSERT(!known.shown || shows_newest(known), "what is shown is the newest state");
  }
  MOBULA_ASSERT(hash == hash_ && count == size_, "the hash of all is the sum of its entities'");
  MOBULA_ASSERT(state_words == state_words_, "what is kept is counted");
}

}  // namespace mobula::client
