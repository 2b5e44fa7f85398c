#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/core/overloaded.hpp>
#include <mobula/server/session/message_handler.hpp>
#include <mobula/server/session/printable_text.hpp>
#include <variant>

namespace mobula::server {
namespace {

constexpr std::size_t messages_per_tick_max = 16;
constexpr std::size_t zone_messages_per_tick_max = 256;
constexpr std::size_t inputs_per_tick_max = 16;

}  // namespace

// --- Messages ------------------------------------------------------------------------------------------------------

void MessageHandler::receive(ClientSession& session, transport::Session& connection, core::Nanoseconds now) {
  const core::LogScope about(session.log_fields());
  const std::size_t most = session.zone ? zone_messages_per_tick_max : messages_per_tick_max;
  for (std::size_t i = 0; i < most && connection.next_reliable(buffer_); ++i) {
    if (session.state == ClientSession::State::closing) return;
    const core::Result<wire::Message> message = wire::decode_message(buffer_);
    const core::Status handled = message ? dispatch(session, connection, *message, now) : message.error();
    if (!handled) sessions_.close(session, transport::ReasonCode::protocol_error, handled.error(), now);
  }
  for (std::size_t i = 0; i < inputs_per_tick_max && connection.next_unreliable(buffer_); ++i)
    on_input(session, buffer_, now);
}

core::Status MessageHandler::dispatch(ClientSession& session, transport::Session& connection,
                                      const wire::Message& message, core::Nanoseconds now) {
  const core::Overloaded handlers{
      [&](const wire::Hello& hello) { return admission_.on_hello(session, connection, hello, now); },
      [&](const wire::ResourceRequest& request) { return on_resource_request(session, request, now); },
      [&](const wire::MirrorHashes& hashes) { return on_mirror_hashes(session, connection, hashes, now); },
      [&](const wire::MirrorDifference& difference) { return on_mirror_difference(session, difference, now); },
      [&](const wire::PredictionReport& report) { return on_prediction_report(session, report, now); },
      [&](const wire::Visit& visit) { return on_visit(session, visit, now); },
      [&](const wire::Forward& forward) { return on_forward(session, forward); },
      [](const auto&) -> core::Status {  // a message that only servers send
        return core::Error{"out of turn", "only servers send this message"};
      }};
  return std::visit(handlers, message);
}

core::Status MessageHandler::on_resource_request(ClientSession& session, const wire::ResourceRequest& request,
                                                 core::Nanoseconds now) {
  if (!session.joined) return core::Error{"out of turn", "a resource was requested before Hello"};
  count_if_refused(session, session.transfer.start(config_.level, request), now);
  return core::Done{};
}

core::Status MessageHandler::on_mirror_hashes(ClientSession& session, transport::Session& connection,
                                              const wire::MirrorHashes& hashes, core::Nanoseconds now) {
  if (session.replication.view == nullptr) return core::Error{"out of turn", "mirror hashes were sent before Welcome"};
  count_if_refused(session, verifier_.on_hashes(session.replication, connection, hashes, now), now);
  return core::Done{};
}

core::Status MessageHandler::on_mirror_difference(ClientSession& session, const wire::MirrorDifference& difference,
                                                  core::Nanoseconds now) {
  count_if_refused(session, verifier_.on_difference(session.replication, difference), now);
  return core::Done{};
}

core::Status MessageHandler::on_prediction_report(ClientSession& session, const wire::PredictionReport& report,
                                                  core::Nanoseconds now) {
  if (session.replication.view == nullptr)
    return core::Error{"out of turn", "a prediction report was sent before Welcome"};
  if (!session.admit_report(now)) {
    sessions_.count_refusal(session,
                            {"too many reports", core::format("more than {} prediction reports in a second",
                                                              ClientSession::reports_per_second_max)},
                            now);
    return core::Done{};
  }
  session.prediction.add(report);
  stats_.predictions.add(report);
  return core::Done{};
}

core::Status MessageHandler::on_visit(const ClientSession& session, const wire::Visit& visit, core::Nanoseconds now) {
  if (!session.zone) return core::Error{"out of turn", "only neighbouring zones send Visit"};
  admission_.expect_visit(visit, now);
  return core::Done{};
}

core::Status MessageHandler::on_forward(const ClientSession& session, const wire::Forward& forward) {
  if (!session.zone) return core::Error{"out of turn", "only neighbouring zones send Forward"};
  world_.messages().receive(forward);
  return core::Done{};
}

void MessageHandler::count_if_refused(ClientSession& session, const core::Status& status, core::Nanoseconds now) {
  if (!status) sessions_.count_refusal(session, status.error(), now);
}

// --- Inputs and commands -------------------------------------------------------------------------------------------

void MessageHandler::on_input(ClientSession& session, core::ByteView bytes, core::Nanoseconds now) {
  if (session.state != ClientSession::State::playing) return;
  if (const core::Status read = wire::decode_input(bytes, input_); !read)
    return refuse_command(session, 0, read.error(), now);
  apply_acks(session, now);
  session.replication.acks = {
      .ack = input_.ack, .newest = input_.newest, .words = input_.words, .received = input_.received};
  // An acknowledgement of the future is refused when it is applied. The sets of the commands depend on it.
  if (input_.newest > session.replication.view->last_sequence()) wire::forget_acknowledgement(input_);
  if (input_.commands_fault != nullptr) refuse_command(session, 0, {"malformed input", input_.commands_fault}, now);
  // An honest client's input may be refused too, after a pause. It is sent again, so it does not count for the limit.
  if (const core::Status taken = session.commands.on_input(input_, world_.tick()); !taken)
    ++stats_.refusals[taken.error().reason];
}

void MessageHandler::apply_acks(ClientSession& session, core::Nanoseconds now) {
  count_if_refused(session, session.replication.apply_acks(), now);
}

void MessageHandler::run_commands(core::Nanoseconds now) {
  for (const std::unique_ptr<ClientSession>& session : sessions_.all()) {
    if (!session->joined || session->state == ClientSession::State::closing) continue;
    const core::LogScope about(session->log_fields());
    for (const CommandBuffer::Due& command : due_commands(*session)) {
      const core::Status done = run_command(*session, command);
      if (done) {
        ++stats_.commands;
        continue;
      }
      session->commands.on_refused(command.context.number);
      refuse_command(*session, command.context.number, done.error(), now);
    }
  }
}

// Counts those that are late. A client learns of them from its deltas.
std::span<const CommandBuffer::Due> MessageHandler::due_commands(ClientSession& session) {
  const LateCommands before = session.commands.stats().late;
  const std::span<const CommandBuffer::Due> due = session.commands.due(world_.tick());
  const LateCommands late = session.commands.stats().late.since(before);
  stats_.late_commands += late;
  if (late.dropped + late.missing > 0)
    core::log_info("server", "commands of player {} \"{}\" not run: {} arrived too late, {} are missing",
                   session.player.id, session.player.name, late.dropped, late.missing);
  return due;
}

core::Status MessageHandler::run_command(ClientSession& session, const CommandBuffer::Due& command) {
  if (command.fault != nullptr) return core::Error{"malformed command", command.fault};
  if (session.player.spectator) return core::Error{"spectator", "spectators cannot give commands"};
  session.update_player_entity(world_.registry());
  return commands_.run(world_, session.player, session.limiters, command.bytes, command.context);
}

void MessageHandler::refuse_command(ClientSession& session, std::uint32_t number, const core::Error& error,
                                    core::Nanoseconds now) {
  transport::Session* const connection = session.reports_refusals ? endpoint_.find(session.transport_id) : nullptr;
  if (connection != nullptr) {
    const std::string reason = printable(core::format("{}: {}", error.reason, error.message), wire::max_text_bytes);
    // Dropped if the lane is full: the client has not read for long.
    static_cast<void>(connection->send_reliable(wire::encode(wire::CommandRefused{number, reason})));
  }
  sessions_.count_refusal(session, error, now);
}

}  // namespace mobula::server
