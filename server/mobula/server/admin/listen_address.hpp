// The address of a port and the bearer token that protects it, from an operator's settings.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/transport/address.hpp>
#include <string>
#include <string_view>

namespace mobula::server::admin {

/// Returns the address that a port listens on. Errors: "bad address".
core::Result<transport::Address> listen_address(const std::string& ip, std::uint16_t port);

/// Reads the token of the setting --admin-token-file; an empty name is no token. Logs a warning of `module` if others
/// may read the file. Errors, which name the setting: those of net::load_bearer_token() and check_listen().
core::Result<std::string> load_token(const std::string& file, const transport::Address& listen,
                                     std::string_view module);

}  // namespace mobula::server::admin
