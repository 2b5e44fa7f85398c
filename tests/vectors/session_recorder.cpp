#include <array>
#include <mobula/core/hex.hpp>
#include <mobula/transport/session_body.hpp>
#include <vectors/output_tap.hpp>
#include <vectors/session_recorder.hpp>

namespace mobula::test {
namespace {

// Returns the acknowledgement in a datagram of the client; 0 if it has none.
std::uint32_t ack_in(core::ByteView datagram, const transport::ConnectToken& token) {
  const transport::PacketDomain domain(token.protocol_id);
  transport::PacketHead head;
  if (read_head(datagram, only(transport::PacketType::payload), head) != transport::Drop::none) return 0;
  transport::ReplayWindow replay;
  std::array<std::byte, transport::datagram_bytes_max> room;
  core::ByteView body;
  if (open_body(domain, token.client_to_server, head, datagram, replay, room, body) != transport::Drop::none) return 0;
  core::ByteView rest = body.subspan(transport::body_header_bytes);
  wire::InputDatagram input;
  for (transport::Entry entry; next_entry(rest, entry);)
    if (entry.kind == transport::EntryKind::unreliable && wire::decode_input(entry.bytes, input)) return input.ack;
  return 0;
}

}  // namespace

Json token_json(const transport::ConnectToken& token) {
  return {{"token", core::to_hex(transport::write_token(token))},
          {"client_to_server", core::to_hex(token.client_to_server)},
          {"server_to_client", core::to_hex(token.server_to_client)}};
}

Json& SessionRecorder::add(core::Nanoseconds now, const char* kind, Json content) {
  last_ = now;
  return steps_.emplace_back(Json{{"at", now / core::millisecond}, {kind, std::move(content)}});
}

void SessionRecorder::receive(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now) {
  const std::uint64_t deltas = connection_.stats().deltas;
  connection_.receive(from, datagram, now);
  Json& step = add(now, "receive", core::to_hex(datagram));
  if (connection_.stats().deltas != deltas) step["then"] = state_json(connection_);
}

void SessionRecorder::update(core::Nanoseconds now, transport::Output& output) {
  OutputTap tap(output);
  connection_.update(now, tap);
  connection_.forget_commands_before(1);
  Json sent = Json::array();
  std::uint32_t ack = 0;
  for (const core::Bytes& datagram : tap.sent) {
    sent.push_back(core::to_hex(datagram));
    ack = std::max(ack, ack_in(datagram, connection_.config().transport.token));
  }
  Json& step = add(now, "update", std::move(sent));
  if (ack != 0) step["ack"] = ack;
}

void SessionRecorder::set_command(core::ByteView command) {
  connection_.set_command(command);
  add(last_, "command", core::to_hex(command));
}

void SessionRecorder::pipe_closed(std::string_view why, core::Nanoseconds now) {
  connection_.pipe_closed(why, now);
  add(now, "lost", std::string(why));
}

void SessionRecorder::rejoin(core::Nanoseconds now) {
  connection_.rejoin(now);
  add(now, "rejoin", token_json(connection_.config().transport.token));
}

void SessionRecorder::reconnect(const transport::ConnectToken& /*token*/, core::Nanoseconds /*now*/) {
  MOBULA_ASSERT(false, "no session of the vectors begins anew");
}

// The end of a recording is not part of the session.
void SessionRecorder::close(transport::Output& output) { connection_.close(output); }

}  // namespace mobula::test
