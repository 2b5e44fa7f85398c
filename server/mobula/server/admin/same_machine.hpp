// A page that somebody reads on this machine must not be able to ask the admin address for tokens. Browsers tell where
// a page is from in the header Origin, and the name it used for us in the header Host: a page whose own name was made
// to lead here (DNS rebinding) needs no Origin, but its Host is that name. No page can be from "localhost" or from a
// bare IP address unless that machine itself served it.
#pragma once

#include <string_view>

namespace mobula::server::admin {

// Whether a Host header is "localhost" or an IP address, with or without a port: no name that somebody else may give.
bool names_a_machine_itself(std::string_view host);

}  // namespace mobula::server::admin
