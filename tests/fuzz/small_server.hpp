// Configuration of a server that is created for each input: the hamlet, with tables and memory for one client.
#pragma once

#include <server/hamlet.hpp>

namespace mobula::fuzz {

inline server::ServerConfig small_server() {
  server::ServerConfig config{.level = test::hamlet(), .entities_max = 1u << 12};
  config.history_bytes = 1u << 16;
  config.transport = test::test_transport();
  config.transport.used_tokens_max = 64;
  config.token_servers = config.transport.public_addresses;
  return config;
}

}  // namespace mobula::fuzz
