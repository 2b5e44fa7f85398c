// Registry: component types and pools.
#include <algorithm>
#include <mobula/core/text.hpp>
#include <mobula/core/undo.hpp>
#include <mobula/ecs/misuse.hpp>
#include <mobula/ecs/registry.hpp>
#include <utility>

namespace mobula::ecs {
namespace {

std::uint64_t pool_key(core::StringId32 type, core::StringId32 instance) {
  return static_cast<std::uint64_t>(type.value) << 32 | instance.value;
}

}  // namespace

core::Result<const ComponentType*> Registry::register_type(ComponentType type) {
  if (const ComponentType* known = find_type(type.id))
    return core::Error{"name collision", "component type " + type.name + " has the id of " + known->name};
  MOBULA_CHECK(!type.schema || type.default_value.size() == type.size, "a schema component has a default value");
  types_.push_back(core::Owned(new ComponentType(std::move(type))));
  return static_cast<const ComponentType*>(types_.back().get());
}

const ComponentType* Registry::find_type(core::StringId32 id) const {
  const auto found = std::find_if(types_.begin(), types_.end(), [id](const auto& type) { return type->id == id; });
  return found == types_.end() ? nullptr : found->get();
}

bool Registry::good_instance_name(const ComponentType& type, std::string_view name) {
  return !name.empty() && core::is_printable(name) && (!type.schema || name.size() <= max_name_bytes);
}

core::Result<PoolId> Registry::open_pool(core::StringId32 type_id, std::string_view instance_name) {
  const core::StringId32 instance(instance_name);
  const PoolId found = find_pool(type_id, instance);
  if (found != no_pool) {
    if (pools_[found]->instance_name() != instance_name)
      return core::Error{"name collision", "instance name " + std::string(instance_name) + " has the hash of " +
                                               pools_[found]->instance_name()};
    return found;
  }
  const ComponentType* type = find_type(type_id);
  if (type == nullptr)
    return core::Error{"unknown component", "no component type " + core::to_string(type_id) + " is registered"};
  if (!good_instance_name(*type, instance_name))
    return core::Error{"bad name",
                       "an instance name is 1 to " + std::to_string(max_name_bytes) + " bytes of printable UTF-8"};
  if (pools_.size() == max_pools)
    return core::Error{"too many pools", "a registry holds " + std::to_string(max_pools) + " pools"};

  const PoolId made = pool_count();
  core::Owned pool(new Pool(made, *type, instance, std::string(instance_name), tick_, config_.pools));
  // Pools without pages are always watched, and a mirror has only those: so for unwatched pools typed adds and removes
  // know the prototype's place and the form of the set.
  if (!pool->set().has_pages()) pool->make_watch();
  pools_.reserve(made + 1);
  pools_by_key_.reserve(made + 1);
  occupied_pools_.reserve(server_only_count_ + 1);
  is_occupied_.reserve(made + 1);
  index_.prototypes().reserve_pools(made + 1);
  const PoolKey key{pool_key(type_id, instance), made};
  pools_by_key_.insert(std::lower_bound(pools_by_key_.begin(), pools_by_key_.end(), key), key);
  index_.prototypes().add_pool(key.key, type->sent_bits_max);
  is_occupied_.push_back(false);
  server_only_count_ += type->schema ? 0 : 1;
  destructors_ |= pool->has_destructor();
  pools_.push_back(std::move(pool));
  return made;
}

Pool& Registry::open_default_pool(std::uint32_t slot, std::string_view name, bool schema, std::size_t size) {
  const std::size_t far = slot - near_pools_.size();
  if (slot >= near_pools_.size() && far >= far_pools_.size()) far_pools_.resize(far + 1, nullptr);
  const core::Result<PoolId> opened = open_pool(core::StringId32(name), name);
  MOBULA_CHECK(opened.ok(), opened.error().message);
  Pool& pool = *pools_[*opened];
  MOBULA_CHECK(pool.is_schema() == schema, std::string(name) + " is registered as another kind of component");
  pool.check_size(size);
  return *((slot < near_pools_.size() ? near_pools_[slot] : far_pools_[far]) = &pool);
}

Pool* Registry::far_default_pool(std::uint32_t slot) const {
  const std::size_t far = slot - near_pools_.size();
  return far < far_pools_.size() ? far_pools_[far] : nullptr;
}

Pool& Registry::open_server_only_pool(std::uint32_t slot, ComponentType type) {
  const std::string name = type.name;
  const core::StringId32 id = type.id;
  const bool registered = register_type(std::move(type)).ok();
  MOBULA_CHECK(registered, find_type(id)->schema ? "server-only component " + name +
                                                       " has the name of a component of the schema: rename it"
                                                 : "two server-only component types are called " + name +
                                                       ": in anonymous namespaces of two files names must differ");
  core::Undo undo([this] { types_.pop_back(); });  // on std::bad_alloc: the next call registers it again
  Pool& pool = open_default_pool(slot, name, false, types_.back()->size);
  undo.dismiss();
  return pool;
}

const Registry::Composition& Registry::open_composition(std::uint32_t slot, std::span<Pool* const> pools) {
  core::Owned made(new Composition{empty_prototype, {pools.begin(), pools.end()}});
  PrototypeTable& prototypes = index_.prototypes();
  for (const Pool* pool : pools) {
    if (!pool->is_schema()) continue;
    const PrototypeId before = std::exchange(made->prototype, prototypes.with(made->prototype, pool->id()));
    if (made->prototype != PrototypeTable::impossible) continue;
    MOBULA_CHECK(std::ranges::none_of(prototypes.pools(before),
                                      [&](PoolId other) { return pools_[other]->instance() == pool->instance(); }),
                 "an entity is created with two components of instance name " + pool->instance_name());
    SentSize size = prototypes.sent_size(prototypes.pools(before));
    size.add(pool->type().sent_bits_max);
    misuse::too_large(null_entity, pool->instance_name(), size);
  }
  if (slot >= compositions_.size()) compositions_.resize(slot + 1);
  prototypes.hold(made->prototype);
  return *(compositions_[slot] = std::move(made));
}

GroupSet& Registry::open_group(GroupPools pools) {
  const std::array<std::vector<Pool*>*, 3> parts{&pools.owned, &pools.required, &pools.excluded};
  for (std::vector<Pool*>* part : parts)
    std::sort(part->begin(), part->end(), [](const Pool* a, const Pool* b) { return a->id() < b->id(); });
  for (const core::Owned<GroupSet>& group : groups_)
    if (group->pools() == pools) return *group;
  // Everything that may throw comes before the group owns anything.
  groups_.reserve(groups_.size() + 1);
  for (const std::vector<Pool*>* part : parts) {
    for (Pool* pool : *part) {
      std::vector<GroupSet*>& groups = pool->make_watch().groups;
      groups.reserve(groups.size() + 1);
    }
  }
  GroupSet& made = *groups_.emplace_back(new GroupSet(pools, config_.pools.sparse_page_shift));
  for (const std::vector<Pool*>* part : parts)
    for (Pool* pool : *part) pool->make_watch().groups.push_back(&made);
  watched_ = true;
  return made;
}

PoolId Registry::find_pool(core::StringId32 type, core::StringId32 instance) const {
  const PoolKey wanted{pool_key(type, instance), no_pool};
  const auto found = std::lower_bound(pools_by_key_.begin(), pools_by_key_.end(), wanted);
  return found == pools_by_key_.end() || found->key != wanted.key ? no_pool : found->pool;
}

void Registry::note_occupied(Pool& pool) noexcept {
  if (is_occupied_[pool.id()]) return;
  is_occupied_[pool.id()] = true;
  occupied_pools_.push_back(&pool);
}

PoolSignals& Registry::signals(PoolId pool) {
  PoolSignals& signals = this->pool(pool).make_watch().signals;
  watched_ = true;
  const auto found = std::ranges::lower_bound(signal_pools_, pool);
  if (found == signal_pools_.end() || *found != pool) signal_pools_.insert(found, pool);
  return signals;
}

}  // namespace mobula::ecs
