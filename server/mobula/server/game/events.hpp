// What a game tells its clients besides components: a shot, a goal, a line of chat. Collected during a tick, told at
// its end with its tick. Reliable ones arrive, in order, while the connection lasts. Clients hand out what they get
// tick by tick, as it was sent, and what is late at once. Who is away is not told later what has happened.
//
// Bytes of events lie one after the other in `bytes_`; messages and batches are encoded per client, but once for all
// who are told the events for everyone and no others.
#pragma once

#include <cstdint>
#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/entity.hpp>
#include <mobula/ecs/pool.hpp>
#include <span>
#include <utility>
#include <vector>

namespace mobula::server {

// Who is told.
struct Audience {
  enum class Kind : std::uint8_t { everyone, player, seers, room };

  Kind kind = Kind::everyone;
  std::uint32_t id = 0;  // of the player, or of the room
  ecs::Entity about;     // seers: the entity, which the event then names

  static Audience everyone() { return {}; }
  static Audience player(std::uint32_t id) { return {Kind::player, id, {}}; }
  // Those whose view contains the entity.
  static Audience seers_of(ecs::Entity entity) { return {Kind::seers, 0, entity}; }
  static Audience room(std::uint32_t id) { return {Kind::room, id, {}}; }
};

enum class Reliability : std::uint8_t { unreliable, reliable };

class Events {
 public:
  static constexpr std::size_t bytes_per_tick_max = 256 * 1024;

  // Messages for the reliable control lane, and unreliable messages. Valid until the next call of anything.
  struct ForClient {
    std::span<const core::Bytes> reliable;
    std::span<const core::Bytes> unreliable;
  };

  // Once nothing more is to be sent in a tick, for each client; then clear().
  // sees(entity): whether it is in the client's view, or was at its end in this tick. in_room(id): whether the client
  // is.
  template <class Sees, class InRoom>
  const ForClient& for_client(ecs::Tick tick, std::uint32_t player, const Sees& sees, const InRoom& in_room) {
    if (all_.empty()) return nothing_;
    begin_selection(player);
    for (const std::uint32_t index : shared_) {
      const Audience& audience = all_[index].audience;
      if (audience.kind == Audience::Kind::everyone ||
          (audience.kind == Audience::Kind::seers && sees(audience.about)) ||
          (audience.kind == Audience::Kind::room && in_room(audience.id)))
        select(index);
    }
    return encode_selection(tick);
  }

  // An event takes its bytes and 32 more. Reasons: "large event" (more than wire::max_event_bytes, or if reliable
  // wire::max_reliable_event_bytes), "too many events": this tick has no room for it.
  core::Status send(core::ByteView bytes, const Audience& audience, Reliability reliability);
  void clear();
  [[nodiscard]] std::size_t size() const { return all_.size(); }

 private:
  static constexpr std::size_t overhead = 32;

  struct Stored {
    Audience audience;
    Reliability reliability;
    std::uint32_t first;
    std::uint32_t size;
  };
  struct Encoded {
    std::vector<core::Bytes> reliable;
    std::vector<core::Bytes> unreliable;  // memory for later behind the first `batches`
    std::size_t batches = 0;
    bool done = false;
    ForClient view;
  };

  void begin_selection(std::uint32_t player);
  void select(std::uint32_t index);
  void select_own_before(std::uint32_t index);
  const ForClient& encode_selection(ecs::Tick tick);
  void encode(ecs::Tick tick, Encoded& out) const;
  void encode_reliable(ecs::Tick tick, Encoded& out) const;
  void encode_unreliable(ecs::Tick tick, Encoded& out) const;
  [[nodiscard]] core::ByteView bytes_of(const Stored& event) const {
    return core::ByteView(bytes_).subspan(event.first, event.size);
  }

  core::Bytes bytes_;
  std::vector<Stored> all_;
  std::vector<std::uint32_t> shared_;                               // those that are not for one player
  std::vector<std::pair<std::uint32_t, std::uint32_t>> of_player_;  // (player, event), sorted once it is asked
  bool sorted_ = true;
  std::size_t for_everyone_ = 0;
  std::span<const std::pair<std::uint32_t, std::uint32_t>> own_;  // of the client that is asked for, not selected yet
  std::vector<std::uint32_t> selected_;
  bool only_for_everyone_ = true;
  Encoded everyone_;
  Encoded one_;
  ForClient nothing_;
};

}  // namespace mobula::server
