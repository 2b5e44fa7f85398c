#include <algorithm>
#include <array>
#include <mobula/client/mirror/entity_versions.hpp>
#include <mobula/core/assert.hpp>

namespace mobula::client {

EntityVersions::Version EntityVersions::version_of(const std::uint32_t* state) {
  if (state == nullptr) return {};
  return {.tick = state[0],
          .ack = state[1],
          .full = (state[2] & full_bit) != 0,
          .words = (state[2] & lost_bit) != 0 ? nullptr : state + head};
}

EntityVersions::Version EntityVersions::baseline(std::uint32_t ack) const {
  for (std::size_t i = size(); i-- > 0;)
    if (const Version version = at(i); version.ack <= ack) return version;
  return {};
}

// Most states are passed over on the way to the early baseline, so only tick and acknowledgement are looked at.
EntityVersions::Baselines EntityVersions::baselines(std::uint32_t ack) const {
  std::array<const std::uint32_t*, 3> found{};
  const std::size_t step = stride();
  for (std::size_t end = states_.size(); end > 0; end -= step) {
    const std::uint32_t* const state = &states_[end - step];
    if (state[1] > ack) continue;
    if (found[0] == nullptr) {
      found[0] = state;
    } else if (found[1] == nullptr) {
      if (found[0][0] - state[0] > wire::previous_baseline_age_max) break;
      found[1] = state;
    } else {
      if (found[0][0] - state[0] > wire::early_baseline_age_max) break;
      found[2] = state;
    }
    if ((state[2] & full_bit) != 0) break;
  }
  return {version_of(found[0]), version_of(found[1]), version_of(found[2])};
}

void EntityVersions::restart(std::uint32_t words) {
  std::vector<std::uint32_t> states;
  for (std::size_t i = 0; i < size(); ++i) {
    states.push_back(states_[i * stride()]);
    states.push_back(states_[i * stride() + 1]);
    states.push_back(states_[i * stride() + 2] | lost_bit);
    states.resize(states.size() + words, 0);
  }
  states_.swap(states);
  words_ = words;
}

void EntityVersions::add(ecs::Tick tick, std::uint32_t ack, bool full, std::span<const std::uint32_t> words) {
  MOBULA_ASSERT(words.size() == words_, "all states of an entity have the same number of words");
  std::size_t place = size();
  while (place > 0 && at(place - 1).tick > tick) --place;
  if (place > 0 && at(place - 1).tick == tick) return;
  // Grows by an eighth: with many entities, doubling would waste much memory, and a few states at a time much copying.
  if (states_.size() + stride() > states_.capacity())
    states_.reserve(states_.size() + std::max(2 * stride(), states_.size() / 8));
  const auto begin = states_.insert(states_.begin() + static_cast<std::ptrdiff_t>(place * stride()), stride(), 0u);
  begin[0] = tick;
  begin[1] = ack;
  begin[2] = full ? full_bit : 0;
  std::copy(words.begin(), words.end(), begin + head);
}

EntityVersions::Around EntityVersions::around(double tick) const {
  Around found;
  for (std::size_t i = 0; i < size(); ++i) {
    const Version version = at(i);
    if (version.words == nullptr) continue;
    if (version.tick > tick) {
      found.later = version;
      break;
    }
    found.earlier = version;
  }
  return found;
}

// A picture between two states needs the earlier one, however old it is: the entity was at rest.
bool EntityVersions::is_for_pictures(std::size_t which, ecs::Tick shown) const {
  if (which + 1 == size()) return true;
  const ecs::Tick next = at(which + 1).tick;
  return size() - which <= pictures_max && newest().tick - next <= picture_age_max && next > shown;
}

void EntityVersions::prune(std::uint32_t ack, ecs::Tick shown) {
  const Baselines kept = baselines(ack);
  ecs::Tick oldest = kept.previous.tick != 0 ? kept.previous.tick : kept.baseline.tick;
  // A later acknowledgement may cover a previous baseline, or an earlier one.
  if (kept.previous.tick == 0 && !kept.baseline.full) oldest -= std::min(oldest, wire::previous_baseline_age_max);
  if (kept.previous.tick != 0 && !kept.previous.full)
    oldest = std::min(oldest, kept.baseline.tick - std::min(kept.baseline.tick, wire::early_baseline_age_max));
  std::size_t unused = 0;
  while (unused < size() && at(unused).tick < oldest && !is_for_pictures(unused, shown)) ++unused;
  erase_oldest(unused);
}

EntityVersions EntityVersions::for_pictures(ecs::Tick next, ecs::Tick shown) const {
  EntityVersions copy;
  if (next <= shown || size() == 0) return copy;
  copy = *this;
  std::size_t unused = 0;
  while (unused < size() && (at(unused).words == nullptr || !is_for_pictures(unused, shown))) ++unused;
  copy.erase_oldest(unused);
  return copy;
}

void EntityVersions::erase_oldest(std::size_t count) {
  states_.erase(states_.begin(), states_.begin() + static_cast<std::ptrdiff_t>(count * stride()));
}

}  // namespace mobula::client
