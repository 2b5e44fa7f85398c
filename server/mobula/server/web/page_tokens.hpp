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
  accounts,  // everyone, for the account that the request names: for development
};

struct PageTokens {
  TokenKind kind = TokenKind::none;
  admin::TokenSource source = {};         // not empty, unless `kind` is none
  std::vector<std::string> origins = {};  // other origins whose pages get tokens
  std::string websocket_url = {};         // for clients; empty for the host of the request and websocket_port
  std::uint16_t websocket_port = 0;
  bool secure = false;  // the port's WebSocket is wss
};

/// Returns the route. Errors: "no tokens" if `kind` is none, "bad request" for an account where there are guests alone,
/// "closing" and "failed" of the source.
admin::Route page_token_route(PageTokens tokens);

}  // namespace mobula::server::web
