#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/net/http_client.hpp>
#include <mobula/server/agones/game_server_address.hpp>

namespace mobula::agones {
namespace {

constexpr core::Nanoseconds pause = core::second / 4;  // between two attempts
constexpr core::Nanoseconds attempt_timeout = 2 * core::second;

core::Result<std::string> read_address(const std::string& url, std::string_view port_name, core::Nanoseconds timeout) {
  const core::Result<std::string> answer =
      net::http_get(net::url_below(url, "/gameserver"), {.timeout = timeout, .answer_bytes_max = answer_bytes_max});
  if (!answer) return core::Error{"no address", answer.error().message};
  const core::Result<GameServer> server = read_game_server(*answer);
  if (!server) return core::Error{"no address", server.error().message};
  return public_address(*server, port_name);
}

}  // namespace

core::Result<std::string> public_address(const GameServer& server, std::string_view port_name) {
  if (server.address.empty() || server.ports.empty())
    return core::Error{"no address", core::format("the game server is {} and has no address yet", server.state)};
  const auto found = std::ranges::find_if(
      server.ports, [&](const GameServerPort& each) { return port_name.empty() || each.name == port_name; });
  if (found == server.ports.end())
    return core::Error{"no port", core::format("the GameServer resource has no port named '{}'", port_name)};
  const bool v6 = server.address.find(':') != std::string::npos;
  return v6 ? core::format("[{}]:{}", server.address, found->port) : core::format("{}:{}", server.address, found->port);
}

core::Result<std::string> wait_for_address(const std::string& url, std::string_view port_name, core::Nanoseconds wait) {
  net::EventLoop events;
  const core::Nanoseconds end = core::monotonic_now() + wait;
  for (;;) {
    const core::Nanoseconds left = std::max(end - core::monotonic_now(), core::millisecond);
    core::Result<std::string> address = read_address(url, port_name, std::min(left, attempt_timeout));
    if (address || std::string_view(address.error().reason) == "no port") return address;
    if (core::monotonic_now() >= end) return address;
    events.run_until(std::min(core::monotonic_now() + pause, end));
  }
}

}  // namespace mobula::agones
