// What the server keeps of one client: who it is, what it may see, what it has been told.
// A client whose connection broke off is away for a while, its player still in the world, and may come back with its
// rejoin token: then the session goes on over another of the transport's, and all is told anew.
#pragma once

#include <array>
#include <memory>
#include <mobula/ecs/registry.hpp>
#include <mobula/server/client_view.hpp>
#include <mobula/server/game.hpp>
#include <mobula/server/resource_transfer.hpp>
#include <mobula/transport/server_endpoint.hpp>
#include <string>
#include <unordered_set>
#include <vector>

namespace mobula::server {

class Session {
 public:
  // No Hello yet; Welcome under way; deltas flow; connection lost; done for.
  enum class State { greeting, joining, playing, away, closing };

  static constexpr std::size_t commands_per_tick_max = 4;
  // Of commands and messages. Whoever goes on like that is not playing.
  static constexpr std::uint32_t refusals_per_second_max = 200;

  explicit Session(transport::SessionId id) : transport_id(id) {}

  transport::SessionId transport_id;
  State state = State::greeting;
  core::Nanoseconds connected_at = 0;
  core::Nanoseconds away_since = 0;
  Player player;
  bool joined = false;              // the game knows the player
  std::uint32_t rejoin_number = 0;  // of its rejoin tokens; 0: it has been given none
  core::Nanoseconds next_rejoin_token = 0;
  transport::ReliableId welcome = 0;
  std::unique_ptr<ClientView> view;   // from joining on
  std::vector<core::Bytes> commands;  // received since the last tick, at most commands_per_tick_max
  std::size_t commands_used = 0;      // the rest of `commands` is memory for later
  ResourceTransfer transfer;

  void go_away(core::Nanoseconds now);
  // Over a new session of the transport. The client has to say Hello again, and knows nothing.
  void come_back(transport::SessionId id, core::Nanoseconds now);
  // Tells the client of prototypes that its deltas wait for, names first. Fails if the lane is full: the
  // client has not read for long and is lost.
  core::Status announce_prototypes(const ecs::Registry& registry, transport::Session& lane);
  // False if this tick's commands are used up.
  bool take_command(core::ByteView bytes);
  // False if there have been too many this second.
  bool refuse_one(core::Nanoseconds now);

 private:
  struct Announcement {
    transport::ReliableId message;
    std::vector<std::uint32_t> prototypes;  // the client's ids
  };

  core::Status send_new_names(const ecs::Registry& registry, transport::Session& lane);
  void note_delivered(const transport::Session& lane);
  void forget_the_connection();

  std::vector<Announcement> announcements_;
  std::unordered_set<ecs::PoolId> named_pools_;
  std::uint32_t refusals_ = 0;  // in the second under way
  core::Nanoseconds refusals_end_ = 0;
};

}  // namespace mobula::server
