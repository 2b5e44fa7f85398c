// Records a session for schema/session_vectors.json: a decorator of a connection, like RecordedConnection. It also
// records the datagrams that the connection sends, and the state that its mirror has after each delta.
#pragma once

#include <vectors/mirror_json.hpp>

namespace mobula::test {

class SessionRecorder final : public client::ConnectionInput {
 public:
  /// `connection` was given nothing yet, and outlives this. From here on every input comes through this object.
  SessionRecorder(client::Connection& connection, core::Nanoseconds now) : connection_(connection), last_(now) {}

  void receive(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now) override;
  void update(core::Nanoseconds now, transport::Output& output) override;
  void set_command(core::ByteView command) override;
  void pipe_closed(std::string_view why, core::Nanoseconds now) override;
  void rejoin(core::Nanoseconds now) override;
  void reconnect(const transport::ConnectToken& token, core::Nanoseconds now) override;
  void close(transport::Output& output) override;

  /// Returns the steps recorded so far.
  [[nodiscard]] const Json& steps() const { return steps_; }

 private:
  Json& add(core::Nanoseconds now, const char* kind, Json content);

  client::Connection& connection_;
  core::Nanoseconds last_;
  Json steps_ = Json::array();
};

/// Returns a connect token as JSON, and its keys beside it.
Json token_json(const transport::ConnectToken& token);

}  // namespace mobula::test
