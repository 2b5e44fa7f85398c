#include <mobula/client/connection/zone_follower.hpp>
#include <utility>

namespace mobula::client {

ZoneFollower::Step ZoneFollower::update(Connection& present, Connection* second) {
  std::optional<wire::Follow> follow = present.take_follow();
  const bool is_open = second != nullptr && second->state() != Connection::State::closed;
  if (second != nullptr) {
    // A visit from there waits until that connection is the present one.
    const wire::Follow* const further = second->sent_follow();
    if (further != nullptr && !further->visit) follow = second->take_follow();
    if (!follow && !is_open) return has_moved_ ? Step::give_up : Step::drop;
  }
  if (!follow) return Step::none;
  const bool is_there = is_open && follow->addresses == zone_.addresses;
  has_moved_ = !follow->visit;
  zone_ = std::move(*follow);
  return is_there ? Step::none : Step::open;
}

ZoneFollower::Step ZoneFollower::on_moved(std::string_view world) {
  has_moved_ = true;
  if (zone_.world == world) return Step::none;
  zone_ = {};
  zone_.world = world;
  return Step::drop;
}

bool ZoneFollower::is_complete(const Connection& second) {
  const ecs::Entity entity = second.player_entity();
  if (second.state() != Connection::State::playing || !second.complete() || !entity) return false;
  return second.mirror() == nullptr || second.mirror()->registry().valid(entity);
}

core::Result<ConnectionConfig> ZoneFollower::settings(const Connection& present,
                                                      const transport::Address& server) const {
  core::Result<transport::ConnectToken> token = transport::read_token(zone_.token);
  if (!token) return token.error();
  ConnectionConfig config = present.config();
  config.transport.token = std::move(*token);
  config.transport.token.servers = {server};
  config.transport.servers.clear();
  config.awaits_player = true;
  return config;
}

}  // namespace mobula::client
