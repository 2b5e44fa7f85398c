#include <mobula/server/game/world.hpp>
#include <mobula/server/replication/sent_offer.hpp>

namespace mobula::server {

std::vector<wire::Resource> offered_resources(const World& world) {
  const resource::Resource* const level = world.level();
  if (level == nullptr) return {};
  return {{level->identity(), level->clients_bytes().size(), world.level_first_tick()}};
}

void SentOffer::on_welcome(const World& world) {
  level_version_ = world.level_version();
  message_ = 0;
}

core::Status SentOffer::update(const World& world, transport::Session& connection) {
  if (level_version_ == world.level_version()) return core::Done{};
  const core::Result<transport::ReliableId> sent =
      connection.send_reliable(wire::encode(wire::ResourceOffer{offered_resources(world)}));
  if (!sent) return sent.error();
  level_version_ = world.level_version();
  message_ = *sent;
  return core::Done{};
}

}  // namespace mobula::server
