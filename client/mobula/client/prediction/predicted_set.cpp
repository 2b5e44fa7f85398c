#include <algorithm>
#include <mobula/client/prediction/predicted_set.hpp>
#include <mobula/core/log.hpp>
#include <utility>

namespace mobula::client {
namespace {

constexpr auto index_of = [](const PredictedSet::Member& member) { return member.entity.index; };

}  // namespace

PredictedSet::PredictedSet(const Mirror& mirror, std::uint32_t player)
    : mirror_(mirror),
      player_(player),
      local_first_(mirror.state().entities_max),
      locals_begin_(local_first_),
      registry_(
          {.entities = {.recycling = ecs::Recycling::given, .entities_max = local_first_ + locals_max}, .pools = {}}) {
  stepped_.next_local = {local_first_, 1};
}

core::Result<std::unique_ptr<PredictedSet>> PredictedSet::make(const Mirror& mirror, const prediction::Rules& rules,
                                                               std::uint32_t player) {
  std::unique_ptr<PredictedSet> set(new PredictedSet(mirror, player));
  if (const core::Status bound = set->bind(rules); !bound) return bound.error();
  return set;
}

core::Status PredictedSet::bind(const prediction::Rules& rules) {
  if (const core::Status done = reflect::register_components(registry_, mirror_.schema()); !done) return done;
  core::Result<prediction::PredictedTypes> types =
      prediction::PredictedTypes::resolve(registry_, mirror_.schema(), rules);
  if (!types) return types.error();
  types_ = std::make_unique<prediction::PredictedTypes>(std::move(*types));
  for (const prediction::PredictedTypes::Predicted& each : types_->predicted())
    predicted_.emplace_back(mirror_, registry_, each.pool, &each.codec);
  for (const ecs::PoolId pool : types_->declared()) declared_.emplace_back(mirror_, registry_, pool, nullptr);
  constexpr core::StringId32 key(engine::SpawnKey::component_name);
  const ecs::ComponentType* const type = registry_.find_type(key);
  if (type != nullptr && (type->size != sizeof(engine::SpawnKey) || type->alignment != alignof(engine::SpawnKey)))
    return core::Error{"another SpawnKey", "the server's SpawnKey has another layout than that of engine.fbs here"};
  own_keys_ = registry_.find_pool(key, key);
  mirror_keys_ = mirror_.registry().find_pool(key, key);
  const bool is_declared = std::ranges::count(types_->declared(), own_keys_) != 0;
  if (own_keys_ != ecs::no_pool && !is_declared) declared_.emplace_back(mirror_, registry_, own_keys_, nullptr);
  return core::Done{};
}

std::vector<ecs::PoolId> PredictedSet::predicted_pools() const {
  std::vector<ecs::PoolId> pools;
  for (const TrackedPool& pool : predicted_) pools.push_back(pool.own().id());
  return pools;
}

bool PredictedSet::is_member(ecs::Entity entity) const {
  const auto found = std::ranges::lower_bound(members_, entity.index, {}, index_of);
  return found != members_.end() && found->entity == entity;
}

std::size_t PredictedSet::place_of(ecs::PoolId mirror_pool) const {
  for (std::size_t i = 0; i < predicted_.size(); ++i)
    if (predicted_[i].mirror_id() == mirror_pool) return i;
  return none;
}

// --- Members -------------------------------------------------------------------------------------------------------

// Returns false for an entity that cannot be predicted: it is not in view, or has no predicted component.
bool PredictedSet::find_member(ecs::Entity entity, Member& member) const {
  if (const MirroredEntity* const known = mirror_.state().find(entity)) {
    if (known->lost) return false;
    member = {entity, known->prototype, known->owner};
  } else {
    if (!mirror_.registry().valid(entity) || mirror_.is_stale(entity)) return false;
    member = {entity, mirror_.registry().prototype(entity), false};
  }
  return std::ranges::any_of(predicted_, [&](const TrackedPool& pool) { return pool.mirrored(entity) != nullptr; });
}

// Returns a component of which this client does not receive all that is predicted; null if there is none.
const TrackedPool* PredictedSet::find_lacking(const Member& member) const {
  if (member.owner) return nullptr;
  const auto lacks = [&](const TrackedPool& pool) {
    return pool.is_owners_alone() && pool.mirrored(member.entity) != nullptr;
  };
  const auto found = std::ranges::find_if(predicted_, lacks);
  return found == predicted_.end() ? nullptr : &*found;
}

void PredictedSet::collect(std::vector<ecs::Entity>& wanted, const CommandTimeline& commands, ecs::Tick since) {
  collect_spawned(wanted, commands, since);
  collected_.clear();
  surplus_ = lacking_ = 0;
  for (const ecs::Entity entity : wanted)
    if (Member member; find_member(entity, member)) add_member(member);
  report_surplus();
  std::ranges::sort(collected_, {}, index_of);
  const auto same = std::ranges::unique(collected_, {}, index_of);
  collected_.erase(same.begin(), same.end());
}

void PredictedSet::add_member(const Member& member) {
  if (const TrackedPool* const pool = find_lacking(member)) return report_lacking(member, *pool);
  if (collected_.size() == members_max) {
    ++surplus_;
  } else {
    collected_.push_back(member);
  }
}

void PredictedSet::report_surplus() {
  if (surplus_ == 0 || std::exchange(is_surplus_logged_, true)) return;
  core::log_warn("client",
                 "{} entities are not predicted: the limit is {}; call set_predicted for those near the player only",
                 surplus_, members_max);
}

void PredictedSet::report_lacking(const Member& member, const TrackedPool& pool) {
  ++lacking_;
  if (std::exchange(is_lacking_logged_, true)) return;
  core::log_warn("client",
                 "entity {}.{} is not predicted: its {} has a predicted field that is owner_only, and this client is "
                 "not its owner; draw it as mirrored",
                 member.entity.index, member.entity.generation, pool.type().name);
}

void PredictedSet::collect_spawned(std::vector<ecs::Entity>& wanted, const CommandTimeline& commands, ecs::Tick since) {
  matched_.clear();
  if (mirror_keys_ == ecs::no_pool) return;
  const ecs::Pool& keys = mirror_.registry().pool(mirror_keys_);
  for (std::uint32_t position = 0; position < keys.size(); ++position) {
    const auto key = core::load<engine::SpawnKey>(keys.at(position));
    if (key.tick <= since) continue;      // it was matched when it was new
    if (key.player != player_) continue;  // a former owner's, whose commands have the same numbers
    const ecs::Entity real = mirror_.registry().entities().at(keys.indices()[position]);
    const ecs::Tick given = commands.tick_of(key.command);
    if (given == CommandTimeline::never || key.tick < given || key.tick - given > spawn_ticks_max) continue;
    if (!mirror_.is_owner(real) || matched_.size() == members_max) continue;
    matched_.push_back({find_local(key), real, key});
    wanted.push_back(real);
  }
}

ecs::Entity PredictedSet::find_local(const engine::SpawnKey& key) const {
  for (ecs::Entity local = stepped_.next_local; local.index-- > locals_begin_;)
    if (const std::byte* const own = registry_.try_read(local, own_keys_);
        own != nullptr && is_same_spawn(core::load<engine::SpawnKey>(own), key))
      return local;
  return ecs::null_entity;
}

// --- Comparison ----------------------------------------------------------------------------------------------------

SetDifference PredictedSet::compare(const SnapshotRing& ring, const SnapshotRing::Snapshot& snapshot) {
  SetDifference difference;
  difference.members = collected_ != members_ || ended_locals() > ended_locals_max;
  if (difference.members || !compare_all(snapshot, difference)) {
    for (const Member& member : members_) compare_member(ring, snapshot, member, difference);
    compare_locals(ring, snapshot, difference);
  }
  difference.inputs = !difference.members && inputs_differ();
  return difference;
}

// Returns the number of local entities that have ended, but are in the registry until rebuild().
std::size_t PredictedSet::ended_locals() const {
  const std::vector<ecs::Entity>& alive = stepped_.alive;
  const auto first = std::ranges::lower_bound(alive, local_first_, {}, &ecs::Entity::index);
  return stepped_.next_local.index - locals_begin_ - static_cast<std::size_t>(alive.end() - first);
}

// Compares whole pools. Returns false if the living entities are not exactly the members.
bool PredictedSet::compare_all(const SnapshotRing::Snapshot& snapshot, SetDifference& difference) {
  const std::vector<ecs::Entity>& alive = snapshot.stepped.alive;
  const bool as_members = alive.size() == members_.size() && (alive.empty() || !is_local(alive.back()));
  if (!as_members) return false;
  const std::byte* rows = snapshot.rows.data();
  for (std::size_t i = 0; i < predicted_.size() && !difference.values; ++i) {
    TrackedPool& pool = predicted_[i];
    const std::uint32_t first = pool.first_difference(rows, pool.members());
    rows += std::size_t{snapshot.counts[i]} * pool.row_size();
    if (first == pool.members()) continue;
    difference.values = true;
    difference.entity = difference.own = registry_.entities().at(pool.own().indices()[first]);
    difference.pool = pool.mirror_id();
  }
  return true;
}

bool PredictedSet::is_destroyed(ecs::Entity entity) const {
  if (mirror_.registry().valid(entity)) return false;
  const std::uint32_t id = mirror_.state().former.find(entity.index);
  if (id == wire::ShownIds::none || mirror_.state().known[id].former != entity) return true;
  return mirror_.state().known[id].destroyed;
}

void PredictedSet::compare_member(const SnapshotRing& ring, const SnapshotRing::Snapshot& snapshot,
                                  const Member& member, SetDifference& difference) {
  const bool predicted = is_alive(snapshot.stepped, member.entity);
  const auto found = std::ranges::lower_bound(collected_, member.entity.index, {}, index_of);
  const bool in_view = found != collected_.end() && found->entity == member.entity;
  if (predicted && in_view)
    return compare_rows(ring, snapshot, member.entity, member.entity, found->owner && member.owner, difference);
  if (predicted ? !is_destroyed(member.entity) : !in_view) return;
  if (!difference.values) difference.entity = member.entity;
  difference.values = true;
}

void PredictedSet::compare_rows(const SnapshotRing& ring, const SnapshotRing::Snapshot& snapshot, ecs::Entity own,
                                ecs::Entity mirrored, bool owner, SetDifference& difference) const {
  for (std::size_t i = 0; i < predicted_.size() && !difference.values; ++i) {
    const TrackedPool& pool = predicted_[i];
    const std::uint32_t position = pool.own().find(own.index);
    const std::byte* const truth = pool.mirrored(mirrored);
    if (position >= snapshot.counts[i] || truth == nullptr) continue;  // its components have changed
    const std::byte* const row = ring.rows(snapshot, i) + std::size_t{position} * pool.row_size();
    if (pool.is_equal(row, truth, owner)) continue;
    difference.values = true;
    difference.entity = mirrored;
    difference.own = own;
    difference.pool = pool.mirror_id();
  }
}

void PredictedSet::compare_locals(const SnapshotRing& ring, const SnapshotRing::Snapshot& snapshot,
                                  SetDifference& difference) {
  for (const MatchedSpawn& each : matched_) {
    if (each.local && is_alive(snapshot.stepped, each.local)) {
      compare_rows(ring, snapshot, each.local, each.real, true, difference);
    } else {
      if (!difference.values) difference.entity = each.real;
      difference.values = true;
    }
  }
  const std::vector<ecs::Entity>& alive = snapshot.stepped.alive;
  for (auto each = alive.rbegin(); each != alive.rend() && is_local(*each); ++each) {
    difference.members = true;
    if (std::ranges::count(matched_, *each, &MatchedSpawn::local) != 0) continue;
    if (!difference.values) difference.entity = *each;
    difference.values = true;
  }
}

bool PredictedSet::inputs_differ() const {
  for (const TrackedPool& pool : declared_)
    for (std::uint32_t position = 0; position < pool.members(); ++position) {
      const ecs::Entity entity = registry_.entities().at(pool.own().indices()[position]);
      const std::byte* const truth = pool.mirrored(entity);
      if (truth != nullptr && !pool.is_equal(pool.own().at(position), truth, mirror_.is_owner(entity))) return true;
    }
  return false;
}

// --- The mirror's values -------------------------------------------------------------------------------------------

void PredictedSet::copy_values() {
  for (std::vector<TrackedPool>* const pools : {&predicted_, &declared_})
    for (const TrackedPool& pool : *pools)
      for (const Member& member : members_) {
        const std::uint32_t position = pool.own().find(member.entity.index);
        const std::byte* const truth = pool.mirrored(member.entity);
        if (position != ecs::Pool::none && truth != nullptr)
          pool.copy_row(truth, member.owner, pool.own().address(position));
      }
  stepped_.alive.clear();
  for (const Member& member : members_) stepped_.alive.push_back(member.entity);
}

// Returns the entity of the registry that continues as a member; null if there is none.
ecs::Entity PredictedSet::source_of(const Member& member) const {
  if (registry_.valid(member.entity)) return member.entity;
  const auto found = std::ranges::find(matched_, member.entity, &MatchedSpawn::real);
  return found != matched_.end() ? found->local : ecs::null_entity;
}

void PredictedSet::stage(const TrackedPool& pool, const Member& member, ecs::Entity from) {
  const std::byte* const truth = pool.mirrored(member.entity);
  if (truth == nullptr) return;
  const std::uint32_t position = from ? pool.own().find(from.index) : ecs::Pool::none;
  const std::byte* const base =
      position != ecs::Pool::none ? pool.own().at(position) : pool.type().default_value.data();
  const std::size_t first = staged_bytes_.size();
  staged_bytes_.insert(staged_bytes_.end(), base, base + pool.row_size());
  pool.copy_row(truth, member.owner, staged_bytes_.data() + first);
  staged_.push_back({member.entity, pool.own().id(), first, pool.row_size()});
}

void PredictedSet::rebuild() {
  staged_.clear();
  staged_bytes_.clear();
  for (const Member& member : collected_)
    for (const std::vector<TrackedPool>* const pools : {&predicted_, &declared_})
      for (const TrackedPool& pool : *pools) stage(pool, member, source_of(member));
  for (ecs::Entity local = stepped_.next_local; local.index-- > locals_begin_;) registry_.destroy(local);
  for (const Member& member : members_) registry_.destroy(member.entity);
  stepped_.alive.clear();
  for (const Member& member : collected_) {
    registry_.create_given(member.entity);
    stepped_.alive.push_back(member.entity);
  }
  for (const Staged& each : staged_)
    registry_.add_bytes(each.entity, each.pool, core::ByteView(staged_bytes_).subspan(each.first, each.size));
  for (std::vector<TrackedPool>* const pools : {&predicted_, &declared_})
    for (TrackedPool& pool : *pools) pool.set_members();
  members_ = collected_;
  if (stepped_.next_local.index - local_first_ >= locals_max / 2)
    stepped_.next_local = {local_first_, stepped_.next_local.generation + 1};
  locals_begin_ = stepped_.next_local.index;
  registry_.clear_journal();
}

void PredictedSet::snap(ecs::Tick since) {
  for (const TrackedPool& pool : predicted_) {
    const std::span<const ecs::Tick> changed = pool.own().change_ticks();
    for (std::uint32_t block = 0; block < changed.size(); ++block) {
      if (changed[block] <= since) continue;
      const std::uint32_t first = block << ecs::Pool::block_shift;
      const std::uint32_t end = std::min(first + ecs::Pool::block_size, pool.own().size());
      for (std::uint32_t i = first; i < end; ++i) pool.codec()->snap_predicted(pool.own().address(i));
    }
  }
  registry_.clear_journal();
}

}  // namespace mobula::client
