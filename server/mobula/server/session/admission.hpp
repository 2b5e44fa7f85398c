// Decides which clients are admitted: from a connection to the end of Welcome.
//
//   connected ─► ban? ─► Game::authenticate ─► rejoin token? ─► Hello ─► protocol, schema ─► in another world? ─►
//   draining? ─► duplicate log-in? ─► room? ─► Game::join or spectate ─► Welcome
//
// A client that is refused on the way is disconnected with the reason.
#pragma once

#include <map>
#include <mobula/server/game/game.hpp>
#include <mobula/server/game/world.hpp>
#include <mobula/server/replication/replicator.hpp>
#include <mobula/server/session/ban_list.hpp>
#include <mobula/server/session/client_session.hpp>
#include <mobula/server/session/departed_players.hpp>
#include <mobula/server/session/players.hpp>
#include <mobula/server/session/rejoin_tokens.hpp>
#include <mobula/server/session/server_config.hpp>
#include <mobula/server/session/server_stats.hpp>
#include <mobula/server/session/sessions.hpp>
#include <mobula/wire/messages.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace mobula::server {

/// An announced end of the server. No client is admitted any more.
struct Drain {
  std::string reason;
  core::Nanoseconds ends = 0;
};

class Admission {
 public:
  /// Other parts of the server, which outlive this.
  struct Parts {
    const transport::ServerEndpoint& endpoint;
    World& world;
    Game& game;
    Players& players;
    Sessions& sessions;
    const RejoinTokenIssuer& rejoin_tokens;
    Replicator& replicator;
    const DepartedPlayers& departed;
    ServerStats& stats;
  };
  Admission(const ServerConfig& config, BanList bans, const Parts& parts)
      : config_(config), parts_(parts), bans_(std::move(bans)) {}

  /// Handles a new connection: refuses it, resumes its session, or adds a session that waits for Hello.
  void on_connected(const transport::ServerEvent& event, core::Nanoseconds now, std::uint64_t unix_seconds);
  /// Handles Hello: admits the client and sends Welcome, or closes the session. Error: "out of turn".
  core::Status on_hello(ClientSession& session, transport::Session& connection, const wire::Hello& hello,
                        core::Nanoseconds now);
  /// Notes that a client with a token of this id comes to see the world around an entity, until its player arrives.
  void expect_visit(const wire::Visit& visit, core::Nanoseconds now);
  /// Handles a Hello that has waited for its player, once that has arrived.
  void retry_held(ClientSession& session, transport::Session& connection, core::Nanoseconds now);

  /// Admits no new clients from now on. Clients that resume receive the time that is left. Returns what drain() holds.
  const Drain& begin_drain(std::string_view reason, core::Nanoseconds ends);
  [[nodiscard]] const std::optional<Drain>& drain() const { return drain_; }

  /// Bans an account for `seconds`, forever if 0, and kicks its players. Errors: those of BanList::add.
  core::Status ban(std::string_view account, std::string_view reason, std::uint64_t seconds,
                   std::uint64_t unix_seconds);
  /// Does what a hook of the game asked for with World::kick or World::ban. Skips players that have left since.
  void on_kick_request(const World::Kick& request, std::uint64_t unix_seconds);
  [[nodiscard]] BanList& bans() { return bans_; }
  [[nodiscard]] const BanList& bans() const { return bans_; }

 private:
  struct ExpectedVisit {
    ecs::Entity entity;
    core::Nanoseconds until = 0;
  };

  void answer(ClientSession& session, transport::Session& connection, const wire::Hello& hello, core::Nanoseconds now);
  [[nodiscard]] bool waits(const ClientSession& session, const wire::Hello& hello) const;
  struct Refusal {
    transport::ReasonCode code;
    core::Error error;
  };

  [[nodiscard]] ClientSession* find_rejoining(std::uint64_t client_id) const;
  [[nodiscard]] std::optional<Refusal> check_versions(const wire::Hello& hello) const;
  std::optional<Refusal> admit(ClientSession& session, const wire::Hello& hello);
  [[nodiscard]] std::optional<Refusal> check_room(bool spectator, bool counted) const;
  void take_over(ClientSession& session, ClientSession& other);
  core::Status join(ClientSession& session, const ClientSession* restored);
  core::Status welcome(ClientSession& session, transport::Session& connection, const wire::Hello& hello,
                       core::Nanoseconds now);
  [[nodiscard]] wire::Welcome welcome_message(const ClientSession& session, const wire::Hello& hello,
                                              bool resumed) const;

  const ServerConfig& config_;
  Parts parts_;
  BanList bans_;
  std::optional<Drain> drain_;
  std::map<std::uint64_t, ExpectedVisit> visits_;  // by client id
};

}  // namespace mobula::server
