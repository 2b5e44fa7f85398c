#include <algorithm>
#include <iterator>
#include <mobula/ecs/registry.hpp>

namespace mobula::ecs {

// Entities whose `destroy` listeners are being called. To destroy one again changes nothing, but a listener may destroy
// its range. A listener may throw: then the entities stay. The list outlives the object.
class Registry::Leaving {
 public:
  Leaving(Registry& registry, std::span<const Entity> entities) : registry_(registry), entities_(entities) {
    SparseSet& leaving = registry_.leaving_;
    leaving.reserve(leaving.size() + static_cast<std::uint32_t>(entities.size()));
    for (const Entity entity : entities) leaving.make_page(entity.index);
    for (const Entity entity : entities) {
      MOBULA_CHECK(!leaving.contains(entity.index), "entity " + to_string(entity) + " is listed twice");
      leaving.push(entity.index);
    }
  }
  /// Ends the leaving of one entity, before it is destroyed: then its index may have a new one.
  static void end(Registry& registry, Entity entity) {
    if (registry.is_leaving(entity)) registry.leaving_.erase(entity.index);
  }
  ~Leaving() {
    for (const Entity entity : entities_) end(registry_, entity);
  }
  Leaving(const Leaving&) = delete;
  Leaving& operator=(const Leaving&) = delete;

