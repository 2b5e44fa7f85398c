// Handles what clients send: reliable messages, input datagrams, and the commands in them when they are due.
//
// A malformed or unexpected message is a protocol error and closes the session. A refused input, command or request is
// counted and logged; too many of them per second close the session. A client may ask to be sent its refused commands.
#pragma once

#include <mobula/server/game/command_dispatch.hpp>
#include <mobula/server/game/world.hpp>
#include <mobula/server/replication/mirror_verifier.hpp>
#include <mobula/server/session/admission.hpp>
#include <mobula/server/session/client_session.hpp>
#include <mobula/server/session/server_config.hpp>
#include <mobula/server/session/server_stats.hpp>
#include <mobula/server/session/sessions.hpp>
#include <mobula/wire/messages.hpp>
#include <span>

namespace mobula::server {

class MessageHandler {
 public:
  /// All but the table outlive this.
  MessageHandler(const ServerConfig& config, const CommandTable& commands, PredictedStep& step, World& world,
                 transport::ServerEndpoint& endpoint, Sessions& sessions, Admission& admission, ServerStats& stats)
      : config_(config),
        world_(world),
        endpoint_(endpoint),
        sessions_(sessions),
        admission_(admission),
        stats_(stats),
        verifier_(stats),
        commands_(commands, config.ticks_per_second, step) {}

  /// Handles the messages and inputs that have arrived from a client, up to a limit per tick.
  void receive(ClientSession& session, transport::Session& connection, core::Nanoseconds now);
  /// Applies the acknowledgements that wait for the client's view.
  void apply_acks(ClientSession& session, core::Nanoseconds now);
  /// Runs the commands of all players that are due in this tick, in the order of arrival of the players.
  void run_commands(core::Nanoseconds now);
  /// Returns the commands of the game and their counters.
  [[nodiscard]] std::span<const CommandInfo> commands() const { return commands_.commands(); }

 private:
  core::Status dispatch(ClientSession& session, transport::Session& connection, const wire::Message& message,
                        core::Nanoseconds now);
  core::Status on_resource_request(ClientSession& session, const wire::ResourceRequest& request, core::Nanoseconds now);
  core::Status on_mirror_hashes(ClientSession& session, transport::Session& connection,
                                const wire::MirrorHashes& hashes, core::Nanoseconds now);
  core::Status on_mirror_difference(ClientSession& session, const wire::MirrorDifference& difference,
                                    core::Nanoseconds now);
  core::Status on_prediction_report(ClientSession& session, const wire::PredictionReport& report,
                                    core::Nanoseconds now);
  core::Status on_visit(const ClientSession& session, const wire::Visit& visit, core::Nanoseconds now);
  core::Status on_forward(const ClientSession& session, const wire::Forward& forward);
  void on_input(ClientSession& session, core::ByteView bytes, core::Nanoseconds now);
  std::span<const CommandBuffer::Due> due_commands(ClientSession& session);
  core::Status run_command(ClientSession& session, const CommandBuffer::Due& command);
  void refuse_command(ClientSession& session, std::uint32_t number, const core::Error& error, core::Nanoseconds now);
  void count_if_refused(ClientSession& session, const core::Status& status, core::Nanoseconds now);

  const ServerConfig& config_;
  World& world_;
  transport::ServerEndpoint& endpoint_;
  Sessions& sessions_;
  Admission& admission_;
  ServerStats& stats_;
  MirrorVerifier verifier_;
  CommandDispatch commands_;
  core::Bytes buffer_;
  wire::InputDatagram input_;
};

}  // namespace mobula::server
