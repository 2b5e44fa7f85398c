// The prototypes that one client has received, and their ids. Ids are small numbers of this client's own, because they
// are sent with every entity that gains visibility. Id 0 is the prototype without components, which every client has.
//
// When a prototype is reclaimed, its id is reused once no delta that may still be applied refers to it.
#pragma once

#include <mobula/ecs/registry.hpp>
#include <span>
#include <vector>

namespace mobula::server {

/// Prototype ids of one client.
class AnnouncedPrototypes {
 public:
  struct Announcement {
    ecs::PrototypeId prototype;
    std::uint32_t id;
  };
  static constexpr std::uint32_t unknown = ~0u;

  /// Returns the client's id of a prototype. Returns `unknown` until the announcement is delivered; the first call adds
  /// it to wanted().
  std::uint32_t find_or_want(ecs::PrototypeId prototype);
  /// Returns the announcements to be sent. The caller sends them, clears them, and reports each delivery.
  [[nodiscard]] std::span<const Announcement> wanted() const { return wanted_; }
  void clear_wanted() { wanted_.clear(); }
  void delivered(std::uint32_t id);
  /// Adds all announcements that are not known to be delivered to wanted() again.
  void announce_again();

  /// Retires the ids of prototypes that no longer exist. Deltas up to `sequence` may refer to them.
  void forget(std::span<const ecs::PrototypeId> prototypes, std::uint32_t sequence);
  /// Frees retired ids: the client has applied, or will never apply, all deltas up to `sequence`.
  void resolved(std::uint32_t sequence);

 private:
  enum class State : std::uint8_t { free, announced, known, retired };
  struct Id {
    State state = State::free;
    ecs::PrototypeId prototype = ecs::empty_prototype;  // empty if forgotten before delivery
    std::uint32_t sequence = 0;                         // if retired: last delta that may refer to it
  };

  std::vector<Id> ids_{{State::known, ecs::empty_prototype, 0}};
  std::vector<std::uint32_t> id_of_{0};  // by prototype; 0 if it has none, or is the empty prototype
  std::vector<Announcement> wanted_;
  std::uint32_t retired_ = 0;
};

}  // namespace mobula::server
