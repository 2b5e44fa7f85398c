#include <mobula/core/format.hpp>
#include <mobula/transport/listen_error.hpp>

namespace mobula::transport {

core::Error listen_error(std::string_view kind, Address local, const std::error_code& error) {
  local.pipe = Pipe::udp;  // `kind` already names the pipe
  const std::string where = local.is_any() ? core::format("port {}", local.port) : to_string(local);
  const auto because = [&](const char* reason, std::string_view why) {
    return core::Error{reason, core::format("cannot listen on {} {}: {}", kind, where, why)};
  };
  if (error == std::errc::address_in_use) return because("port in use", "the port is in use by another program");
  if (error == std::errc::permission_denied) return because("no permission", "permission denied");
  if (error == std::errc::address_not_available) return because("no such address", "this machine has no such address");
  return because("cannot open", error.message());
}

}  // namespace mobula::transport
