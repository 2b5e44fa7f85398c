// What the server keeps of one connected client: who it is, what it may see, what it has been told.
// Lives as long as the transport's session.
#pragma once

#include <array>
#include <memory>
#include <mobula/ecs/registry.hpp>
#include <mobula/server/client_view.hpp>
#include <mobula/server/game.hpp>
#include <mobula/transport/server_endpoint.hpp>
#include <string>
#include <unordered_set>
#include <vector>

namespace mobula::server {

class Session {
 public:
  enum class State { greeting, joining, playing, closing };  // no Hello yet; Welcome under way; deltas flow; done for

  static constexpr std::size_t commands_per_tick_max = 4;

  explicit Session(transport::SessionId id) : transport_id(id) {}

  transport::SessionId transport_id;
  State state = State::greeting;
  core::Nanoseconds connected_at = 0;
  Player player;
  bool joined = false;  // the game knows the player
  transport::ReliableId welcome = 0;
  std::unique_ptr<ClientView> view;   // from joining on
  std::vector<core::Bytes> commands;  // received since the last tick, at most commands_per_tick_max
  std::size_t commands_used = 0;      // the rest of `commands` is memory for later

  // Tells the client of prototypes that its deltas wait for, names first. Fails if the lane is full: the
  // client has not read for long and is lost.
  core::Status announce_prototypes(const ecs::Registry& registry, transport::Session& lane);
  // False if this tick's commands are used up.
  bool take_command(core::ByteView bytes);

 private:
  struct Announcement {
    transport::ReliableId message;
    std::vector<std::uint32_t> prototypes;  // the client's ids
  };

  core::Status send_new_names(const ecs::Registry& registry, transport::Session& lane);
  void note_delivered(const transport::Session& lane);

  std::vector<Announcement> announcements_;
  std::unordered_set<ecs::PoolId> named_pools_;
};

}  // namespace mobula::server
