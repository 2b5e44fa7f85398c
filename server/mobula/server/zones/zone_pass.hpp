// Pass of a zone: the user data of a connect token by which a node connects to a neighbouring zone. Backends make
// tokens for any account, so a pass is sealed with the key that the nodes of a cluster share. It holds for one client
// id.
//
//   0    8   "\0zone\0\0\1"
//   8    4   number of the zone that connects
//   12   24  nonce
//   36   16  seal of nothing; associated data: bytes 0 to 11, client id
#pragma once

#include <mobula/core/secret_key.hpp>
#include <mobula/transport/connect_token.hpp>
#include <optional>

namespace mobula::server {

/// Returns the user data of a zone's token.
transport::UserData zone_pass(std::uint32_t zone, std::uint64_t client_id, const core::SecretKey& key);

/// Returns the number of the zone whose pass an identity has. Nothing for clients, and for forged passes.
std::optional<std::uint32_t> read_zone_pass(const transport::Identity& identity, const core::SecretKey& key);

}  // namespace mobula::server
