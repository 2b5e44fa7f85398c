// What the server keeps of one client: who it is, what it may see, what it has been told.
// A client whose connection broke off is away for a while, its player still in the world, and may come back with its
// rejoin token: then the session goes on over another of the transport's, and all is told anew.
#pragma once

#include <array>
#include <memory>
#include <mobula/core/log_record.hpp>
#include <mobula/core/per_second.hpp>
#include <mobula/ecs/registry.hpp>
#include <mobula/server/game/command_dispatch.hpp>
#include <mobula/server/game/game.hpp>
#include <mobula/server/replication/client_view.hpp>
#include <mobula/server/replication/resource_transfer.hpp>
#include <mobula/transport/server_endpoint.hpp>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace mobula::server {

class Session {
 public:
  // No Hello yet; Welcome under way; deltas flow; connection lost; done for.
  enum class State { greeting, joining, playing, away, closing };

  // Of commands and messages. Whoever goes on like that is not playing.
  static constexpr std::uint32_t refusals_per_second_max = 64;
  static constexpr std::uint32_t comparisons_per_second_max = 8;
  static constexpr core::Nanoseconds tokens_wait_max = 2 * core::second;

  explicit Session(transport::SessionId id) : transport_id(id) {}

  transport::SessionId transport_id;
  State state = State::greeting;
  core::Nanoseconds connected_at = 0;
  core::Nanoseconds away_since = 0;  // or since when it has said no Hello, if it came back before
  Player player;
  Viewer* viewer = nullptr;         // the world's, while joined
  bool joined = false;              // the game knows the player
  bool restored = false;            // the game has not been asked to let the player in since the server began
  bool was_playing = false;         // deltas have flowed, in this session of the transport or before
  bool verifies = false;            // the client asks for its mirror to be verified
  std::uint32_t rejoin_number = 0;  // of its rejoin tokens; 0: it has been given none
  core::Nanoseconds next_rejoin_token = 0;
  transport::ReliableId welcome = 0;
  std::unique_ptr<ClientView> view;         // from joining on
  std::shared_ptr<const LevelOffer> level;  // that the client has; null: none
  // Versions of the interest, its owners and the viewer at the last look.
  struct Looked {
    std::uint64_t at = 0;  // 0: never, or in vain
    std::uint64_t owners = 0;
    std::uint64_t through = 0;
    ecs::Tick in = 0;  // the tick, or a later one in which nothing was to be seen anew
  };
  Looked looked;
  // What was acknowledged since the last delta was written, without commands: it waits until what it changes is needed
  // anyway, and in the cache.
  std::optional<wire::InputDatagram> acks;
  CommandBuffer commands;
  CommandDispatch::Gates gates;  // how often it may give them
  ResourceTransfer transfer;
  std::uint32_t differences_awaited = 0;  // so many the client may still tell

  void go_away(core::Nanoseconds now);
  // Over a new session of the transport. The client has to say Hello again.
  void come_back(transport::SessionId id, core::Nanoseconds now);
  // The client has said whether it kept its mirror. True: what it had and what it was told goes on; false: it knows
  // nothing.
  bool resume(bool kept_mirror);
  // Not before the client has all that it came for: they are large.
  [[nodiscard]] bool wants_rejoin_tokens(core::Nanoseconds now) const;
  // Tells the client of prototypes that its deltas wait for, names first. Fails if the lane is full: the
  // client has not read for long and is lost.
  core::Status announce_prototypes(const ecs::Registry& registry, transport::Session& lane);
  // What log lines about it carry: the player, once there is one.
  [[nodiscard]] core::LogFields log_fields() const {
    return {.session = player.id != 0 ? player.id : core::LogFields::none};
  }
  // False if there have been too many this second.
  bool refuse_one(core::Nanoseconds now) { return refusals_.admit(now); }
  // Whether what the client says to have may be compared: it takes a while, and who is honest says it seldom.
  bool compare_one(core::Nanoseconds now) { return comparisons_.admit(now); }

 private:
  struct Announcement {
    transport::ReliableId message;
    std::vector<std::uint32_t> prototypes;  // the client's ids
  };

  core::Status send_new_names(const ecs::Registry& registry, transport::Session& lane);
  void note_delivered(const transport::Session& lane);

  std::vector<Announcement> announcements_;
  std::unordered_set<ecs::PoolId> named_pools_;
  core::PerSecond refusals_{refusals_per_second_max};
  core::PerSecond comparisons_{comparisons_per_second_max};
};

}  // namespace mobula::server
