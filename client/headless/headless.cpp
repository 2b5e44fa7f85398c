#include <algorithm>
#include <headless/event_lines.hpp>
#include <headless/headless.hpp>
#include <headless/mirror_report.hpp>
#include <headless/prediction_lines.hpp>
#include <headless/temporary_folder.hpp>
#include <mobula/client/connection/recording.hpp>
#include <mobula/client/connection/resource_memory.hpp>
#include <mobula/client/files/recording_file.hpp>
#include <mobula/client/files/resource_folder.hpp>
#include <mobula/client/pipe/fetch_resources.hpp>
#include <mobula/client/pipe/pipe_client.hpp>
#include <mobula/core/log.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/process/standard_output.hpp>
#include <optional>

namespace mobula::client {
namespace {

int give_up(const core::Error& error) {
  core::log_error("client", "{}", error.message);
  return 1;
}

// Resources and recording of a connection; they outlive it.
struct Surroundings {
  std::optional<TemporaryFolder> folder;
  std::optional<ResourceFolder> resources;
  ResourceMemory memory;
  std::unique_ptr<RecordingWriter> recording;

  // Null if no resources are kept.
  ResourceStore* store(const HeadlessOptions& options) {
    if (resources) return &*resources;
    return options.rules != nullptr ? &memory : nullptr;
  }
};

core::Status keep_resources(const HeadlessOptions& options, Surroundings& around) {
  if (options.resources.empty()) return core::Done{};
  std::string path = options.resources;
  if (!options.recording.empty()) {
    core::Result<TemporaryFolder> folder = TemporaryFolder::make();
    if (!folder) return folder.error();
    around.folder = std::move(*folder);
    path = around.folder->path();
  }
  core::Result<ResourceFolder> store = ResourceFolder::open(path);
  if (!store) return store.error();
  around.resources = std::move(*store);
  return core::Done{};
}

core::Status begin_recording(const HeadlessOptions& options, Surroundings& around) {
  if (options.recording.empty()) return core::Done{};
  core::Result<std::unique_ptr<RecordingWriter>> writer = create_recording(options.recording);
  if (!writer) return writer.error();
  around.recording = std::move(*writer);
  return core::Done{};
}

core::Status fetch_level(net::EventLoop& loop, const HeadlessOptions& options, Surroundings& around) {
  if (options.rules == nullptr) return core::Done{};
  if (gives_more_tokens(options.access)) return fetch_resources(loop, options.access, *around.store(options));
  core::log_info(
      "client",
      "a token file has one token, so the level is received while playing: until then the rules find nothing "
      "of it; --resources DIR keeps it for the next start");
  return core::Done{};
}

void play(const HeadlessOptions& options, PipeClient& client) {
  if (!options.play || client.connection().state() != Connection::State::playing) return;
  const core::Bytes command = options.play(core::monotonic_now());
  if (!command.empty()) client.set_command(command);
}

// Begins to predict, if there are rules.
std::unique_ptr<PredictionLines> predict(const HeadlessOptions& options, PipeClient& client) {
  if (options.rules == nullptr) return nullptr;
  client.predict(*options.rules, {});
  return std::make_unique<PredictionLines>(*client.prediction(), client.connection());
}

}  // namespace

int run_headless(const HeadlessOptions& options) {
  net::EventLoop loop;
  Surroundings around;
  for (const auto prepare : {keep_resources, begin_recording})
    if (const core::Status done = prepare(options, around); !done) return give_up(done.error());
  loop.on_stop_signal([&] { loop.stop(); });
  if (const core::Status fetched = fetch_level(loop, options, around); !fetched) return give_up(fetched.error());
  core::Result<std::unique_ptr<PipeClient>> opened = enter(loop, options.access,
                                                           {.transport = {},
                                                            .name = options.name,
                                                            .schema = options.schema,
                                                            .resources = around.store(options),
                                                            .spectate = options.spectate},
                                                           around.recording.get());
  if (!opened) return give_up(opened.error());
  PipeClient& client = **opened;
  const std::unique_ptr<PredictionLines> predicted = predict(options, client);
  const std::array all{&client};
  const Connection& connection = client.connection();
  const auto done = [&] { return has_ticks(connection.stats(), options.ticks); };

  ConnectionStats before;
  EventLines events;
  core::Nanoseconds next_update = core::monotonic_now();
  core::Nanoseconds next_summary = next_update + core::second;
  while (!loop.stopped() && !done() && !client.over()) {
    run_until(loop, next_update, all);
    play(options, client);
    client.update();
    const std::string found = predicted != nullptr ? predicted->note(core::monotonic_now()) : "";
    if (!options.json_only) process::print(found);
    if (options.events) events.print(connection, core::monotonic_now());
    next_update = core::monotonic_now() + update_interval;
    if (options.json_only || core::monotonic_now() < next_summary) continue;
    process::print(summary_line(connection, before) + (predicted != nullptr ? predicted->summary() : ""));
    before = connection.stats();
    next_summary = std::max(next_summary + core::second, core::monotonic_now());  // after a pause, one line only
  }
  const bool lost = client.over();
  if (lost) core::log_error("client", "closed: {}{}", to_string(connection.reason()), advice(connection.reason().code));
  client.close();
  process::print(final_line(connection, predicted != nullptr ? predicted->members() : ""));
  const core::Status recorded = around.recording != nullptr ? around.recording->finish() : core::Done{};
  if (!recorded) core::log_error("client", "{}", recorded.error().message);
  const bool complete = options.ticks == 0 || done();
  const bool predicts = predicted == nullptr || client.prediction()->stats().ticks > 0;
  return predicts && recorded.ok() && complete && !lost && verified(connection.stats()) ? 0 : 1;
}

}  // namespace mobula::client
