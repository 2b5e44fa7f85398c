// Resources of a server before a client joins it. A client that has the level when it joins receives only what differs
// from it, and predicts its first ticks with it. Others receive the level while they play.
#pragma once

#include <mobula/client/connection/resource_store.hpp>
#include <mobula/client/pipe/access.hpp>
#include <mobula/net/event_loop.hpp>

namespace mobula::client {

/// Receives the resources that the server offers, as a spectator that leaves again, in a cluster without the account. A
/// simulated network is not used. Returns when the store has them, or when the loop is stopped. Logs its progress every
/// three seconds. Reasons: those of enter(), and "closed" if the connection ends before.
core::Status fetch_resources(net::EventLoop& loop, const Access& access, ResourceStore& store);

}  // namespace mobula::client
