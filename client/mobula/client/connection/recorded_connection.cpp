#include <mobula/client/connection/recorded_connection.hpp>

namespace mobula::client {

RecordedConnection::RecordedConnection(Connection& connection, RecordingWriter& recording, core::Nanoseconds now)
    : connection_(connection), recording_(recording) {
  MOBULA_ASSERT(connection.config().decode, "a recorded connection keeps a mirror");
  recording_.begin(connection.config(), now);
}

void RecordedConnection::receive(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now) {
  recording_.received(from, datagram, now);
  connection_.receive(from, datagram, now);
}

void RecordedConnection::update(core::Nanoseconds now, transport::Output& output) {
  recording_.updated(output.ready(connection_.server()), now);
  connection_.update(now, output);
}

void RecordedConnection::set_command(core::ByteView command) {
  recording_.commanded(command);
  connection_.set_command(command);
}

void RecordedConnection::pipe_closed(std::string_view why, core::Nanoseconds now) {
  recording_.pipe_closed(why, now);
  connection_.pipe_closed(why, now);
}

void RecordedConnection::rejoin(core::Nanoseconds now) {
  recording_.rejoined(now);
  connection_.rejoin(now);
}

void RecordedConnection::reconnect(const transport::ConnectToken& token, core::Nanoseconds now) {
  recording_.reconnected(token, now);
  connection_.reconnect(token, now);
}

void RecordedConnection::close(transport::Output& output) {
  recording_.closed();
  connection_.close(output);
}

}  // namespace mobula::client
