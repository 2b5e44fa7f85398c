// State of a mirror as JSON, as schema/session_vectors.json lists it.
#pragma once

#include <cstdint>
#include <mobula/client/connection/connection.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace mobula::test {

using Json = nlohmann::ordered_json;

/// Returns 16 hexadecimal digits.
std::string hash_text(std::uint64_t hash);
/// Returns tick, completeness, number of entities and hash of a connection's mirror. Requires a mirror.
Json state_json(const client::Connection& connection);
/// Returns all entities in view by rising index: their rows, and the hashes of prototypes, rows and entities.
Json entities_json(const client::Mirror& mirror);

}  // namespace mobula::test
