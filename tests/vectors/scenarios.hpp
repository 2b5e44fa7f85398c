// Makes the sessions of schema/session_vectors.json: a real server and client on a simulated network, from fixed
// seeds.
#pragma once

#include <mobula/server/game/command_buffer.hpp>
#include <mobula/transport/simulation/simulated_network.hpp>
#include <span>
#include <vectors/mirror_json.hpp>

namespace mobula::test {

struct Scenario {
  const char* name;
  const char* shows;
  transport::NetworkConditions network{};
  bool has_schema = true;  // Hello names the schema's fingerprint
  bool has_level = false;  // the world has a level, and so has the client
  bool regains = false;    // see VectorGame
  bool hoards = false;     // see VectorGame
  bool flies = false;      // see VectorGame
  bool obeys = false;      // see VectorGame; the client gives a command in each tick, and for a while nothing arrives
  int reloads_after = 0;   // ticks until the level is reloaded, as another one; 0 if it is not
  int lost_after = 0;      // ticks until the connection is lost and resumed; 0 if it is not
};

std::span<const Scenario> scenarios();

/// A session, and facts that show whether it contains what it is for.
struct MadeSession {
  Json session;
  client::ConnectionStats stats;
  std::uint64_t datagrams_lost = 0;
  std::size_t gained = 0;           // times that an entity was gained
  std::size_t gained_entities = 0;  // entities among them
  std::size_t bodies = 0;           // states that did not fit a datagram
  std::size_t under_way = 0;        // courses that the mirror follows at its end, in view
  std::size_t stale = 0;            // times that an entity went out of view
  std::size_t unmodified = 0;       // entities that are as the level has them
  server::CommandBufferStats commands;
  std::size_t levels = 0;  // offered ones that the client has
  bool resumed = false;    // the mirror outlived the first connection
  bool mirrors = false;    // at its end the client has everything that the server shows it
};
MadeSession make_session(const Scenario& scenario);

/// Returns the file's content with these sessions.
Json vectors_file(Json sessions);
/// Returns the file as text, a step per line.
std::string file_text(const Json& file);

}  // namespace mobula::test
