// The world's resources as one client was offered them last: by its Welcome, and by a ResourceOffer after each reload
// of the level.
//
// A prediction has to know which level the steps of a tick read before it compares that tick. So no delta is complete
// until the client has the offer.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/transport/session.hpp>
#include <mobula/wire/messages.hpp>
#include <vector>

namespace mobula::server {

class World;

/// Returns what the world offers to clients: their part of its level, or nothing.
[[nodiscard]] std::vector<wire::Resource> offered_resources(const World& world);

class SentOffer {
 public:
  /// Notes that a Welcome offers the resources.
  void on_welcome(const World& world);
  /// Sends the offer if the level was reloaded since the last one. Fails if the reliable lane is full.
  core::Status update(const World& world, transport::Session& connection);
  /// Returns whether the client has the last offer. Deltas follow a Welcome once it is acknowledged.
  [[nodiscard]] bool is_delivered(const transport::Session& connection) const {
    return connection.reliable_delivered(message_);
  }

 private:
  std::uint32_t level_version_ = 0;
  transport::ReliableId message_ = 0;  // 0 if it was a Welcome
};

}  // namespace mobula::server
