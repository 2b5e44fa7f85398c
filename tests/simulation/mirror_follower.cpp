#include <algorithm>
#include <simulation/mirror_follower.hpp>

namespace mobula::sim {
namespace {

using client::ChangeKind;

core::Bytes value_of(const ecs::Registry& registry, ecs::Entity entity, ecs::PoolId pool) {
  const std::byte* const value = registry.try_read(entity, pool);
  const std::size_t size = registry.pool(pool).type().size;
  return size == 0 ? core::Bytes() : core::Bytes(value, value + size);
}

bool has_value(const ecs::Registry& registry, ecs::Entity entity, ecs::PoolId pool, const core::Bytes& value) {
  const std::byte* const now = registry.try_read(entity, pool);
  return registry.pool(pool).type().size == value.size() && std::equal(value.begin(), value.end(), now);
}

}  // namespace

std::optional<std::string> MirrorFollower::follow(const client::Connection& connection) {
  if (mirror_ != connection.mirror_number()) *this = {};
  mirror_ = connection.mirror_number();
  if (connection.mirror() == nullptr) return std::nullopt;
  listed_.clear();
  for (const client::Change& change : connection.mirror()->changes())
    if (std::optional<std::string> wrong = follow(*connection.mirror(), change))
      return "entity " + to_string(change.entity) + " " + *wrong;
  return std::nullopt;
}

std::optional<std::string> MirrorFollower::follow(const client::Mirror& mirror, const client::Change& change) {
  if (change.entity.index >= copies_.size()) copies_.resize(change.entity.index + 1);
  Copy& copy = copies_[change.entity.index];
  if ((change.kind == ChangeKind::changed) != (change.pool != ecs::no_pool)) return "is listed with a wrong pool";
  if (change.kind == ChangeKind::spawned) {
    if (copy.entity && (copy.entity != change.entity || !copy.lost)) return "is listed as spawned, but is there";
    copy = {change.entity, false, read_all(mirror, change.entity)};
    return std::nullopt;
  }
  if (copy.entity != change.entity) return "is listed, but was never spawned";
  if (change.kind == ChangeKind::changed && !listed_.emplace(change.entity, change.pool).second)
    return "is listed twice with the same component";
  switch (change.kind) {
    case ChangeKind::spawned: break;
    case ChangeKind::composed: copy.components = read_all(mirror, change.entity); break;
    case ChangeKind::changed: read_one(mirror, change, copy); break;
    case ChangeKind::lost: copy.lost = true; break;
    case ChangeKind::destroyed: copy = {}; break;
  }
  return std::nullopt;
}

// Returns nothing if the entity was destroyed since. Its end is listed too.
std::vector<MirrorFollower::Component> MirrorFollower::read_all(const client::Mirror& mirror, ecs::Entity entity) {
  std::vector<Component> all;
  const ecs::Registry& registry = mirror.registry();
  if (!registry.valid(entity)) return all;
  for (const ecs::PoolId pool : registry.prototypes().pools(registry.prototype(entity)))
    all.push_back({pool, value_of(registry, entity, pool)});
  return all;
}

void MirrorFollower::read_one(const client::Mirror& mirror, const client::Change& change, Copy& copy) {
  const ecs::Registry& registry = mirror.registry();
  const auto known = std::ranges::find(copy.components, change.pool, &Component::pool);
  if (known == copy.components.end() || !registry.valid(change.entity)) return;
  if (registry.pool(change.pool).contains(change.entity.index))
    known->value = value_of(registry, change.entity, change.pool);
}

bool MirrorFollower::is_copy(const client::Mirror& mirror, ecs::Entity entity) const {
  if (entity.index >= copies_.size()) return false;
  const Copy& copy = copies_[entity.index];
  if (copy.entity != entity || copy.lost != mirror.is_stale(entity)) return false;
  const ecs::Registry& registry = mirror.registry();
  const auto pools = registry.prototypes().pools(registry.prototype(entity));
  return std::ranges::equal(copy.components, pools, [&](const Component& component, ecs::PoolId pool) {
    return component.pool == pool && has_value(registry, entity, pool, component.value);
  });
}

std::optional<std::string> MirrorFollower::check(const client::Mirror& mirror) const {
  std::size_t count = 0;
  std::optional<std::string> wrong;
  mirror.registry().entities().each([&](ecs::Entity entity) {
    ++count;
    if (wrong || is_copy(mirror, entity)) return;
    wrong = "entity " + to_string(entity) + " differs from the changes of the mirror";
  });
  const auto copied = static_cast<std::size_t>(
      std::ranges::count_if(copies_, [](const Copy& copy) { return static_cast<bool>(copy.entity); }));
  if (!wrong && copied != count) wrong = "by its changes the mirror has more entities";
  return wrong;
}

}  // namespace mobula::sim
