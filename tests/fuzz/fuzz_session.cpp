// A session under attack. It receives its peer's datagrams, some damaged, lost or duplicated, besides arbitrary bytes.
//
//   input: steps, each a byte for the kind (see step) and its parameters
#include <array>
#include <fuzz/fuzz.hpp>
#include <mobula/transport/session.hpp>
#include <vector>

namespace fuzz_session {

using namespace mobula;

namespace {

constexpr transport::SessionConfig config{.reliable_receive_bytes_max = 8 * 1024,
                                          .reliable_inbox_bytes_max = 72 * 1024,
                                          .reliable_queue_bytes_max = 64 * 1024,
                                          .unreliable_queue_bytes_max = 8 * 1024,
                                          .unreliable_inbox_bytes_max = 8 * 1024};

struct Attack {
  core::Nanoseconds now = 0;
  transport::Session victim{config, 0};
  transport::Session peer{config, 0};

  void step(fuzz::Input& input) {
    switch (input.byte() % 8) {
      case 0: victim.receive(input.bytes(input.word() % 1300), now); break;
      case 1: send(peer, input); break;
      case 2: send(victim, input); break;
      case 3: deliver(peer, victim, input); break;
      case 4: deliver(victim, peer, input); break;
      case 5: now += core::millisecond * input.word(); break;
      case 6: now -= core::millisecond * input.word() * 100; break;
      default: disconnect(input); break;
    }
    victim.check();
  }

  void disconnect(fuzz::Input& input) {
    std::array<std::byte, transport::session_body_bytes_max> body;
    std::size_t size = transport::Session::write_disconnect({transport::ReasonCode::left, "bye"}, body);
    body[input.byte() % size] ^= static_cast<std::byte>(input.byte());
    victim.receive(core::ByteView(body).first(size), now);
    if (victim.disconnect_reason())
      fuzz::require(victim.disconnect_reason()->text.size() <= transport::reason_text_bytes_max, "a reason in bounds");
  }

  // Sends a message. The top two bits of its size select the lane.
  static void send(transport::Session& session, fuzz::Input& input) {
    const std::uint16_t size = input.word();
    const core::Bytes message(size % 5000, static_cast<std::byte>(size));
    switch (size >> 14) {
      case 0: static_cast<void>(session.send_reliable(message)); break;
      case 1: static_cast<void>(session.send_reliable(message, transport::Lane::bulk)); break;
      case 2: static_cast<void>(session.send_unreliable(message)); break;
      default: static_cast<void>(session.send_unreliable(message, size)); break;
    }
  }

  // Delivers datagrams. A byte of input decides the fate of each.
  void deliver(transport::Session& from, transport::Session& to, fuzz::Input& input) {
    from.flush(now, [&](core::ByteView body) {
      const std::uint8_t fate = input.byte();
      core::Bytes bytes(body.begin(), body.end());
      if (fate % 4 == 1) return;
      if (fate % 4 == 2) bytes[input.word() % bytes.size()] ^= static_cast<std::byte>(fate);
      to.receive(bytes, now);
      if (fate % 4 == 3) to.receive(bytes, now);
    });
    core::Bytes message;
    for (const transport::Lane lane : {transport::Lane::control, transport::Lane::bulk}) {
      while (to.next_reliable(message, lane)) {
        fuzz::require(message.size() <= config.reliable_receive_bytes_max, "a message in bounds");
      }
    }
    while (to.next_unreliable(message))
      fuzz::require(message.size() <= transport::max_unreliable_size, "a message in bounds");
    transport::Fate fate;
    while (from.next_fate(fate)) fuzz::require(fate.tag >= 0xc000, "only tagged messages have a fate");
  }
};

int run_target(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(fuzz::view(data, size));
  Attack attack;
  while (!input.empty()) attack.step(input);
  return 0;
}

const mobula::fuzz::Target target("session", run_target);

}  // namespace
}  // namespace fuzz_session
