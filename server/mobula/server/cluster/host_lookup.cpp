#include <mobula/net/resolve.hpp>
#include <mobula/server/cluster/host_lookup.hpp>

namespace mobula::cluster {

core::Result<std::string> look_up_host(const std::string& host_and_port) {
  const core::Result<transport::Address> address = net::resolve(host_and_port);
  if (!address) return address.error();
  return to_string(*address);
}

}  // namespace mobula::cluster
