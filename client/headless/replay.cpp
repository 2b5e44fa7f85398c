#include <algorithm>
#include <headless/event_lines.hpp>
#include <headless/mirror_report.hpp>
#include <headless/replay.hpp>
#include <mobula/client/files/recording_file.hpp>
#include <mobula/core/log.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/process/standard_output.hpp>

namespace mobula::client {
namespace {

constexpr std::uint32_t inputs_at_once = 1024;  // between two checks for signals, also when it is late

int fail(const core::Error& error) {
  core::log_error("client", "{}", error.message);
  return 1;
}

// Prints a line at the end of each second of recorded time.
class Summaries {
 public:
  void print(const Connection& connection, core::Nanoseconds time) {
    if (time < next_) return;
    process::print(summary_line(connection, before_));
    before_ = connection.stats();
    next_ = (time / core::second + 1) * core::second;
  }

 private:
  core::Nanoseconds next_ = core::second;
  ConnectionStats before_;
};

// Waits until a point in recorded time, at a given speed.
class Pace {
 public:
  Pace(net::EventLoop& loop, double speed) : loop_(loop), speed_(speed), start_(core::monotonic_now()) {}
  void wait_for(core::Nanoseconds time) {
    const double wait = speed_ > 0 ? static_cast<double>(time) / speed_ : 0;
    const core::Nanoseconds due = start_ + static_cast<core::Nanoseconds>(std::min(wait, 1e18));
    if (++inputs_ % inputs_at_once == 0 || due > core::monotonic_now()) loop_.run_until(due);
  }

 private:
  net::EventLoop& loop_;
  double speed_;
  core::Nanoseconds start_;
  std::uint32_t inputs_ = 0;
};

}  // namespace

core::Result<std::unique_ptr<Replay>> Replay::open(const std::string& path) {
  core::Result<std::unique_ptr<RecordingReader>> reader = open_recording(path);
  if (!reader) return reader.error();
  return make(std::move(*reader));
}

core::Result<std::unique_ptr<Replay>> Replay::make(std::unique_ptr<RecordingReader> reader) {
  std::unique_ptr<Replay> replay(new Replay(std::move(reader)));
  if (const core::Status kept = replay->keep_resources(); !kept) return kept.error();
  ConnectionConfig config = replay->reader_->config();
  if (std::optional<ResourceFolder>& kept = replay->resources_; kept) config.resources = &*kept;
  replay->connection_ = std::make_unique<Connection>(config, replay->reader_->begin());
  return replay;
}

// The store is empty at the beginning, as it was when the session was recorded.
core::Status Replay::keep_resources() {
  if (!reader_->asks_for_resources()) return core::Done{};
  core::Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  folder_ = std::move(*folder);
  core::Result<ResourceFolder> store = ResourceFolder::open(folder_->path());
  if (!store) return store.error();
  resources_ = std::move(*store);
  return core::Done{};
}

core::Status Replay::apply() {
  switch (input_.kind) {
    case RecordedKind::datagram: connection_->receive(reader_->from(), input_.body, input_.now); break;
    case RecordedKind::update: update(true); break;
    case RecordedKind::update_full: update(false); break;
    case RecordedKind::command: connection_->set_command(input_.body); break;
    case RecordedKind::pipe_closed:
      connection_->pipe_closed({reinterpret_cast<const char*>(input_.body.data()), input_.body.size()}, input_.now);
      break;
    case RecordedKind::rejoin: return rejoin();
    case RecordedKind::reconnect: return reconnect();
    case RecordedKind::close: connection_->close(nowhere_); break;
    default: MOBULA_ASSERT(false, "a reader hands out inputs only");
  }
  return core::Done{};
}

void Replay::update(bool ready) {
  nowhere_.is_ready = ready;
  connection_->update(input_.now, nowhere_);
}

core::Status Replay::rejoin() {
  if (!connection_->can_rejoin())
    return core::Error{"damaged", "the recording is damaged: it rejoins a connection that was not lost"};
  connection_->rejoin(input_.now);
  return core::Done{};
}

core::Status Replay::reconnect() {
  const core::Result<transport::ConnectToken> token = transport::read_token(input_.body);
  if (!token || connection_->state() != Connection::State::closed)
    return core::Error{"damaged", "the recording is damaged: it reconnects a connection that was not closed"};
  connection_->reconnect(*token, input_.now);
  return core::Done{};
}

int run_replay(const ReplayOptions& options) {
  core::Result<std::unique_ptr<Replay>> opened = Replay::open(options.path);
  if (!opened) return fail(opened.error());
  Replay& replay = **opened;
  Connection& connection = replay.connection();
  net::EventLoop loop;
  loop.on_stop_signal([&] { loop.stop(); });
  Pace pace(loop, options.speed);
  Summaries summaries;
  EventLines events;
  core::Result<bool> more = true;
  while (!loop.stopped() && !has_ticks(connection.stats(), options.ticks) && !has_reached(connection, options.at)) {
    more = replay.read();
    if (!more || !*more) break;
    pace.wait_for(replay.time());
    if (!options.json_only) summaries.print(connection, replay.time());
    if (const core::Status applied = replay.apply(); !applied) {
      more = applied.error();
      break;
    }
    if (options.events) events.print(connection, replay.time());
  }
  if (!more) core::log_error("client", "{}: {}", options.path, more.error().message);
  if (replay.cut_off()) core::log_warn("client", "{} is cut off: replayed up to its last complete entry", options.path);
  const bool failed = connection.reason().code == transport::ReasonCode::protocol_error;
  if (failed) core::log_error("client", "closed: {}", to_string(connection.reason()));
  process::print(final_line(connection));
  const bool complete = options.ticks == 0 || has_ticks(connection.stats(), options.ticks);
  return more.ok() && !failed && complete && verified(connection.stats()) ? 0 : 1;
}

}  // namespace mobula::client
