// POST /api/tokens: connect tokens for development, for every peer that is allowed at the admin port.
//
//   {"count": 2, "user_data": "anna"}  ->  {"tokens": ["<base64>", "<base64>"], "ws": "ws://localhost:7778"}
//
// user_data is optional. The WebSocket is named if the server has one.
#pragma once

#include <cstdint>
#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <mobula/server/admin/websocket_address.hpp>
#include <string>
#include <vector>

namespace mobula::server::admin {

inline constexpr std::uint32_t tokens_per_request_max = 4096;
inline constexpr std::size_t user_data_bytes_max = 256;

/// Called on the admin thread.
using TokenSource =
    std::function<core::Result<std::vector<core::Bytes>>(std::uint32_t count, std::string_view user_data)>;

/// Checks the size of user data. Errors: "bad request".
core::Status check_user_data(std::string_view user_data);
/// Makes tokens, in base64. Logs an error of the source. Errors: "closing", "failed".
core::Result<std::vector<std::string>> make_tokens(const TokenSource& source, std::uint32_t count,
                                                   std::string_view user_data);

/// Returns the answer with tokens. `websocket` is the URL to use them at, under "ws" or "wss"; empty for none.
Response tokens_response(const std::vector<std::string>& tokens, const std::string& websocket);

/// Returns the route. Without a source every request is refused with "no tokens".
Route tokens_route(TokenSource source, WebSocketAddress websocket = {});

}  // namespace mobula::server::admin