 private:
  Registry& registry_;
  std::span<const Entity> entities_;
};

// Destroys the values while the registry is whole, because their destructors may use it.
Registry::~Registry() {
  if (!destructors_) return;
  watched_ = false;
  created_ = {};
  destroying_ = {};
  for (const core::Owned<Pool>& pool : pools_)
    if (pool->watch() != nullptr) *pool->watch() = PoolWatch(pool->instance_name());
  for (std::size_t i = 0; i < pools_.size(); ++i)  // a destructor may open pools
    if (pools_[i]->has_destructor()) pools_[i]->clear_held();
  for (const core::Owned<Pool>& pool : pools_)
    if (pool->has_destructor() && pool->size() > 0) misuse::added_at_end(pool->instance_name());
}

// Forgets empty pools. No other function does: so a removal need not look at its pool's size. All components leave
// their pools before the first destructor runs: it may change everything.
void Registry::drop_server_only(std::uint32_t index, std::size_t end) noexcept {
  while (end-- > 0) {
    Pool& pool = *occupied_pools_[end];
    if (pool.contains(index)) {
      if (pool.has_destructor()) {
        return pool.remove_then(index, [this, index, end] {
          forget_if_empty(end);
          drop_server_only(index, end);
        });
      }
      pool.remove_held<0>(index);
    }
    forget_if_empty(end);
  }
}

void Registry::forget_if_empty(std::size_t place) noexcept {
  const Pool& pool = *occupied_pools_[place];
  if (pool.size() > 0) return;
  is_occupied_[pool.id()] = false;
  occupied_pools_[place] = occupied_pools_.back();
  occupied_pools_.pop_back();
}

inline void Registry::drop_components(std::uint32_t index, PrototypeId prototype) noexcept {
  for (const PoolId pool : index_.prototypes().pools(prototype)) pools_[pool]->remove_held<0>(index);
  if (!occupied_pools_.empty()) drop_server_only(index, occupied_pools_.size());
}

void Registry::destroy(Entity entity) {
  if (!valid(entity)) [[unlikely]]
    misuse::dead_entity("destroying", entity);
  if (watched_ || missing_ != 0 || !destroying_.empty()) [[unlikely]]
    return destroy_watched(entity);
  journal_.make_room();
  destroy_notified(entity);
}

// Destroys an entity whose listeners have been called. Components are dropped last: their destructors may change the
// registry.
inline void Registry::destroy_notified(Entity entity) noexcept {
  const PrototypeId prototype = index_.destroy(entity);
  journal_.note(JournalEntry::Kind::destroy, entity);
  drop_components(entity.index, prototype);
}

void Registry::destroy(std::span<const Entity> entities) {
  if (watched_ || destructors_ || missing_ != 0 || !destroying_.empty()) return destroy_watched(entities);
  const EntityList own(lists_, entities);
  entities = own.entities;
  journal_.make_room(entities);
  for (const Entity entity : entities) {
    if (!valid(entity)) misuse::dead_entity("destroying", entity);
    drop_components(entity.index, index_.destroy(entity));
  }
  journal_.note_all(JournalEntry::Kind::destroy, entities);
}

void Registry::destroy_watched(std::span<const Entity> entities) {
  for (const Entity entity : entities) {
    if (!valid(entity)) misuse::dead_entity("destroying", entity);
    check_complete(entity);
  }
  EntityList own(lists_, entities);
  std::erase_if(own.entities, [&](Entity each) { return is_leaving(each); });  // by the call that has called this
  entities = own.entities;
  journal_.make_room(entities.size());
  const Leaving leaving(*this, entities);
  emit_destroying(entities);
  for (const Entity entity : entities) {
    Leaving::end(*this, entity);
    if (!valid(entity)) continue;            // a listener has destroyed its range
    if (destructors_) leave_groups(entity);  // a destructor may have added components
    journal_.make_room();
    destroy_notified(entity);
  }
}

void Registry::leave_groups(Entity entity) noexcept {
  for (const core::Owned<GroupSet>& group : groups_) group->leave(entity.index);
}

// The range is a copy: the caller's may be in a component, or a listener may change it.
void Registry::destroy_range(EntityRange range) {
  if (range.count == 0) return;
  index_.entities().check_range(range);
  EntityList own(lists_);
  if (destructors_ || missing_ != 0) {
    find_living(range, own.entities);
    return destroy_watched(own.entities);
  }
  journal_.make_room();
  if (watched_ || !destroying_.empty()) {
    find_living(range, own.entities);
    const Leaving scope(*this, own.entities);
    emit_destroying(own.entities);
  }
  for (std::uint32_t i = range.count; i-- > 0;) {
    if (!valid(range.at(i))) continue;
    Leaving::end(*this, range.at(i));
    const PrototypeId prototype = index_.entities().prototype(range.first + i);
    index_.prototypes().release(prototype);
    drop_components(range.first + i, prototype);
  }
  index_.entities().destroy_range(range);
  journal_.note(JournalEntry::Kind::destroy, range.at(0), range.count);
}

void Registry::find_living(const EntityRange& range, std::vector<Entity>& found) const {
  for (std::uint32_t i = 0; i < range.count; ++i)
    if (valid(range.at(i)) && !is_leaving(range.at(i))) found.push_back(range.at(i));
}

void Registry::destroy_watched(Entity entity) { destroy_watched({&entity, 1}); }

// Emits `destroy` of each pool for the entities that have its component. Searches for each next pool: a listener may
// open pools and listen to them.
void Registry::emit_destroy(std::span<const Entity> entities) {
  EntityList own(lists_);
  std::vector<Entity>& concerned = own.entities;
  for (PoolId next = 0;; ++next) {
    const auto found = std::ranges::lower_bound(signal_pools_, next);
    if (found == signal_pools_.end()) return;
    next = *found;
    const Pool& pool = *pools_[next];
    if (pool.watch()->signals.destroy.empty()) continue;
    concerned.clear();
    std::ranges::copy_if(entities, std::back_inserter(concerned), [&](Entity entity) {
      return valid(entity) && pool.contains(entity.index) && !is_removing(entity, pool);
    });
    pool.watch()->signals.destroy.emit(concerned);
  }
}

// Listeners are called for all entities before any is removed; then the entities leave their groups.
void Registry::emit_destroying(std::span<const Entity> entities) {
  destroying_.emit(entities);
  emit_destroy(entities);
  journal_.make_room(entities.size());  // listeners may have used up the room and split runs
  for (const Entity entity : entities)
    if (valid(entity)) leave_groups(entity);  // a listener may have destroyed it and reused its index
}

}  // namespace mobula::ecs
