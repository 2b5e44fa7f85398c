// A client of the C interface: a connection, and what its host reads between two steps.
#pragma once

#include <c/command_schema.hpp>
#include <c/outbox.hpp>
#include <c/prediction.hpp>
#include <c/result.hpp>
#include <c/udp_socket.hpp>
#include <memory>
#include <mobula/client/connection/connection.hpp>
#include <mobula/client/connection/resource_memory.hpp>
#include <mobula/client/connection/zone_follower.hpp>
#include <mobula/index/properties.hpp>
#include <optional>
#include <vector>

namespace mobula::c {

/// The library's own pipe: its socket, and how it resumes a lost connection.
struct UdpPipe {
  UdpSocket socket;
  core::Nanoseconds lost_at = 0;               // 0 while the connection is not lost
  core::Nanoseconds next_try = 0;              // a rejoin
  core::Nanoseconds tried_at = 0;              // the last rejoin
  bool in_vain = false;                        // a rejoin had no answer
  std::unique_ptr<client::Connection> second;  // to another zone; null without one
  UdpSocket second_socket;
  client::ZoneFollower follower;
  std::uint64_t zone_changes = 0;
};

struct Client {
  Client(client::ConnectionConfig config, bool has_levels, core::Nanoseconds created);

  /// Returns whether the host has the socket.
  [[nodiscard]] bool host_has_socket() const { return pipe == nullptr; }

  std::unique_ptr<client::ResourceMemory> levels;            // null without MOBULA_LEVELS
  std::shared_ptr<const resource::Resource> received_level;  // the last that the host was given
  std::unique_ptr<client::Connection> connection;            // never null
  std::unique_ptr<HostPrediction> prediction;                // null without one; ends before the connection
  core::Nanoseconds now;                                     // the latest that a call gave
  bool started = false;                                      // datagrams went in or out
  core::Nanoseconds wakeup = 0;                              // when the next step is due, if no datagram arrives before
  Outbox outbox;                                             // used if the host has the socket
  std::unique_ptr<UdpPipe> pipe;
  std::uint64_t datagrams_received = 0;

  std::unique_ptr<index::Properties> properties;  // made when first used
  std::uint32_t properties_of = 0;                // the mirror's number
  std::optional<CommandSchema> commands;
  std::optional<core::Nanoseconds> closes_at;  // announced by the server
};

/// Returns the error of a client without a mirror.
mobula_result no_mirror(const Client& client);

/// Latest time that a call may give: a hundred years.
inline constexpr std::int64_t time_max = 100ll * 366 * 24 * 3600 * core::second;
/// Returns MOBULA_OK, or INVALID_ARGUMENT for a time that no clock shows.
mobula_result check_time(std::int64_t now);
/// Does the same for a time that is given to a client.
mobula_result check_time(const Client& client, std::int64_t now);
/// Notes the time of a call, which has been checked, once the call can no longer fail. A time before that of the last
/// call counts as that one.
void note_time(Client& client, std::int64_t now);

/// Hands a datagram from its server to one of the client's connections.
void receive(Client& client, client::Connection& connection, const transport::Address& from, core::ByteView datagram);
/// Updates the connection.
void step(Client& client, transport::Output& output);
/// Returns whether the library's rejoin has had no answer for so long that a new token may lead on. A restarted server
/// answers no rejoin token of its former run.
[[nodiscard]] bool rejoins_in_vain(const Client& client);
/// Resumes the session, which can_rejoin() allows. Nothing of the lost one is sent or announced any more.
void rejoin(Client& client);
/// Does the same with a new session.
void reconnect(Client& client, const transport::ConnectToken& token);
/// Returns why the connection is closed, with the likely cause of no answer.
std::string reason_text(const Client& client);
/// Returns MOBULA_ERROR_CLOSED with the reason as text.
mobula_result fail_closed(const Client& client);
/// Returns where datagrams go.
transport::Output& output(Client& client);
/// Reads a connect token: its bytes, or base64 text. Returns MOBULA_ERROR_BAD_TOKEN or INVALID_ARGUMENT.
mobula_result read_token(const void* bytes, std::uint64_t size, transport::ConnectToken& token);
/// Returns the server's addresses, in the order in which they are tried.
const std::vector<transport::Address>& servers(const Client& client);

// Handles in the form of the interface.

inline mobula_entity to_c(ecs::Entity entity) { return mobula_entity{entity.generation} << 32 | entity.index; }
inline ecs::Entity to_entity(mobula_entity entity) {
  return {static_cast<std::uint32_t>(entity), static_cast<std::uint32_t>(entity >> 32)};
}

}  // namespace mobula::c
