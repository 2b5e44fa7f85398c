// The source of connect tokens that the admin port hands out.
#pragma once

#include <mobula/server/admin/tokens.hpp>
#include <mobula/server/host/token_issuer.hpp>

namespace mobula::server {

/// Returns the function that makes tokens for the admin port; an empty one if a backend shares the key.
admin::TokenSource token_source(const TokenIssuer& issuer);

}  // namespace mobula::server
