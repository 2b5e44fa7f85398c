#include "replication/verifier.hpp"

#include <algorithm>
#include <cstring>
#include <mobula/schema/engine.hpp>

namespace mobula::bench {

using engine::Transform;

Verifier::Verifier(const reflect::Schema& schema) : codec_(*schema.find("Transform")) {}

void Verifier::note(const Walkers& walkers, server::Published& published, ecs::Tick tick) {
  states_.resize(walkers.entities().size());
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const std::uint32_t index = walkers.entities()[i].index;
    const ecs::Tick changed = std::max(published.changed(index, true), published.changed(index, false));
    if (changed != tick && !states_[i].empty()) continue;
    states_[i].push_back({changed, std::vector<std::uint32_t>(codec_.words())});
    published.words_now(index, states_[i].back().words.data());
    if (states_[i].size() > states_kept) states_[i].pop_front();
  }
}

const Verifier::State* Verifier::state_at(std::size_t walker, ecs::Tick tick) const {
  const std::deque<State>& states = states_[walker];
  const auto after = std::ranges::upper_bound(states, tick, {}, &State::tick);
  return after == states.begin() ? nullptr : &*std::prev(after);
}

std::uint64_t Verifier::mismatches(const Walkers& walkers, const client::Mirror& mirror) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const ecs::Entity entity = walkers.entities()[i];
    const ecs::Tick tick = mirror.tick_of(entity);
    if (tick == 0) continue;
    ++compared_;
    const State* const then = state_at(i, tick);
    Transform expected{};
    const bool is_right =
        then != nullptr &&
        codec_.to_component(then->words.data(), mirror.is_owner(entity), mirror.tick(),
                            reinterpret_cast<std::byte*>(&expected)) &&
        std::memcmp(&expected, &mirror.registry().get<const Transform>(entity), sizeof(Transform)) == 0;
    count += is_right ? 0 : 1;
  }
  return count;
}

}  // namespace mobula::bench
