// Environment variables that Kubernetes and Docker set for each service beside a program. A service named after the
// program gets the prefix of the program's settings:
//
//   NAME_SERVICE_HOST, NAME_SERVICE_PORT, NAME_SERVICE_PORT_<port name>
//   NAME_PORT=tcp://10.0.0.1:80              also udp and sctp
//   NAME_PORT_80_TCP=tcp://10.0.0.1:80       also _PROTO, _PORT and _ADDR behind it
#pragma once

#include <string_view>

namespace mobula::process {

/// Returns whether a variable has such a name, and its value the form that belongs to it.
[[nodiscard]] bool is_service_link(std::string_view name, std::string_view value);

}  // namespace mobula::process
