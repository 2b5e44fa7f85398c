// Replays a recording to a new connection, which makes the same mirror without a server.
#pragma once

#include <headless/temporary_folder.hpp>
#include <mobula/client/connection/connection.hpp>
#include <mobula/client/connection/recording.hpp>
#include <mobula/client/files/resource_folder.hpp>
#include <optional>

namespace mobula::client {

class Replay {
 public:
  /// Opens a recording. Reasons: those of RecordingReader; "no folder" if it contains resources and there is no place
  /// for temporary files.
  static core::Result<std::unique_ptr<Replay>> open(const std::string& path);
  static core::Result<std::unique_ptr<Replay>> make(std::unique_ptr<RecordingReader> reader);

  /// Reads the next input. Returns false at the end. Reason: "damaged".
  core::Result<bool> read() { return reader_->next(input_); }
  /// Returns the time of the input since the connection was made.
  [[nodiscard]] core::Nanoseconds time() const { return input_.now - reader_->begin(); }
  /// Gives the input to the connection. Reason: "damaged" if the connection cannot have had this input.
  core::Status apply();

  /// Reads and applies inputs until the end, or until `stop(connection)` is true, which is called before each.
  template <class Stop>
  core::Status run(Stop&& stop);

  [[nodiscard]] Connection& connection() { return *connection_; }
  /// Returns whether the recorder was killed. Every complete entry was replayed.
  [[nodiscard]] bool cut_off() const { return reader_->cut_off(); }

 private:
  // Discards what the connection sends.
  struct Nowhere : transport::Output {
    void send(const transport::Address& /*to*/, core::ByteView /*datagram*/) override {}
    [[nodiscard]] bool ready(const transport::Address& /*to*/) const override { return is_ready; }
    bool is_ready = true;
  };

  explicit Replay(std::unique_ptr<RecordingReader> reader) : reader_(std::move(reader)) {}
  core::Status keep_resources();
  void update(bool ready);
  core::Status rejoin();
  core::Status reconnect();

  std::unique_ptr<RecordingReader> reader_;
  RecordedInput input_;
  Nowhere nowhere_;
  std::optional<TemporaryFolder> folder_;
  std::optional<ResourceFolder> resources_;
  std::unique_ptr<Connection> connection_;
};

template <class Stop>
core::Status Replay::run(Stop&& stop) {
  while (!stop(*connection_)) {
    const core::Result<bool> more = read();
    if (!more) return more.error();
    if (!*more) break;
    if (core::Status applied = apply(); !applied) return applied;
  }
  return core::Done{};
}

struct ReplayOptions {
  std::string path;
  double speed = 0;         ///< Multiple of the recorded speed; 0 replays as fast as possible.
  std::uint64_t ticks = 0;  ///< Ends after this many mirrored ticks; 0 replays to the end.
  ecs::Tick at = 0;         ///< Ends when the mirror has reached this tick of the server; 0 replays to the end.
  bool json_only = false;   ///< Prints the last line only.
  bool events = false;      ///< Prints received events.
};

/// Prints what the headless client prints. Returns the exit status: 0 if at least one tick was verified, none
/// mismatched, and all requested ticks were received; else 1.
int run_replay(const ReplayOptions& options);

}  // namespace mobula::client
