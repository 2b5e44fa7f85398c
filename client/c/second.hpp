// The second connection of a client that follows its player to another zone (zone_follower.hpp). It has a socket of its
// own: the player may return to the zone of the present connection.
#pragma once

#include <c/client.hpp>

namespace mobula::c {

/// Lets the second connection take over if it shows all that the player sees. Call it before the step.
void take_over(Client& client);
/// Updates the second connection after a step. Opens or ends it as the servers have asked.
void update_second(Client& client);
/// Returns whether the player is where the second connection is. The present one may end before that takes over.
[[nodiscard]] bool is_on_the_way(const Client& client);
/// Ends the second connection. The server keeps the player if it is there.
void drop_second(Client& client);
/// Ends it, and the player leaves the game if it is there.
void leave_second(Client& client);

}  // namespace mobula::c
