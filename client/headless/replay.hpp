// A recording given to a new connection: the same mirror, without a server.
#pragma once

#include <headless/temporary_folder.hpp>
#include <mobula/client/connection/recording.hpp>
#include <optional>

namespace mobula::client {

class Replay {
 public:
  // Reasons: those of reading a recording; "no folder" for the resources that come with it.
  static core::Result<std::unique_ptr<Replay>> open(const std::string& path);
  static core::Result<std::unique_ptr<Replay>> make(std::unique_ptr<RecordingReader> reader);

  // Reads the next input. False: there are no more. Reason: "damaged".
  core::Result<bool> read() { return reader_->next(input_); }
  // When it was given, after the connection began.
  [[nodiscard]] core::Nanoseconds time() const { return input_.now - reader_->begin(); }
  // Gives it to the connection. Reason: "damaged" (it was never given to this one).
  core::Status apply();

  // Reads and applies until `stop(connection)`, asked before each, or the end.
  template <class Stop>
  core::Status run(Stop&& stop);

  [[nodiscard]] Connection& connection() { return *connection_; }
  // Whoever recorded was ended before its time; what there is was given.
  [[nodiscard]] bool cut_off() const { return reader_->cut_off(); }

 private:
  // Where what the connection says goes: nowhere.
  struct Nowhere : transport::Output {
    void send(const transport::Address& /*to*/, core::ByteView /*datagram*/) override {}
    [[nodiscard]] bool ready(const transport::Address& /*to*/) const override { return is_ready; }
    bool is_ready = true;
  };

  explicit Replay(std::unique_ptr<RecordingReader> reader) : reader_(std::move(reader)) {}
  core::Status keep_resources();
  void update(bool ready);
  core::Status rejoin();
  core::Status enter_again();

  std::unique_ptr<RecordingReader> reader_;
  RecordedInput input_;
  Nowhere nowhere_;
  std::optional<TemporaryFolder> folder_;
  std::optional<ResourceStore> resources_;
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
  double speed = 0;         // times as fast as it was; 0: as fast as it goes
  std::uint64_t ticks = 0;  // end after so many mirrored ticks; 0: at its end
  ecs::Tick at = 0;         // end when the mirror has this tick of the server; 0: at its end
  bool json_only = false;
  bool events = false;  // tell of each that came
};

// Says what the headless client says. Exit status: 0 if at least one tick was verified, none was another than the
// server's, and all the ticks that were asked for came; else 1.
int run_replay(const ReplayOptions& options);

}  // namespace mobula::client
