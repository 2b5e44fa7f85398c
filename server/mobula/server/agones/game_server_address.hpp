// Public address of a game server, which Agones chooses: the node's address and a port of the host.
#pragma once

#include <mobula/core/clock.hpp>
#include <mobula/server/agones/sidecar_messages.hpp>

namespace mobula::agones {

/// Returns the address of a port, as "203.0.113.5:7412" or "[2001:db8::5]:7412". An empty name means the first port.
/// Errors: "no address" before Agones has chosen it, "no port" if the resource declares none of this name.
core::Result<std::string> public_address(const GameServer& server, std::string_view port_name);

/// Waits for the sidecar and the address. Blocks for up to `wait`, for the start of a process: connect tokens name the
/// address. Errors: "no address", "no port".
core::Result<std::string> wait_for_address(const std::string& url, std::string_view port_name, core::Nanoseconds wait);

}  // namespace mobula::agones
