#include <mobula/schema/demo_commands_generated.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <mobula/client/bots.hpp>
#include <mobula/client/pipe_client.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/random.hpp>
#include <mobula/net/event_loop.hpp>
#include <numeric>

namespace mobula::client {
namespace {

constexpr core::Nanoseconds update_interval = 50 * core::millisecond;
constexpr core::Nanoseconds silence_max = core::second;  // a server that says nothing for longer is lost

core::Bytes move_command(float x, float z) {
  flatbuffers::FlatBufferBuilder builder(128);
  const auto move = demo::commands::CreateMove(builder, x, z);
  builder.Finish(demo::commands::CreateCommand(builder, demo::commands::Body::Move, move.Union()));
  const core::ByteView bytes = core::as_bytes(builder.GetBufferPointer(), builder.GetSize());
  return {bytes.begin(), bytes.end()};
}

// One client: walks in some direction, changes it now and then, notes when ticks arrive.
class Bot {
 public:
  Bot(std::unique_ptr<PipeClient> client, std::uint64_t seed) : client_(std::move(client)), random_(seed) {
    client_->on_received([this](core::Nanoseconds now) { note_ticks(now); });
  }

  void update() {
    if (connection().state() == Connection::State::playing && random_.chance(1, 40)) turn();
    client_->update();
  }
  void close() { client_->close(); }
  [[nodiscard]] PipeClient& client() { return *client_; }
  [[nodiscard]] Connection& connection() { return client_->connection(); }
  [[nodiscard]] bool joined() { return connection().stats().ticks > 0; }
  [[nodiscard]] const std::vector<double>& intervals_ms() const { return intervals_ms_; }
  // A silence that is still going on is an interval too, once it is long. Gives its length.
  core::Nanoseconds note_silence(core::Nanoseconds now) {
    const core::Nanoseconds silence = joined() ? now - last_tick_at_ : 0;
    if (silence < silence_max) return 0;
    intervals_ms_.push_back(static_cast<double>(silence) / core::millisecond);
    return silence;
  }

 private:
  void turn() {
    float x = random_.uniform(-1, 1);
    float z = random_.uniform(-1, 1);
    const float length = std::max(1.0f, std::sqrt(x * x + z * z));
    connection().set_command(move_command(x / length, z / length));
  }

  void note_ticks(core::Nanoseconds now) {
    const std::uint64_t ticks = connection().stats().ticks;
    if (ticks == ticks_) return;
    if (ticks_ > 0) intervals_ms_.push_back(static_cast<double>(now - last_tick_at_) / core::millisecond);
    ticks_ = ticks;
    last_tick_at_ = now;
  }

  std::unique_ptr<PipeClient> client_;
  core::Random random_;
  std::uint64_t ticks_ = 0;
  core::Nanoseconds last_tick_at_ = 0;
  std::vector<double> intervals_ms_;
};

void print_progress(std::vector<std::unique_ptr<Bot>>& bots, double done, double seconds) {
  constexpr int width = 30;
  const int filled = std::min(width, static_cast<int>(width * done / seconds));
  const auto joined = std::count_if(bots.begin(), bots.end(), [](const auto& bot) { return bot->joined(); });
  const std::string bar(static_cast<std::size_t>(filled), '#');
  const std::string line = core::format("\r[{:<{}}] {:4.1f} of {:.1f} s, {} of {} bots joined", bar, width,
                                        std::min(done, seconds), seconds, joined, bots.size());
  std::fputs(line.c_str(), stderr);
}

BotsReport report_on(std::vector<std::unique_ptr<Bot>>& bots, double seconds) {
  BotsReport report;
  report.clients = static_cast<std::uint32_t>(bots.size());
  report.seconds = seconds;
  std::vector<double> intervals;
  report.entities_min = ~0u;
  for (const std::unique_ptr<Bot>& bot : bots) {
    Connection& connection = bot->connection();
    report.bytes_received += connection.stats().bytes_received;
    report.events += connection.stats().events;
    report.verified_ticks += connection.stats().verified_ticks;
    report.mismatches += connection.stats().mismatched_ticks;
    const core::Nanoseconds silence = bot->note_silence(core::monotonic_now());
    intervals.insert(intervals.end(), bot->intervals_ms().begin(), bot->intervals_ms().end());
    const bool closed = bot->client().over();
    if ((closed || silence > 0 || !bot->joined()) && report.lost++ == 0) {
      report.first_loss = closed ? to_string(connection.reason()) + std::string(advice(connection.reason().code))
                          : silence > 0
                              ? core::format("nothing heard for {:.1f} s", static_cast<double>(silence) / core::second)
                              : "no answer so far";
    }
    if (!bot->joined()) continue;
    ++report.joined;
    if (connection.mirror() == nullptr) continue;
    ++report.mirrors;
    report.entities_min = std::min(report.entities_min, connection.mirror()->size());
    report.entities_max = std::max(report.entities_max, connection.mirror()->size());
  }
  if (report.mirrors == 0) report.entities_min = 0;
  report.patch_interval_ms = summarise(intervals);
  return report;
}

}  // namespace

IntervalSummary summarise(std::vector<double>& values_ms) {
  if (values_ms.empty()) return {};
  std::sort(values_ms.begin(), values_ms.end());
  const auto rank = [&](double share) {
    const auto place = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values_ms.size())));
    return values_ms[std::max<std::size_t>(place, 1) - 1];
  };
  const double sum = std::accumulate(values_ms.begin(), values_ms.end(), 0.0);
  return {.mean = sum / static_cast<double>(values_ms.size()), .p50 = rank(0.5), .p99 = rank(0.99)};
}

