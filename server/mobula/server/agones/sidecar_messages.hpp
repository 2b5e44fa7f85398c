// Messages of the REST interface of Agones' SDK server, its "sidecar". Sources, all of Agones 1.56:
//   sdks/swagger/sdk.swagger.json    ready, health, allocate, reserve, shutdown, gameserver
//   sdks/swagger/beta.swagger.json   counters
//   site/content/en/docs/Guides/Client SDKs/rest.md
//   pkg/sdkserver/sdkserver.go       what the sidecar does with a request
// Numbers of 64 bits are strings. Names are those of the proto files, with underscores.
#pragma once

#include <cstdint>
#include <mobula/core/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::agones {

/// Port of the sidecar without AGONES_SDK_HTTP_PORT.
inline constexpr std::uint16_t sidecar_port_default = 9358;
/// Maximum bytes of an answer. Annotations have up to 256 KiB, lists up to 1,000 values.
inline constexpr std::size_t answer_bytes_max = std::size_t{1} << 20;
/// Maximum ports of a game server, and bytes of a state, a port's name and an address.
inline constexpr std::size_t ports_max = 64;
inline constexpr std::size_t name_bytes_max = 256;

/// Returns the URL of the sidecar. `port` is the value of AGONES_SDK_HTTP_PORT; null or empty means the default.
/// Errors: "bad port".
core::Result<std::string> sidecar_url(const char* port);

/// Body of a request without content. The sidecar refuses /health without a body.
inline constexpr std::string_view empty_json = "{}";
/// Returns the body of /reserve. 0 reserves without end.
std::string reserve_json(std::uint32_t seconds);

/// A counter that the GameServer resource declares.
struct CounterValue {
  std::uint64_t count = 0;
  std::uint64_t capacity = 0;  // 0 leaves the capacity of the resource
  bool operator==(const CounterValue&) const = default;
};
/// Returns the path of a counter. `name` has letters, digits and '-'.
std::string counter_path(std::string_view name);
/// Returns the count to send. The sidecar refuses one above the capacity, so it is at most that: the server is full.
std::uint64_t sent_count(CounterValue value);
/// Returns the body of a PATCH of a counter.
std::string counter_json(CounterValue value);

/// Returns the count of the answer to a PATCH. Error "bad answer".
core::Result<std::uint64_t> read_counter(std::string_view json);

/// Returns whether an answer is a JSON object, as all of the sidecar's are.
bool is_object(std::string_view json);

/// A port that clients reach.
struct GameServerPort {
  std::string name;
  std::uint16_t port = 0;
};

/// State and address of a game server, as its sidecar answers.
struct GameServer {
  std::string state;     // "Scheduled", "Ready", "Allocated", …
  bool deleted = false;  // the resource has a time of deletion
  std::string address;   // host name or IP address of the node; empty until it is known
  std::vector<GameServerPort> ports{};
};

/// Reads the answer to GET /gameserver. Other fields are ignored. Error "bad answer".
core::Result<GameServer> read_game_server(std::string_view json);

}  // namespace mobula::agones
