// Effects: what a step does besides changing components, such as a sound, a flash or an event. A client begins an
// effect when it predicts it. The effect ends confirmed or cancelled. On the server the game is given it, to send
// events.
#pragma once

#include <cstdint>
#include <mobula/core/bytes.hpp>
#include <mobula/core/string_id.hpp>
#include <mobula/ecs/registry.hpp>
#include <vector>

namespace mobula::prediction {

/// Returns the key of what an entity does once: in a tick, or by a command. `number` is the tick or the command's
/// number, and the same of both for all effects of a name.
[[nodiscard]] constexpr std::uint64_t effect_key(ecs::Entity entity, std::uint32_t number) {
  return std::uint64_t{entity.index} << 32 | number;
}

/// An effect of a step. Its name and key identify it: both runs of a replayed tick name the same effect by them.
struct Effect {
  static constexpr std::size_t payload_max = 1024;  // bytes

  core::StringId32 name;
  std::uint64_t key = 0;
  ecs::Tick tick = 0;
  core::ByteView payload;

  [[nodiscard]] bool is_same(const Effect& other) const { return name == other.name && key == other.key; }
};

/// Effects in the order in which they were emitted. Allocates nothing once it has grown to the size needed.
class EffectList {
 public:
  /// Copies an effect. Checks that its payload has at most payload_max bytes.
  void add(const Effect& effect);
  void clear();
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  /// Returns an effect, whose payload is valid until the list changes.
  [[nodiscard]] Effect at(std::size_t place) const;

 private:
  struct Entry {
    core::StringId32 name;
    std::uint64_t key;
    ecs::Tick tick;
    std::uint32_t first;  // byte of its payload
    std::uint32_t size;
  };

  std::vector<Entry> entries_;
  core::Bytes bytes_;
};

}  // namespace mobula::prediction
