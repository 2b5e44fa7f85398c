// Messages of the game to entities, whichever zone has them. They are delivered once per tick, after the due commands:
// those that were sent before, also by commands of the same tick.
//
//   send() ──► Game::receive                            the entity is of this world
//         └──► Forward ──► neighbouring zone ──► ...    it is a ghost
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <mobula/wire/messages.hpp>
#include <utility>
#include <vector>

namespace mobula::server {

class EntityMessages {
 public:
  static constexpr std::size_t bytes_per_tick_max = 256 * 1024;
  static constexpr std::size_t message_bytes_max = wire::max_reliable_event_bytes;

  /// Queues a message to an entity. Does nothing for null. Each message counts its size plus 32 bytes towards
  /// bytes_per_tick_max. Errors: "large message", "too many messages".
  core::Status send(ecs::Entity to, core::ByteView bytes);
  /// Queues what another zone has sent. Called by the server.
  void receive(wire::Forward forward) { waiting_.push_back(std::move(forward)); }
  /// Returns and clears what waits. Called by the server.
  [[nodiscard]] std::vector<wire::Forward> take() {
    bytes_ = 0;
    return std::exchange(waiting_, {});
  }

 private:
  static constexpr std::size_t overhead = 32;

  std::vector<wire::Forward> waiting_;
  std::size_t bytes_ = 0;  // counted by send()
};

}  // namespace mobula::server
