// Description of a connect token as JSON, without its keys.
#pragma once

#include <mobula/core/content_hash.hpp>
#include <mobula/core/result.hpp>
#include <string>

namespace mobula::server {

/// Describes a token of 2048 bytes, or their base64 with trailing whitespace. The private part needs the key it is
/// sealed with. Errors: those of read_token, "wrong key".
core::Result<std::string> token_json(core::ByteView token, const core::SecretKey* key);

}  // namespace mobula::server
