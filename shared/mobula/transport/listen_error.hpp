// Error for an address that cannot be listened on, for all pipes and the admin port.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/transport/address.hpp>
#include <string_view>
#include <system_error>

namespace mobula::transport {

/// Returns the error with a message for the operator. `kind` is for example "UDP".
/// Errors: "port in use", "no permission", "no such address", "cannot open".
core::Error listen_error(std::string_view kind, Address local, const std::error_code& error);

}  // namespace mobula::transport
