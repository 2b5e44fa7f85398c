// Makes a mirror wrong.
#pragma once

#include <mobula/client/mirror/mirror.hpp>

namespace mobula::client {

struct MirrorTamper {
  // Of an entity with an id: of its newest state.
  static void flip(Mirror& mirror, ecs::Entity entity, std::size_t word, std::uint32_t bits) {
    for (Mirror::Known& known : mirror.known_) {
      if (!known.shown || known.entity != entity) continue;
      EntityVersions& versions = known.versions;
      const std::size_t words = mirror.codecs_.entity(known.prototype).words;
      versions.states_[versions.states_.size() - words + word % words] ^= bits;
    }
  }
  // The same, unless it makes what no value is: predictions from that are undefined. False: it would.
  static bool flip_value(Mirror& mirror, ecs::Entity entity, std::size_t word, std::uint32_t bits) {
    flip(mirror, entity, word, bits);
    const Mirror::Known& known = *mirror.find(entity);
    const std::uint32_t* words = known.versions.newest().words;
    for (const ecs::PoolId pool : mirror.registry_.prototypes().pools(known.prototype)) {
      const wire::RowCodec& codec = *mirror.codecs_.row(pool);
      core::Bytes value = mirror.registry_.pool(pool).type().default_value;
      if (!codec.to_component(words, true, value.data())) {
        flip(mirror, entity, word, bits);
        return false;
      }
      words += codec.words();
    }
    return true;
  }
  static std::vector<ecs::Entity> with_id(const Mirror& mirror) {
    std::vector<ecs::Entity> all;
    for (const Mirror::Known& known : mirror.known_)
      if (known.shown) all.push_back(known.entity);
    return all;
  }
  static std::vector<ecs::Entity> as_loaded(const Mirror& mirror) {
    std::vector<ecs::Entity> all;
    for (std::uint32_t i = 0; i < mirror.level_.here.size(); ++i)
      if (mirror.level_.here[i]) all.push_back(mirror.level_.copy->range().at(i));
    return all;
  }
  // Forgets an entity, which the server is not told.
  static void lose(Mirror& mirror, ecs::Entity entity) {
    for (std::uint32_t id = 0; id < mirror.known_.size(); ++id)
      if (mirror.known_[id].entity == entity && mirror.known_[id].shown)
        mirror.drop(false, id, entity, mirror.known_[id].versions.newest().tick);
    mirror.drop(true, 0, entity, 0);
  }
  // As if the entity had another id as well, and another name.
  static void add_ghost(Mirror& mirror, ecs::Entity like, ecs::Entity ghost) {
    for (std::size_t id = 0; id < mirror.known_.size(); ++id) {
      if (mirror.known_[id].entity != like || !mirror.known_[id].shown) continue;
      Mirror::Known known = mirror.known_[id];
      known.entity = ghost;
      known.hash = mirror.hash_of(known);
      mirror.registry_.prototypes().hold(known.prototype);
      mirror.hash_ += known.hash;
      ++mirror.size_;
      mirror.state_words_ += known.versions.kept_words();
      mirror.known_.push_back(std::move(known));
      mirror.bring_in(mirror.known_.back());
      mirror.registry_.clear_journal();
      return;
    }
  }
  // Of the sum alone.
  static void spoil_hash(Mirror& mirror) { mirror.hash_ += 12345; }
};

}  // namespace mobula::client
