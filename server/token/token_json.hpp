// What is in a connect token, for people who look into one. Its keys are not shown.
#pragma once

#include <mobula/core/content_hash.hpp>
#include <mobula/core/result.hpp>
#include <string>

namespace mobula::server {

// `token`: 2048 bytes, or their base64 and whitespace after it. The private part only with the key it is sealed with.
// Refused as read_token does, or with "wrong key".
core::Result<std::string> token_json(core::ByteView token, const core::SecretKey* key);

}  // namespace mobula::server
