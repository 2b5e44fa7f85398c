// Sources of connect tokens that the admin port and the web address hand out.
#pragma once

#include <mobula/server/admin/tokens.hpp>
#include <mobula/server/host/token_issuer.hpp>

namespace mobula::server {

/// Returns the function that makes tokens for the admin port; an empty one if a backend shares the key.
admin::TokenSource token_source(const TokenIssuer& issuer);
/// Returns the function that makes tokens, also if a backend shares the key.
admin::TokenSource own_tokens(const TokenIssuer& issuer);

}  // namespace mobula::server
