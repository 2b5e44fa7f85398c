// Decides which requests are allowed. Without a token: all peers that reach the address, except pages of other sites in
// a browser on this machine (same_machine.hpp). With a token: peers that send it, which such a page cannot.
#pragma once

#include <mobula/server/admin/http.hpp>
#include <optional>
#include <string>

namespace mobula::server::admin {

class AuthFilter {
 public:
  /// `token` empty disables the check of tokens.
  explicit AuthFilter(std::string token) : token_(std::move(token)) {}

  /// Returns 403 for a page of another site, 401 without the token, nothing if the request is allowed. A permitted
  /// origin is one that the route names.
  [[nodiscard]] std::optional<Response> refuse(const Request& request, Access access,
                                               bool permitted_origin = false) const;
  /// Checks the page only. The live feed accepts the token later, in a message.
  [[nodiscard]] static std::optional<Response> refuse_page(const Request& request, bool any_host,
                                                           bool permitted_origin = false);
  [[nodiscard]] bool wants_token() const { return !token_.empty(); }
  [[nodiscard]] bool is_token(std::string_view token) const;
  /// Checks an Authorization header: "Bearer TOKEN".
  [[nodiscard]] bool is_authorized(std::string_view authorization) const;
  static void log_refusal(std::string_view what);

 private:
  std::string token_;
};

}  // namespace mobula::server::admin
