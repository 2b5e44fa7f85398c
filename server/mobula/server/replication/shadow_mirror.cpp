#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/server/replication/shadow_mirror.hpp>

namespace mobula::server {
namespace {

constexpr std::uint32_t seen_max = 64;  // deltas that a SeenDeltas lists
static_assert(seen_max > wire::late_max, "a delta that is further back cannot have arrived since");
// Deltas after which the fate of one is known: no acknowledgement covers more.
constexpr std::uint32_t kept_max = wire::ack_history - seen_max;

}  // namespace

void ShadowMirror::begin_with_level(std::shared_ptr<const LevelOffer> level) {
  level_ = std::move(level);
  const ecs::EntityRange& range = level_->copy().range();
  for (std::uint32_t i = 0; i < range.count; ++i) here_.push_back(level_->is_unmodified(range.first + i));
}

bool ShadowMirror::has(const wire::SeenDeltas& seen, std::uint32_t sequence) const {
  const std::uint32_t age = seen.newest - sequence;
  return age < seen_max ? (seen.received >> age & 1) != 0 : carried_.at(sequence).acknowledged;
}

core::Status ShadowMirror::check(const wire::SeenDeltas& seen, std::uint32_t settled) const {
  using State = CarriedStates::State;
  if (seen.newest == 0) return core::Error{"unknown deltas", "it is not known what the client had received"};
  if (seen.newest > carried_.last())
    return core::Error{"unknown deltas", core::format("delta {}; the last sent is {}", seen.newest, carried_.last())};
  // Further back, what was not acknowledged by then may have arrived all the same.
  const std::uint32_t listed = seen.newest - std::min(seen.newest - 1, seen_max - 1);
  for (std::uint32_t sequence = std::max(carried_.first(), settled + 1); sequence < listed; ++sequence)
    if (!carried_.at(sequence).acknowledged)
      return core::Error{"unknown deltas", core::format("the fate of delta {} is not known", sequence)};
  const std::uint32_t kept = carried_.last() - std::min(carried_.last() - 1, wire::ack_history - 1);
  if (listed < kept) return core::Error{"outdated deltas", core::format("delta {} is forgotten", listed)};
  for (std::uint32_t sequence = listed; sequence <= carried_.last(); ++sequence) {
    const State state = carried_.at(sequence).state;
    const bool had = sequence <= seen.newest && has(seen, sequence);
    if ((state == State::applied && !had) || (state == State::dropped && had))
      return core::Error{"outdated deltas",
                         core::format("the client had {}delta {} before", had ? "lost " : "", sequence)};
  }
  return core::Done{};
}

core::Status ShadowMirror::advance(const wire::SeenDeltas& seen, std::uint32_t settled) {
  if (core::Status checked = check(seen, settled); !checked) return checked;
  for (std::uint32_t sequence = carried_.first(); sequence <= seen.newest; ++sequence)
    if (carried_.at(sequence).state == CarriedStates::State::unknown && has(seen, sequence)) apply(sequence);
  ++interval_;
  carried_.free_oldest();
  return core::Done{};
}

void ShadowMirror::settle(ecs::Tick tick, std::uint32_t settled) {
  for (std::uint32_t sequence = carried_.first(); sequence <= settled; ++sequence) {
    CarriedStates::Delta& delta = carried_.at(sequence);
    if (delta.tick >= tick && carried_.last() - sequence < kept_max) break;
    if (delta.state != CarriedStates::State::unknown) continue;
    if (delta.acknowledged) {
      apply(sequence);
    } else {
      delta.state = CarriedStates::State::dropped;
    }
  }
  carried_.free_oldest();
}

Sight ShadowMirror::sight(ecs::Entity entity) const {
  if (find(entity) != nullptr || is_as_loaded(entity)) return Sight::shown;
  const auto has_stale = [&](ecs::Entity stale) { return std::ranges::find(stale_, stale) != stale_.end(); };
  if (has_stale({entity.index, any_generation})) return Sight::unknown;
  return has_stale(entity) ? Sight::out_of_view : Sight::absent;
}

PictureTicks::Around ShadowMirror::around(ecs::Entity entity, double moment) const {
  const Known* const known = find(entity);
  if (known == nullptr) {
    PictureTicks::Around found;
    found.earlier = found.newest = {level_->tick(), false, true};
    return found;
  }
  PictureTicks::Around found;
  if (known->ticks != none) {
    found = ticks_[known->ticks].around(moment);
  } else {
    found.bare = true;
  }
  found.certain = found.certain && moment >= static_cast<double>(known->unsure_until);
  return found;
}

ecs::Tick ShadowMirror::forget_before(std::uint32_t id, double moment) {
  PictureTicks& ticks = ticks_[known_[id].ticks];
  ticks.forget_before(moment);
  note_oldest(id);
  return ticks.oldest();
}

// Returns the newest tick of what is shown at an index; 0 for entities out of view.
ecs::Tick ShadowMirror::tick_at(std::uint32_t index) const {
  const std::uint32_t id = ids_.find(index);
  if (id != none) return known_[id].newest_tick;
  const bool loaded = level_ != nullptr && index - level_->copy().range().first < here_.size() &&
                      here_[index - level_->copy().range().first];
  return loaded ? level_->tick() : 0;
}

std::size_t ShadowMirror::bytes() const {
  return carried_.entries() * sizeof(Carried) + known_.size() * (sizeof(Known) + 8) +
         ticks_.size() * sizeof(PictureTicks);
}

}  // namespace mobula::server
