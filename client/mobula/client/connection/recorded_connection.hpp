// Records what a connection is given: a decorator that writes each input to a recording and passes it on.
#pragma once

#include <mobula/client/connection/connection.hpp>
#include <mobula/client/connection/recording.hpp>

namespace mobula::client {

class RecordedConnection final : public ConnectionInput {
 public:
  /// Begins the recording. `connection` was made at `now`, was given nothing yet, and decodes its deltas. From here on
  /// every input must come through this object; one that bypasses it is missing in the recording.
  RecordedConnection(Connection& connection, RecordingWriter& recording, core::Nanoseconds now);

  void receive(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now) override;
  void update(core::Nanoseconds now, transport::Output& output) override;
  void set_command(core::ByteView command) override;
  void pipe_closed(std::string_view why, core::Nanoseconds now) override;
  void rejoin(core::Nanoseconds now) override;
  void reconnect(const transport::ConnectToken& token, core::Nanoseconds now) override;
  void close(transport::Output& output) override;

 private:
  Connection& connection_;
  RecordingWriter& recording_;
};

}  // namespace mobula::client
