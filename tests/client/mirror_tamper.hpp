// Damages a mirror, for tests of its verification.
#pragma once

#include <mobula/client/mirror/mirror.hpp>

namespace mobula::client {

struct MirrorTamper {
  // Flips bits in the newest state of an entity with an id.
  static void flip(Mirror& mirror, ecs::Entity entity, std::size_t word, std::uint32_t bits) {
    for (MirroredEntity& known : mirror.state_.known) {
      if (!known.shown || known.entity != entity) continue;
      EntityVersions& versions = known.versions;
      const std::size_t words = mirror.state_.codecs.entity(known.prototype).words;
      versions.states_[versions.states_.size() - words + word % words] ^= bits;
    }
  }
  // Flips bits as flip() does. Returns false and changes nothing if the result is not a valid value, because
  // predictions from it are undefined.
  static bool flip_value(Mirror& mirror, ecs::Entity entity, std::size_t word, std::uint32_t bits) {
    flip(mirror, entity, word, bits);
    const MirroredEntity& known = *mirror.state_.find(entity);
    const std::uint32_t* words = known.versions.newest().words;
    for (const ecs::PoolId pool : mirror.state_.registry.prototypes().pools(known.prototype)) {
      const wire::RowCodec& codec = *mirror.state_.codecs.row(pool);
      core::Bytes value = mirror.state_.registry.pool(pool).type().default_value;
      if (!codec.to_component(words, true, mirror.tick(), value.data())) {
        flip(mirror, entity, word, bits);
        return false;
      }
      words += codec.words();
    }
    return true;
  }
  static std::vector<ecs::Entity> with_id(const Mirror& mirror) {
    std::vector<ecs::Entity> all;
    for (const MirroredEntity& known : mirror.state_.known)
      if (known.shown) all.push_back(known.entity);
    return all;
  }
  static std::vector<ecs::Entity> as_loaded(const Mirror& mirror) {
    std::vector<ecs::Entity> all;
    for (std::uint32_t i = 0; i < mirror.state_.level.here.size(); ++i)
      if (mirror.state_.level.here[i]) all.push_back(mirror.state_.level.copy->range().at(i));
    return all;
  }
  // Forgets an entity without the server's knowledge.
  static void lose(Mirror& mirror, ecs::Entity entity) {
    for (std::uint32_t id = 0; id < mirror.state_.known.size(); ++id)
      if (mirror.state_.known[id].entity == entity && mirror.state_.known[id].shown)
        mirror.drop(false, id, entity, mirror.state_.known[id].versions.newest().tick);
    mirror.drop(true, 0, entity, 0);
  }
  // Adds a copy of an entity under another id and handle.
  static void add_ghost(Mirror& mirror, ecs::Entity like, ecs::Entity ghost) {
    for (std::size_t id = 0; id < mirror.state_.known.size(); ++id) {
      if (mirror.state_.known[id].entity != like || !mirror.state_.known[id].shown) continue;
      const MirroredEntity& original = mirror.state_.known[id];
      MirroredEntity known{.entity = ghost,
                           .prototype = original.prototype,
                           .owner = original.owner,
                           .shown = true,
                           .first_tick = original.first_tick,
                           .former = {},
                           .versions = original.versions,
                           .former_states = {}};
      known.hash = mirror.hash_of(known);
      mirror.state_.registry.prototypes().hold(known.prototype);
      mirror.hash_ += known.hash;
      ++mirror.size_;
      mirror.state_words_ += known.versions.kept_words();
      mirror.state_.known.push_back(std::move(known));
      mirror.bring_in(mirror.state_.known.back(), false);
      mirror.state_.registry.clear_journal();
      return;
    }
  }
  // Counts as many states as leave `words` words until the limit of memory.
  static void leave_words(Mirror& mirror, std::size_t words) { mirror.state_words_ = Mirror::state_words_max - words; }
  // Changes the sum of the hashes only.
  static void spoil_hash(Mirror& mirror) { mirror.hash_ += 12345; }
};

}  // namespace mobula::client
