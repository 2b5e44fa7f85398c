#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/net/bearer_token.hpp>
#include <mobula/net/resolve.hpp>
#include <mobula/server/admin/http_server.hpp>
#include <mobula/server/admin/listen_address.hpp>

namespace mobula::server::admin {
namespace {

core::Error of_setting(const core::Error& error) { return {error.reason, "--admin-token-file: " + error.message}; }

}  // namespace

core::Result<transport::Address> listen_address(const std::string& ip, std::uint16_t port) {
  const bool v6 = ip.find(':') != std::string::npos;
  core::Result<transport::Address> address =
      net::parse_listen(core::format("{}{}{}:{}", v6 ? "[" : "", ip, v6 ? "]" : "", port));
  if (address) return address;
  return core::Error{
      "bad address",
      core::format("'{}' is not an IP address; ports, host names and link-local addresses are not accepted", ip)};
}

core::Result<std::string> load_token(const std::string& file, const transport::Address& listen,
                                     std::string_view module) {
  std::string token;
  if (!file.empty()) {
    core::Result<net::BearerTokenFile> read = net::load_bearer_token(file);
    if (!read) return of_setting(read.error());
    if (read->others_may_read)
      core::log_warn(module, "{}: other users can read this token; restrict it with chmod 600", file);
    token = std::move(read->token);
  }
  if (const core::Status good = check_listen(listen, token); !good) return of_setting(good.error());
  return token;
}

}  // namespace mobula::server::admin
