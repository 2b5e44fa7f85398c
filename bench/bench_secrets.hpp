// Keys and connect tokens of a server that runs in the benchmark's own process. They are the same in each run.
#pragma once

#include <mobula/server/session/server_config.hpp>
#include <mobula/transport/connect_token.hpp>

namespace mobula::bench {

/// Time of the server at which the tokens are valid, in seconds since 1970.
inline constexpr std::uint64_t bench_unix_time = 1'700'000'000;

/// Returns the token of a client, whose id is `client` + 1.
[[nodiscard]] transport::ConnectToken bench_token(std::uint32_t client, const transport::Address& server);
/// Sets keys and address of a server that accepts these tokens.
void set_bench_secrets(server::ServerConfig& config, const transport::Address& server);

}  // namespace mobula::bench
