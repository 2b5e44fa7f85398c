// Why a socket cannot be opened, for people. Asio's side, for this folder.
#pragma once

#include <boost/system/error_code.hpp>
#include <mobula/core/result.hpp>
#include <mobula/transport/address.hpp>
#include <string_view>

namespace mobula::net {

// `kind` is "UDP" or "TCP". Reasons: "port in use", "no permission", "no such address", "cannot open".
core::Error open_error(std::string_view kind, transport::Address local, const boost::system::error_code& error);

}  // namespace mobula::net
