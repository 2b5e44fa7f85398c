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
/// Returns the outcomes of all commands that the client knows and keeps: number, tick, and the tick in which it ran.
Json commands_json(const client::CommandLog& commands);
/// Returns the offered levels: first tick, identity, and whether the client has it. The identity is empty without a
/// level.
Json levels_json(const client::OfferedLevels& levels);

}  // namespace mobula::test
