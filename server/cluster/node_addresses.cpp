#include <cluster/node_addresses.hpp>
#include <mobula/net/bearer_token.hpp>
#include <mobula/net/http_url.hpp>

namespace mobula::cluster {
namespace {

constexpr std::size_t lookups_max = 4096;  // hosts of ended nodes are forgotten beyond it

}  // namespace

core::Result<std::string> load_node_token(const std::string& file, const std::string& otherwise) {
  if (file.empty()) return otherwise;
  core::Result<net::BearerTokenFile> loaded = net::load_bearer_token(file);
  if (!loaded) return core::Error{loaded.error().reason, "--node-token-file: " + loaded.error().message};
  return std::move(loaded->token);
}

std::string NodeAddresses::url_of(const std::string& admin) {
  const core::Result<net::HttpUrl> url = net::parse_http_url(admin);
  if (!url) return {};
  if (lookups_.size() > lookups_max) lookups_.clear();
  HostLookup& lookup = lookups_.try_emplace(admin, url->host_port, look_up_).first->second;
  static_cast<void>(lookup.poll());  // an error leaves no address
  if (lookup.address().empty()) lookup.start();
  return lookup.address().empty() ? std::string() : "http://" + lookup.address();
}

}  // namespace mobula::cluster
