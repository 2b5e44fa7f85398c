// Protection against pages of other sites: a page in a browser on this machine must not obtain tokens from the admin
// port. Browsers send the origin of a page in the header Origin, and the name it used for the server in Host. A page
// whose name resolves to this machine (DNS rebinding) needs no Origin, but its Host is that name. A page from
// "localhost" or a bare IP address was served by that machine itself.
#pragma once

#include <string_view>

namespace mobula::server::admin {

/// Checks whether a Host header is "localhost" or an IP address, with or without a port.
bool names_a_machine_itself(std::string_view host);

}  // namespace mobula::server::admin
