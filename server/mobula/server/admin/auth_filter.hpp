// Decides which requests are allowed. Without a token: all peers that reach the address, except pages of other sites in
// a browser on this machine (same_machine.hpp). With a token: peers that send it, which such a page cannot.
#pragma once

#include <mobula/server/admin/http.hpp>
#include <optional>
#include <string>

namespace mobula::server::admin {

class AuthFilter {
 public:
  /// `token` empty disables the check of tokens. `hosts` are names that requests may use for this machine besides
  /// localhost and IP addresses, in lower case; "*" stands for every name.
  explicit AuthFilter(std::string token, std::vector<std::string> hosts = {})
      : token_(std::move(token)), hosts_(std::move(hosts)) {}

  /// Returns 403 for a page of another site, 401 without the token, nothing if the request is allowed. A permitted
  /// origin is one that the route names.
  [[nodiscard]] std::optional<Response> refuse(const Request& request, Access access,
                                               bool permitted_origin = false) const;
  /// Checks the page only. The live feed accepts the token later, in a message.
  [[nodiscard]] std::optional<Response> refuse_page(const Request& request, bool permitted_origin = false) const;
  [[nodiscard]] bool wants_token() const { return !token_.empty(); }
  [[nodiscard]] bool is_token(std::string_view token) const;
  /// Checks an Authorization header: "Bearer TOKEN".
  [[nodiscard]] bool is_authorized(std::string_view authorization) const;
  static void log_refusal(std::string_view what);

 private:
  [[nodiscard]] bool is_own_host(std::string_view host) const;

  std::string token_;
  std::vector<std::string> hosts_;
};

}  // namespace mobula::server::admin
