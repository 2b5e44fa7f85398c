// Who may ask. Without a token: whoever can reach the address, but no page of somebody else's that a browser on this
// machine reads (same_machine.hpp). With one: who says it, which no such page can.
#pragma once

#include <mobula/server/admin/http.hpp>
#include <optional>
#include <string>

namespace mobula::server::admin {

class Gate {
 public:
  // Empty: no token is asked for.
  explicit Gate(std::string token) : token_(std::move(token)) {}

  // 403 for a stranger's page, 401 without the token. Nothing: the question may be answered.
  [[nodiscard]] std::optional<Response> refuse(const Request& request, Access access) const;
  // The same for what comes before the token: who opens the live feed may say it later.
  [[nodiscard]] static std::optional<Response> refuse_page(const Request& request, bool any_host);
  [[nodiscard]] bool wants_token() const { return !token_.empty(); }
  [[nodiscard]] bool is_token(std::string_view said) const;
  // Of an Authorization header: "Bearer TOKEN".
  [[nodiscard]] bool is_authorized(std::string_view authorization) const;
  static void log_refusal(std::string_view what);

 private:
  std::string token_;
};

}  // namespace mobula::server::admin
