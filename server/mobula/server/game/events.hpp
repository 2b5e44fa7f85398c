// Events: messages of the game that are not state, such as a shot, a goal, a line of chat. They are collected during a
// tick and sent at its end with the tick's number. Reliable events arrive in order while the connection lasts. A client
// delivers events tick by tick in the order of sending, late ones at once. Disconnected players receive no events
// later.
//
// A client in whose view an entity is may not have received it yet. Events about the entity then wait at the client.
// They are handed out when it has the entity, when the entity is known to be removed, or after 256 ticks. Events about
// other entities are not delayed.
//
// The bytes of all events of a tick lie one after the other in `bytes_`. Messages and batches are encoded per client;
// clients that receive exactly the events for everyone share one encoding.
#pragma once

#include <cstdint>
#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/entity.hpp>
#include <mobula/ecs/pool.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace mobula::server {

/// Recipients of an event.
struct Audience {
  enum class Kind : std::uint8_t { everyone, player, seers, interest_group };

  Kind kind = Kind::everyone;
  std::uint32_t id = 0;  // player id or interest group; unused for other kinds
  ecs::Entity about;     // seers: the entity, whose handle is sent with the event

  static Audience everyone() { return {}; }
  /// Returns the audience of one player, by id.
  static Audience player(std::uint32_t id) { return {Kind::player, id, {}}; }
  /// Returns the audience of all clients that have the entity in view at the end of the tick. If it is destroyed in the
  /// tick, they are those that had it in view. They may receive the entity after the event, which waits for it.
  /// Nobody sees a null entity.
  static Audience seers_of(ecs::Entity entity) { return {Kind::seers, 0, entity}; }
  /// Returns the audience of all clients that are in the interest group at the end of the tick.
  static Audience interest_group(std::uint32_t id) { return {Kind::interest_group, id, {}}; }
};

/// Whether a lost event is sent again.
enum class Reliability : std::uint8_t { unreliable, reliable };

class Events {
 public:
  static constexpr std::size_t bytes_per_tick_max = 256 * 1024;

  /// Encoded events of one client: messages for the reliable control lane, and unreliable messages. Valid until the
  /// next call of any method.
  struct ForClient {
    std::span<const core::Bytes> reliable;
    std::span<const core::Bytes> unreliable;
  };

  /// Client that is sent events.
  struct Receiver {
    std::uint32_t player = 0;  // id of its player or spectator
    std::uint32_t zone = 0;    // its own if it is a neighbouring zone, else this world's; 0 without zones
    bool is_zone = false;      // a neighbouring zone: it is sent events about entities alone, from their zone alone
  };

  /// Encodes the events of a tick for one client. Called for each client when the tick sends no more events; clear()
  /// follows. sees(entity) is true if the client has the entity in view, or had it when it was destroyed in this
  /// tick. in_group(id) is true if the client is a member.
  template <class Sees, class InGroup>
  const ForClient& for_client(ecs::Tick tick, Receiver receiver, const Sees& sees, const InGroup& in_group) {
    if (all_.empty()) return nothing_;
    begin_selection(receiver.player);
    for (const std::uint32_t index : shared_) {
      const Audience& audience = all_[index].audience;
      const bool is_for_all = audience.kind == Audience::Kind::everyone ||
                              (audience.kind == Audience::Kind::interest_group && in_group(audience.id));
      if ((is_for_all && !receiver.is_zone) ||
          (audience.kind == Audience::Kind::seers && !is_hidden(all_[index], receiver) && sees(audience.about)))
        select(index);
    }
    return encode_selection(tick);
  }

  /// Queues an event. Each event counts its size plus 32 bytes towards bytes_per_tick_max. Errors: "large event" (more
  /// than wire::max_event_bytes; wire::max_reliable_event_bytes if reliable), "too many events" (the tick's bytes are
  /// used up).
  core::Status send(core::ByteView bytes, const Audience& audience, Reliability reliability);
  /// Queues an event about an entity, from another zone. `origin` is the zone whose game has sent it. It is null if the
  /// entity is of another zone, which has sent the event here. Drops it if the tick's bytes are used up. Called by the
  /// server.
  void relay(core::ByteView bytes, ecs::Entity about, Reliability reliability, std::optional<std::uint32_t> origin);
  /// Calls function(about, bytes, reliability) for each event about an entity that the game has sent here.
  template <class Function>
  void each_own(const Function& function) const {
    for (const std::uint32_t index : shared_) {
      const Stored& event = all_[index];
      if (event.audience.kind == Audience::Kind::seers && event.source == Source::game)
        function(event.audience.about, bytes_of(event), event.reliability);
    }
  }
  /// Removes the events of the tick. World::end_tick() calls it.
  void clear();
  [[nodiscard]] std::size_t size() const { return all_.size(); }

 private:
  static constexpr std::size_t overhead = 32;

  // The game here, that of a zone which does not have the entity, or the zone that has it.
  enum class Source : std::uint8_t { game, other_zone, entitys_zone };
  struct Stored {
    Audience audience;
    Reliability reliability;
    std::uint32_t first;
    std::uint32_t size;
    Source source = Source::game;
    std::uint32_t origin = 0;  // number of the other zone
  };
  struct Encoded {
    std::vector<core::Bytes> reliable;
    std::vector<core::Bytes> unreliable;  // the first `batches` are in use, the rest is spare memory
    std::size_t batches = 0;
    bool done = false;
    ForClient view;
  };

  // The zone of an entity sends events about it to all neighbouring zones. The clients of the first zone have it.
  static bool is_hidden(const Stored& event, Receiver receiver) {
    if (event.source == Source::entitys_zone) return receiver.is_zone;
    return event.source == Source::other_zone && event.origin == receiver.zone;
  }
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
  std::vector<std::uint32_t> shared_;                               // events for more than one player
  std::vector<std::pair<std::uint32_t, std::uint32_t>> of_player_;  // (player, event), sorted at the first query
  bool sorted_ = true;
  std::size_t for_everyone_ = 0;
  std::span<const std::pair<std::uint32_t, std::uint32_t>> own_;  // events of the current client, not yet selected
  std::vector<std::uint32_t> selected_;
  bool only_for_everyone_ = true;
  Encoded everyone_;
  Encoded one_;
  ForClient nothing_;
};

}  // namespace mobula::server
