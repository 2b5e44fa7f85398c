// Why an address cannot be listened on, for people: of every pipe, and of the admin address.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/transport/address.hpp>
#include <string_view>
#include <system_error>

namespace mobula::transport {

// `kind` is "UDP" or the like. Reasons: "port in use", "no permission", "no such address", "cannot open".
core::Error listen_error(std::string_view kind, Address local, const std::error_code& error);

}  // namespace mobula::transport
