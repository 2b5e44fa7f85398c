#include <algorithm>
#include <mobula/client/mirror.hpp>

namespace mobula::client {
namespace {

// What a server may make a mirror keep.
constexpr std::uint32_t prototype_id_limit = 1u << 16;
constexpr std::size_t names_max = 1u << 16;

constexpr std::uint32_t prototypes_looked_at = 16;  // for those that nobody needs, with each delta or announcement

}  // namespace

Mirror::Mirror(std::shared_ptr<const reflect::Schema> schema, std::uint32_t index_limit)
    : schema_(std::move(schema)),
      index_limit_(index_limit),
      registry_({.entities = {.recycling = ecs::Recycling::given, .index_limit = index_limit},
                 .pools = {.sparse_page_shift = 8}}),
      rows_(registry_, *schema_),
      prototypes_{ecs::empty_prototype} {}

core::Result<std::unique_ptr<Mirror>> Mirror::make(std::shared_ptr<const reflect::Schema> schema,
                                                   std::uint32_t index_limit) {
  std::unique_ptr<Mirror> mirror(new Mirror(std::move(schema), index_limit));
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

core::Result<ecs::PrototypeId> Mirror::intern(const wire::Prototype& prototype) {
  std::vector<ecs::PoolId> pools;
  for (const auto& [type, instance] : prototype.components) {
    const core::Result<ecs::PoolId> pool = registry_.open_pool(type, names_.text(instance));
    if (!pool) return pool.error();
    pools.push_back(*pool);
  }
  return registry_.prototypes().intern(pools);
}

core::Status Mirror::add_prototypes(const wire::Prototypes& message) {
  const core::Status added = take_prototypes(message);
  rows_.forget(registry_.prototypes().reclaim(prototypes_looked_at));  // announcements alone could make ever more
  return added;
}

core::Status Mirror::take_prototypes(const wire::Prototypes& message) {
  for (const wire::Prototype& prototype : message.prototypes)
    if (core::Status good = check_prototype(prototype); !good) return good;
  std::vector<ecs::PrototypeId> interned;
  for (const wire::Prototype& prototype : message.prototypes) {
    const core::Result<ecs::PrototypeId> made = intern(prototype);
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

core::Status Mirror::apply(core::ByteView delta) {
  const wire::DeltaContext context{registry_, rows_, prototypes_, index_limit_};
  if (core::Status decoded = wire::decode_delta(delta, context, decoded_); !decoded) return decoded;
  registry_.set_tick(decoded_.header.tick);
  for (const wire::DecodedDelta::Entry& entry : decoded_.entries) apply(entry);
  registry_.clear_journal();
  rows_.forget(registry_.prototypes().reclaim(prototypes_looked_at));
  tick_ = decoded_.header.tick;
  return core::Done{};
}

void Mirror::apply(const wire::DecodedDelta::Entry& entry) {
  switch (entry.kind) {
    case wire::DecodedDelta::Kind::spawn: return spawn(entry);
    case wire::DecodedDelta::Kind::update: return write(entry);
    case wire::DecodedDelta::Kind::despawn: return despawn(entry.entity.index);
  }
}

void Mirror::despawn(std::uint32_t index) {
  const ecs::Entity present = registry_.entities().at(index);
  if (!present) return;  // a spawn that was lost, and the end of it
  rows_.erase(index);
  registry_.destroy(present);
}

void Mirror::spawn(const wire::DecodedDelta::Entry& entry) {
  if (registry_.entities().at(entry.entity.index) != entry.entity) despawn(entry.entity.index);
  if (!registry_.valid(entry.entity)) registry_.create_given(entry.entity);
  recompose(entry.entity, entry.prototype);
  rows_.place(entry.entity, entry.prototype, decoded_.header.tick);
  write(entry);
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

void Mirror::write(const wire::DecodedDelta::Entry& entry) {
  for (const wire::DecodedDelta::Part& part : decoded_.parts_of(entry)) {
    std::byte* component = registry_.try_write(entry.entity, part.pool);
    std::memcpy(component, &decoded_.values[part.value], registry_.pool(part.pool).type().size);
    core::BitReader bits(decoded_.body);
    bits.skip(part.bit);
    rows_.assign(entry.entity.index, part.pool, bits, part.bits, decoded_.header.tick);
  }
}

void Mirror::check() const {
  registry_.check();
  rows_.check();
  MOBULA_ASSERT(rows_.size() == registry_.entities().size(), "every mirrored entity has rows");
}

}  // namespace mobula::client
