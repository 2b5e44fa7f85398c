#include <algorithm>
#include <mobula/client/mirror/entity_versions.hpp>
#include <mobula/core/assert.hpp>

namespace mobula::client {

EntityVersions::Version EntityVersions::at(std::size_t which) const {
  const std::uint32_t* state = &states_[which * stride()];
  return {.tick = state[0],
          .ack = state[1],
          .full = (state[2] & full_bit) != 0,
          .words = (state[2] & lost_bit) != 0 ? nullptr : state + head};
}

EntityVersions::Baselines EntityVersions::baselines(std::uint32_t ack) const {
  Baselines found;
  for (std::size_t i = size(); i-- > 0;) {
    const Version version = at(i);
    if (version.ack > ack) continue;
    if (found.baseline.tick == 0) {
      found.baseline = version;
      if (version.full) break;
    } else {
      if (found.baseline.tick - version.tick <= wire::previous_baseline_age_max) found.previous = version;
      break;
    }
  }
  return found;
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
  // A later acknowledgement may cover a previous baseline.
  if (kept.previous.tick == 0 && !kept.baseline.full) oldest -= std::min(oldest, wire::previous_baseline_age_max);
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
