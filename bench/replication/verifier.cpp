#include "replication/verifier.hpp"

#include <algorithm>
#include <mobula/schema/engine.hpp>

namespace mobula::bench {
namespace {

using engine::Transform;

const std::byte* bytes_of(const Transform& transform) { return reinterpret_cast<const std::byte*>(&transform); }

}  // namespace

Verifier::Verifier(const reflect::Schema& schema)
    : codec_(*std::ranges::find(schema.components(), "Transform", &reflect::Component::name)), words_(codec_.words()) {}

void Verifier::note(const Walkers& walkers, const ecs::Registry& world, ecs::Tick tick) {
  Moment& moment = moments_[tick % ticks_kept];
  moment.tick = newest_ = tick;
  moment.words.resize(walkers.entities().size() * codec_.words());
  std::uint32_t* words = moment.words.data();
  for (const ecs::Entity entity : walkers.entities()) {
    codec_.to_words(bytes_of(world.get<const Transform>(entity)), words);
    words += codec_.words();
  }
}

std::uint64_t Verifier::mismatches(const Walkers& walkers, const client::Mirror& mirror) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < walkers.entities().size(); ++i) {
    const ecs::Entity entity = walkers.entities()[i];
    const ecs::Tick tick = mirror.tick_of(entity);
    if (tick == 0) continue;
    ++compared_;
    const Moment& moment = moments_[(i < walkers.config().moving ? tick : newest_) % ticks_kept];
    codec_.to_words(bytes_of(mirror.registry().get<const Transform>(entity)), words_.data());
    const auto then = moment.words.begin() + static_cast<std::ptrdiff_t>(i * codec_.words());
    const bool known = i >= walkers.config().moving || moment.tick == tick;
    count += known && std::equal(words_.begin(), words_.end(), then) ? 0 : 1;
  }
  return count;
}

}  // namespace mobula::bench
