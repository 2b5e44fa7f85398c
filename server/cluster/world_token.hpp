// Connect tokens for a world of the cluster.
#pragma once

#include <mobula/core/content_hash.hpp>
#include <mobula/core/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::cluster {

/// Checks the text that names an account: at most 256 bytes, none of them 0. Errors: "bad request".
core::Status check_account(std::string_view account);

/// Makes a connect token that admits the account to a world at its addresses. Returns the answer of the server's
/// POST /api/tokens, with the first WebSocket among the addresses. Resolves host names, which blocks. Errors: "bad
/// request", "bad address", "unknown host", "failed" without addresses.
core::Result<std::string> world_token_json(const core::SecretKey& key, const std::vector<std::string>& addresses,
                                           std::string_view account);

}  // namespace mobula::cluster
