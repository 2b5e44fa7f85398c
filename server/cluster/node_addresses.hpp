// Nodes' admin ports: their IP addresses, and the token that all of them have. Host names are looked up on other
// threads.
#pragma once

#include <map>
#include <mobula/server/cluster/host_lookup.hpp>

namespace mobula::cluster {

/// Returns the bearer token of the nodes' admin ports, which is `otherwise` without a file. Errors: those of
/// net::load_bearer_token(), with the name of the option.
core::Result<std::string> load_node_token(const std::string& file, const std::string& otherwise);

class NodeAddresses {
 public:
  explicit NodeAddresses(LookUp look_up) : look_up_(std::move(look_up)) {}

  /// Returns the URL of an admin port, with the IP address in place of the host. Empty for a malformed URL, while the
  /// host is being looked up, and after a lookup that failed: the next call tries again.
  std::string url_of(const std::string& admin);
  /// Looks the host up again for the next call.
  void forget(const std::string& admin) { lookups_.erase(admin); }

 private:
  LookUp look_up_;
  std::map<std::string, HostLookup> lookups_;  // by admin URL
};

}  // namespace mobula::cluster
