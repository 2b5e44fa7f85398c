// Test fixture: two sessions on a simulated network, and messages derived from their number.
#pragma once

#include <mobula/core/random.hpp>
#include <mobula/transport/session.hpp>
#include <mobula/transport/simulation/simulated_network.hpp>

namespace mobula::transport {

// Returns the message with this number. Its bytes follow from the number, so that the receiver can check them.
inline core::Bytes message_of(std::uint64_t number, std::size_t size) {
  core::Random random(number);
  core::Bytes bytes(size);
  for (std::size_t i = 0; i < size; i += 8) {
    const std::uint64_t word = random.next();
    std::memcpy(bytes.data() + i, &word, std::min<std::size_t>(8, size - i));
  }
  return bytes;
}

inline core::Bytes number_message(std::uint32_t number, std::size_t size = 4) {
  core::Bytes bytes = message_of(number, size);
  core::store(bytes.data(), number);
  return bytes;
}

// Two sessions, side 0 and side 1, with a simulated network between them.
struct Pair {
  explicit Pair(const NetworkConditions& conditions, const SessionConfig& config = {}, std::uint64_t seed = 1)
      : network(seed, conditions), sides{Session(config, 0), Session(config, 0)} {}

  static Address address(std::size_t side) { return Address::v4(10, 0, 0, 1, static_cast<std::uint16_t>(side)); }

  void flush(std::size_t side) {
    sides[side].flush(now, [&](core::ByteView body) { network.send(address(side), address(1 - side), body, now); });
  }
  void deliver() {
    network.deliver(now,
                    [&](const Address&, const Address& to, core::ByteView body) { sides[to.port].receive(body, now); });
  }
  void step(core::Nanoseconds duration = 20 * core::millisecond) {
    deliver();
    flush(0);
    flush(1);
    now += duration;
    sides[0].check();
    sides[1].check();
  }

  core::Nanoseconds now = 0;
  SimulatedNetwork network;
  std::array<Session, 2> sides;
};

inline std::vector<core::Bytes> all_reliable(Session& session) {
  std::vector<core::Bytes> messages;
  core::Bytes message;
  while (session.next_reliable(message)) messages.push_back(message);
  return messages;
}
inline std::vector<core::Bytes> all_unreliable(Session& session) {
  std::vector<core::Bytes> messages;
  core::Bytes message;
  while (session.next_unreliable(message)) messages.push_back(message);
  return messages;
}
inline std::vector<core::Bytes> all_bodies(Session& session, core::Nanoseconds now) {
  std::vector<core::Bytes> bodies;
  session.flush(now, [&](core::ByteView body) { bodies.emplace_back(body.begin(), body.end()); });
  return bodies;
}

}  // namespace mobula::transport
