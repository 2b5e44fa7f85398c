// Full states of one view's entities that do not fit a datagram. Each is frozen as the body of a delta, which is sent
// ahead in parts on the control lane. Once the client has it, a delta of a few bytes refers to it.
//
//   free -> sending -> delivered -> announced -> free, once the client has acknowledged the delta
//                          ^ that delta was lost |
//
// An entity has one body at a time. Its changes wait meanwhile, so that a body larger than the budget of a tick makes
// progress. Any state of a body ends when its entity leaves the view, or its composition or owner changes.
#pragma once

#include <array>
#include <mobula/ecs/pool.hpp>
#include <mobula/transport/reliable_sender.hpp>
#include <mobula/wire/delta.hpp>
#include <mobula/wire/messages.hpp>

namespace mobula::server {

class DeltaBodies {
 public:
  enum class State : std::uint8_t { free, sending, delivered, announced };
  struct Body {
    State state = State::free;
    std::uint32_t id = 0;        // the entity's
    std::uint32_t number = 0;    // rises by 1 with each body begun or begun again
    ecs::Tick tick = 0;          // tick of its values
    std::uint64_t hash = 0;      // hash of what it contains
    std::uint32_t sequence = 0;  // sequence of the delta that announced it last
    ecs::Tick announced_at = 0;  // tick in which that delta was sent
    std::size_t queued = 0;      // bytes given to the lane
    transport::ReliableId last_part = 0;
    core::Bytes bytes;

    /// Returns the next part, of at most `bytes_max` bytes.
    [[nodiscard]] wire::DeltaBody part(std::size_t bytes_max) const;
  };

  /// Begins the body of an entity that has none; the caller sets its bytes. Null if as many as a client keeps are under
  /// way: the entity must wait.
  Body* begin(std::uint32_t id, ecs::Tick tick);
  /// Returns the body of an entity. Null if it has none.
  [[nodiscard]] Body* find(std::uint32_t id);
  /// Drops the body of an entity, if it has one.
  void cancel(std::uint32_t id);

  /// Notes which bodies have arrived, by delivered(id of a reliable message).
  template <class Delivered>
  void note_delivered(Delivered&& delivered) {
    for (Body& body : bodies_)
      if (body.state == State::sending && body.queued == body.bytes.size() && delivered(body.last_part))
        body.state = State::delivered;
  }
  /// Sends parts of at most `bytes_max` bytes in all. send(const wire::DeltaBody&) returns the id of the reliable
  /// message; 0 if the lane is full. Returns the bytes sent.
  template <class Send>
  std::size_t send_parts(std::size_t bytes_max, Send&& send) {
    std::size_t sent = 0;
    for (Body* body = next_to_send(); body != nullptr && sent < bytes_max; body = next_to_send()) {
      const wire::DeltaBody part = body->part(bytes_max - sent);
      const transport::ReliableId id = send(part);
      if (id == 0) break;
      body->queued += part.bytes.size();
      body->last_part = id;
      sent += part.bytes.size();
    }
    return sent;
  }
  /// Returns a body that the client has and that no delta in flight announces. Null if there is none.
  [[nodiscard]] Body* next_delivered();
  /// Notes the fate of a delta. Returns the body that it announced, as it was before; null if there is none.
  const Body* received(std::uint32_t sequence);
  const Body* missing(std::uint32_t sequence);
  /// Begins all bodies again. The connection is another one, and parts may not have arrived.
  void begin_again();
  /// Returns whether a body is not announced: the client lacks something.
  [[nodiscard]] bool any_unannounced() const;

 private:
  // Returns the body with the lowest number that satisfies the condition; null if none does.
  template <class Condition>
  Body* oldest(Condition&& condition);
  // Parts of a body follow each other: returns the oldest that is not sent completely.
  Body* next_to_send();
  Body* announced_by(std::uint32_t sequence);

  std::array<Body, wire::delta_bodies_kept> bodies_;
  std::uint32_t last_number_ = 0;
};

}  // namespace mobula::server
