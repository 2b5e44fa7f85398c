#include <boost/asio/error.hpp>
#include <mobula/core/format.hpp>
#include <mobula/net/open_error_impl.hpp>

namespace mobula::net {

core::Error open_error(std::string_view kind, transport::Address local, const boost::system::error_code& error) {
  local.pipe = transport::Pipe::udp;  // the kind says it
  const std::string where = local.is_any() ? core::format("port {}", local.port) : to_string(local);
  if (error == boost::asio::error::address_in_use) {
    return {"port in use", core::format("cannot listen on {} {}: something listens there already", kind, where)};
  }
  if (error == boost::asio::error::access_denied) {
    return {"no permission", core::format("cannot listen on {} {}: not permitted", kind, where)};
  }
  if (error.value() == EADDRNOTAVAIL) {
    return {"no such address", core::format("cannot listen on {} {}: this machine has no such address", kind, where)};
  }
  return {"cannot open", core::format("cannot open {} {}: {}", kind, where, error.message())};
}

}  // namespace mobula::net
