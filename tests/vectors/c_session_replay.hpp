// Replays a session of schema/session_vectors.json through the C interface.
#pragma once

#include <mobula_client.h>

#include <nlohmann/json.hpp>
#include <string>

namespace mobula::test {

using Json = nlohmann::json;

/// Returns the first difference from what the file states, or "" if there is none. Malformed JSON throws.
std::string replay_in_c(const Json& file, const Json& session);

}  // namespace mobula::test
