// Which prototypes one client knows, and under which ids: small numbers of its own, because they are sent with
// every entity that appears. Id 0 is the prototype without components, which every client knows.
//
// An id whose prototype is reclaimed serves another one later, when no delta that may still arrive refers to it.
#pragma once

#include <mobula/ecs/registry.hpp>
#include <span>
#include <vector>

namespace mobula::server {

class AnnouncedPrototypes {
 public:
  struct Announcement {
    ecs::PrototypeId prototype;
    std::uint32_t id;
  };
  static constexpr std::uint32_t unknown = ~0u;

  // The client's id of it. Unknown until the client has heard of it: from now on it is wanted.
  std::uint32_t find_or_want(ecs::PrototypeId prototype);
  // What the client is to be told; the caller does so, and reports when it knows.
  [[nodiscard]] std::span<const Announcement> wanted() const { return wanted_; }
  void clear_wanted() { wanted_.clear(); }
  void delivered(std::uint32_t id);
  // What the client was told, and may not have heard, is wanted again.
  void announce_again();

  // Prototypes that no longer are. Deltas up to `sequence` may refer to them.
  void forget(std::span<const ecs::PrototypeId> prototypes, std::uint32_t sequence);
  // The client has, or will never apply, what deltas up to `sequence` carried.
  void resolved(std::uint32_t sequence);

 private:
  enum class State : std::uint8_t { free, announced, known, leaving };
  struct Id {
    State state = State::free;
    ecs::PrototypeId prototype = ecs::empty_prototype;  // empty: forgotten before the client knew it
    std::uint32_t sequence = 0;                         // leaving: the last delta that may refer to it
  };

  std::vector<Id> ids_{{State::known, ecs::empty_prototype, 0}};
  std::vector<std::uint32_t> id_of_{0};  // by prototype; 0: none, but for the empty prototype
  std::vector<Announcement> wanted_;
  std::uint32_t leaving_ = 0;
};

}  // namespace mobula::server