core::Result<BotsReport> run_bots(const BotsOptions& options) {
  net::EventLoop loop;
  loop.on_stop_signal([&] { loop.stop(); });
  std::vector<std::unique_ptr<Bot>> bots;
  std::vector<PipeClient*> clients;
  core::Result<std::vector<transport::ConnectToken>> tokens = get_tokens(options.access, options.clients);
  if (!tokens) return tokens.error();
  for (std::uint32_t i = 0; i < options.clients; ++i) {
    ConnectionConfig config{.transport = {},
                            .name = core::format("bot {}", i + 1),
                            .schema = {},
                            .resources = nullptr,
                            .decode = i < options.verify,
                            .recording = nullptr};
    config.transport.token = std::move((*tokens)[i]);
    core::Result<std::unique_ptr<PipeClient>> client =
        PipeClient::open(loop, options.access, std::move(config), options.seed + i);
    if (!client) return client.error();
    bots.push_back(std::make_unique<Bot>(std::move(*client), options.seed + i));
    clients.push_back(&bots.back()->client());
  }

  const bool bar = options.progress && isatty(STDERR_FILENO) != 0;
  const core::Nanoseconds start = core::monotonic_now();
  const auto elapsed = [&] { return static_cast<double>(core::monotonic_now() - start) / core::second; };
  core::Nanoseconds next = start;
  while (!loop.stopped() && elapsed() < options.seconds) {
    run_until(loop, next, clients);
    for (const std::unique_ptr<Bot>& bot : bots) bot->update();
    if (bar) print_progress(bots, elapsed(), options.seconds);
    next += update_interval;
  }
  if (bar) std::fputs("\n", stderr);
  BotsReport report = report_on(bots, elapsed());
  for (const std::unique_ptr<Bot>& bot : bots) bot->close();
  return report;
}

std::string to_json(const BotsReport& report) {
  return core::format(
      R"({{"clients":{},"joined":{},"seconds":{:.3f},"bytes_received":{},"patch_interval_ms":{{"mean":{:.3f},"p50":{:.3f},"p99":{:.3f}}},"mismatches":{}}})",
      report.clients, report.joined, report.seconds, report.bytes_received, report.patch_interval_ms.mean,
      report.patch_interval_ms.p50, report.patch_interval_ms.p99, report.mismatches);
}

namespace {

std::string entities_mirrored(const BotsReport& report) {
  if (report.mirrors == 0) return "none";
  const std::string range = core::format("{} to {} per bot", report.entities_min, report.entities_max);
  return report.mirrors == report.joined ? range : range + core::format(", by {} of them", report.mirrors);
}

}  // namespace

std::string to_table(const BotsReport& report) {
  const double client_seconds = std::max(1.0, report.seconds * report.clients);
  std::string table = core::format(
      "bots joined             {} of {}\n"
      "seconds                 {:.1f}\n"
      "entities mirrored       {}\n"
      "bytes received          {} ({:.1f} KB/s per bot)\n"
      "events received         {}\n"
      "patch interval          mean {:.1f} ms, p50 {:.1f} ms, p99 {:.1f} ms\n"
      "mirrors verified        {} times, {} mismatches\n",
      report.joined, report.clients, report.seconds, entities_mirrored(report), report.bytes_received,
      static_cast<double>(report.bytes_received) / 1000 / client_seconds, report.events, report.patch_interval_ms.mean,
      report.patch_interval_ms.p50, report.patch_interval_ms.p99, report.verified_ticks, report.mismatches);
  if (report.lost > 0)
    table += core::format("lost, or never joined   {}, the first: {}\n", report.lost, report.first_loss);
  return table;
}

}  // namespace mobula::client
