#include <algorithm>
#include <cstring>
#include <mobula/hierarchy/chain.hpp>
#include <mobula/server/rewind/past_bounds.hpp>
#include <mobula/server/rewind/rewind_workspace.hpp>
#include <mobula/server/rewind/rewound.hpp>

namespace mobula::server {
namespace {

// Links of the present, for hierarchy::compose_chain.
class Present {
 public:
  explicit Present(const ecs::Registry& registry) : registry_(registry) {}
  [[nodiscard]] std::optional<hierarchy::Link> link_at(ecs::Entity entity, double /*tick*/) const {
    if (!registry_.valid(entity)) return std::nullopt;
    const auto* transform = registry_.try_get<const engine::Transform>(entity);
    if (transform == nullptr) return std::nullopt;
    hierarchy::Link link{*transform, {}};
    if (const auto* parent = registry_.try_get<const engine::Parent>(entity)) link.parent = parent->entity;
    return link;
  }
  [[nodiscard]] bool has(ecs::Entity entity) const { return registry_.valid(entity); }
  [[nodiscard]] ecs::Tick next_state(ecs::Entity /*entity*/, double /*tick*/) const { return 0; }

 private:
  const ecs::Registry& registry_;
};

}  // namespace

Rewound::Rewound(const Parts& parts) : parts_(parts), number_(++parts.work.views) {
  if (parts.shooter) exclude(parts.shooter);
}

void Rewound::exclude(ecs::Entity entity) {
  if (is_present(entity)) return;
  MOBULA_CHECK(present_count_ < excluded_max, "a view leaves at most 16 entities in the present");
  present_[present_count_++] = entity;
}

bool Rewound::is_present(ecs::Entity entity) const {
  const auto end = present_.begin() + static_cast<std::ptrdiff_t>(present_count_);
  return std::find(present_.begin(), end, entity) != end;
}

std::size_t Rewound::tested() const { return parts_.work.candidates.size(); }

void Rewound::each_shown(const std::function<void(ecs::Entity entity)>& visit) const {
  parts_.shadow.each_shown(visit);
}

void Rewound::check_tick() const {
  MOBULA_CHECK(parts_.registry.tick() == parts_.tick, "a view of the past is used after its tick; ask for a new one");
}

// Returns the pictures of this view. Another view may have used the workspace since.
PastPictures& Rewound::pictures() {
  check_tick();
  RewindWorkspace& work = parts_.work;
  if (!work.pictures || work.pictures_of != number_) {
    work.pictures.emplace(parts_.published, parts_.shadow, work.memory);
    work.pictures_of = number_;
  }
  return *work.pictures;
}

Seen Rewound::seen(ecs::Entity entity) {
  if (is_present(entity)) return parts_.registry.valid(entity) ? Seen::present : Seen::absent;
  return pictures().seen(entity, parts_.moment);
}

bool Rewound::read(ecs::Entity entity, ecs::PoolId pool, std::byte* component, std::size_t size) {
  if (parts_.registry.pool(pool).type().size != size) return false;
  if (!is_present(entity)) return pictures().draw(entity, pool, parts_.moment, component) == Drawn::yes;
  const std::byte* const now = parts_.registry.valid(entity) ? parts_.registry.try_read(entity, pool) : nullptr;
  if (now == nullptr) return false;
  if (size > 0) std::memcpy(component, now, size);
  return true;
}

std::optional<hierarchy::WorldTransform> Rewound::world(ecs::Entity entity) {
  if (is_present(entity)) return hierarchy::compose_chain(Present(parts_.registry), entity, 0);
  return pictures().world(entity, parts_.moment);
}

// Whether what was drawn of a state is within the bounds: they have all states since then, or it is the last one.
bool Rewound::is_bounded(std::uint32_t index, ecs::Tick state, bool owner) const {
  return state >= parts_.bounds.since() || parts_.published.changed(index, owner) <= state;
}

Rewound::Candidates::Candidates(Rewound& past, const Ray& ray, float reach) : past_(past) {
  past.parts_.bounds.find(ray, reach, past.parts_.work.found);
  past.find_candidates();
  list_.swap(past.parts_.work.candidates);
}

Rewound::Candidates::Candidates(Rewound& past, const engine::Vec3& centre, float reach) : past_(past) {
  past.parts_.bounds.find(centre, reach, past.parts_.work.found);
  past.find_candidates();
  list_.swap(past.parts_.work.candidates);
}

Rewound::Candidates::~Candidates() { list_.swap(past_.parts_.work.candidates); }

void Rewound::find_candidates() {
  check_tick();
  std::vector<ecs::Entity>& all = parts_.work.candidates;
  if (parts_.work.unbounded_of != number_) find_unbounded();
  all = parts_.work.unbounded;
  for (std::uint32_t slot = 0; slot < parts_.work.found.size(); ++slot)
    if (parts_.work.found[slot] != 0) all.push_back(parts_.bounds.entity(slot));
  // In an order that does not depend on slots, and each once.
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
}

// Finds the entities of which the client has a state that is older than the bounds, and not the last. An index whose
// entity changed or ended since is looked at closely.
void Rewound::find_unbounded() {
  std::vector<ecs::Entity>& all = parts_.work.unbounded;
  parts_.work.unbounded_of = number_;
  all.clear();
  const std::span<const ecs::Tick> oldest = parts_.shadow.oldest_ticks();
  const std::span<const std::uint32_t> indices = parts_.shadow.shown_indices();
  const ecs::Tick since = parts_.bounds.since();
  for (std::uint32_t id = 0; id < oldest.size(); ++id) {
    if (oldest[id] >= since) continue;
    const bool owner = parts_.shadow.known(id).owner;
    if (is_bounded(indices[id], oldest[id], owner)) continue;
    const ecs::Tick state = parts_.shadow.forget_before(id, parts_.moment);
    if (!is_bounded(indices[id], state, owner)) all.push_back(parts_.shadow.known(id).entity);
  }
  const LevelOffer* const level = parts_.shadow.level();
  if (level == nullptr) return;
  for (const std::uint32_t index : level->modified()) {
    const ecs::Entity entity = level->copy().range().at(index - level->copy().range().first);
    if (parts_.shadow.is_as_loaded(entity)) all.push_back(entity);
  }
}

}  // namespace mobula::server
