#include <mobula/server/admin/same_machine.hpp>
#include <mobula/server/web/page_tokens.hpp>

namespace mobula::server::web {
namespace {

using admin::Request;
using admin::Response;

core::Status check_user_data(const PageTokens& tokens, std::string_view user_data) {
  if (tokens.kind == TokenKind::guests && !user_data.empty())
    return core::Error{"bad request", "user_data: this address makes tokens for guests, who have no account"};
  return admin::check_user_data(user_data);
}

// A proxy on this machine would let everyone who reaches it take any account.
bool is_of_this_machine(const Request& request) {
  return !request.by_proxy && admin::names_a_machine_itself(request.host);
}

Response answer(const PageTokens& tokens, const Request& request) {
  if (tokens.kind == TokenKind::none)
    return admin::error_response({"no tokens", "this address makes no connect tokens; see the setting web_tokens"});
  if (tokens.kind == TokenKind::accounts && !is_of_this_machine(request))
    return admin::error_response(403, "by_proxy",
                                 "this address makes tokens for any account, and therefore none for clients of a "
                                 "proxy; see the setting web_tokens");
  const std::string_view user_data = request.parameter("user_data");
  if (const core::Status good = check_user_data(tokens, user_data); !good) return admin::error_response(good.error());
  const std::string url = tokens.websocket.url_for(request);
  if (url.empty()) return admin::error_response({"bad request", "Host: expected a name or an address"});
  const core::Result<std::vector<std::string>> texts = admin::make_tokens(tokens.source, 1, user_data);
  if (!texts) return admin::error_response(texts.error());
  return admin::tokens_response(*texts, url);
}

}  // namespace

admin::Route page_token_route(PageTokens tokens) {
  std::vector<std::string> origins = tokens.origins;
  const auto handler = [tokens = std::move(tokens)](const Request& request) { return answer(tokens, request); };
  return {"GET", "/token", handler, {"user_data"}, admin::Access::everyone, std::move(origins)};
}

}  // namespace mobula::server::web
