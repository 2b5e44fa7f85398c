// Former states of entities that have other components or another owner now. Only pictures need them.
#include <algorithm>
#include <mobula/client/mirror/mirror.hpp>

namespace mobula::client {
namespace {

// Bounds the prototypes that a server can make a mirror keep alive. Beyond it pictures show a change early.
constexpr std::size_t former_states_in_all_max = 1u << 14;

}  // namespace

// Keeps the states of the present components, which those of tick `next` replace.
void Mirror::keep_former(MirroredEntity& known, ecs::Tick next) {
  add_former(
      known,
      {.prototype = known.prototype, .owner = known.owner, .versions = known.versions.for_pictures(next, shown_tick_)});
}

// Keeps the state that an entity of the level had before the first delta with it, of tick `next`.
void Mirror::keep_loaded(MirroredEntity& known, ecs::Entity entity, ecs::Tick next) {
  if (next <= shown_tick_) return;
  const ecs::PrototypeId prototype = state_.level.prototypes[entity.index - state_.level.copy->range().first];
  std::vector<std::uint32_t> words(state_.codecs.entity(prototype).words);
  state_.level.copy->words(entity.index, words.data());
  EntityVersions versions;
  versions.restart(static_cast<std::uint32_t>(words.size()));
  versions.add(state_.level.tick, next_ack_, true, words);
  add_former(known, {.prototype = prototype, .owner = false, .versions = std::move(versions)});
}

void Mirror::add_former(MirroredEntity& known, FormerStates former) {
  if (former.versions.size() == 0 || former_states_ == former_states_in_all_max) return;
  if (known.former_states.size() == MirroredEntity::former_states_max) drop_former(known, 1);
  state_.registry.prototypes().hold(former.prototype);
  state_words_ += former.versions.kept_words();
  known.former_states.push_back(std::move(former));
  ++former_states_;
}

// Removes the oldest `count`.
void Mirror::drop_former(MirroredEntity& known, std::size_t count) {
  const auto end = known.former_states.begin() + static_cast<std::ptrdiff_t>(count);
  for (auto former = known.former_states.begin(); former != end; ++former) {
    state_.registry.prototypes().drop(former->prototype);
    state_words_ -= former->versions.kept_words();
  }
  known.former_states.erase(known.former_states.begin(), end);
  former_states_ -= count;
}

// Removes what pictures no longer show.
void Mirror::prune_former(MirroredEntity& known) {
  while (!known.former_states.empty()) {
    const EntityVersions::Version next = known.former_states.size() > 1
                                             ? known.former_states[1].versions.at(0)
                                             : known.versions.around(0).later;  // the first whose words are not lost
    const bool old = known.versions.newest().tick - next.tick > EntityVersions::picture_age_max;
    if (next.tick > shown_tick_ && !old) return;
    drop_former(known, 1);
  }
}

}  // namespace mobula::client
