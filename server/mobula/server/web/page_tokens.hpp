// GET /token: a connect token for a page of the web address, and the WebSocket to use it at.
//
//   /token?user_data=anna  ->  {"tokens": ["<base64>"], "ws": "ws://localhost:7778"}      user_data is optional
#pragma once

#include <cstdint>
#include <mobula/server/admin/tokens.hpp>
#include <string>
#include <vector>

namespace mobula::server::web {

/// Players to whom the web address gives tokens.
enum class TokenKind : std::uint8_t {
  none,      // nobody
  guests,    // everyone, without an account
  accounts,  // everyone on this machine, for the account that the request names: for development
};

struct PageTokens {
  TokenKind kind = TokenKind::none;
  admin::TokenSource source = {};         // not empty, unless `kind` is none
  std::vector<std::string> origins = {};  // other origins whose pages get tokens
  admin::WebSocketAddress websocket = {};
};

/// Returns the route. Errors: "no tokens" if `kind` is none, "bad request" for an account where there are guests alone,
/// "closing" and "failed" of the source. A proxy that requests an account gets 403, "by_proxy".
admin::Route page_token_route(PageTokens tokens);

}  // namespace mobula::server::web
