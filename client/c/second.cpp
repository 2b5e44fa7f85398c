#include <c/second.hpp>
#include <mobula/core/log.hpp>
#include <utility>

namespace mobula::c {
namespace {

core::Status open_second(Client& client) {
  UdpPipe& pipe = *client.pipe;
  std::optional<transport::Address> server;
  for (const std::string& text : pipe.follower.zone().addresses)
    if (!server) server = parse_udp_address(text);
  if (!server) return core::Error{"no address", "no address of the zone is that of a UDP socket"};
  const core::Result<client::ConnectionConfig> config = pipe.follower.settings(*client.connection, *server);
  if (!config) return config.error();
  if (core::Status opened = pipe.second_socket.open(); !opened) return opened;
  pipe.second = std::make_unique<client::Connection>(*config, client.now);
  pipe.second->prepare_for(*client.connection);
  return core::Done{};
}

// The host joins the zone with another token.
void give_up_second(Client& client, const transport::Reason& reason) {
  UdpPipe& pipe = *client.pipe;
  const std::string world = pipe.follower.world_after(reason);
  core::log_warn("client", "the client could not follow its player to zone {}: {}", pipe.follower.zone().world,
                 to_string(reason));
  drop_second(client);
  client.connection->close(pipe.socket);
  client.connection->set_moved(world);
}

}  // namespace

void take_over(Client& client) {
  UdpPipe& pipe = *client.pipe;
  if (pipe.second == nullptr || !client::ZoneFollower::is_complete(*pipe.second)) return;
  client.connection->close(pipe.socket);
  client.connection->follow(std::move(*pipe.second));
  pipe.second.reset();
  pipe.socket.take_over(pipe.second_socket);
  pipe.follower.on_arrived();
  pipe.lost_at = 0;
  ++pipe.zone_changes;
  client.closes_at.reset();
  client.properties_of = 0;  // the mirror is another one with the same number
  if (client.prediction != nullptr) client.prediction->prediction->restart();
  core::log_info("client", "the player is in zone {}", pipe.follower.zone().world);
}

void update_second(Client& client) {
  using client::ZoneFollower;  // the room has a Step of its own
  UdpPipe& pipe = *client.pipe;
  if (pipe.second != nullptr) pipe.second->update(client.now, pipe.second_socket);
  ZoneFollower::Step step = pipe.follower.update(*client.connection, pipe.second.get());
  transport::Reason reason;
  if (step == ZoneFollower::Step::open) {
    drop_second(client);
    const core::Status opened = open_second(client);
    step = opened ? ZoneFollower::Step::none : pipe.follower.on_refused();
    if (!opened) reason = {transport::ReasonCode::refused, opened.error().message};
  } else if (pipe.second != nullptr) {
    reason = pipe.second->reason();
  }
  if (step == ZoneFollower::Step::drop) drop_second(client);
  if (step == ZoneFollower::Step::give_up) give_up_second(client, reason);
}

bool is_on_the_way(const Client& client) {
  return client.pipe != nullptr && client.pipe->second != nullptr && client.pipe->follower.has_moved();
}

void drop_second(Client& client) {
  if (client.pipe == nullptr || client.pipe->second == nullptr) return;
  client.pipe->second->drop(client.pipe->second_socket);
  client.pipe->second.reset();
}

void leave_second(Client& client) {
  if (is_on_the_way(client)) client.pipe->second->close(client.pipe->second_socket);
  drop_second(client);
}

}  // namespace mobula::c
