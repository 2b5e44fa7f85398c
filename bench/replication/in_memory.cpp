#include "replication/in_memory.hpp"

#include <algorithm>
#include <mobula/core/format.hpp>

#include "replication/crowd.hpp"
#include "replication/delayed_pipe.hpp"
#include "replication/meter.hpp"

namespace mobula::bench {
namespace {

constexpr std::uint32_t joins_per_tick = 250;
constexpr std::uint32_t join_seconds_max = 30;

class ToClients final : public transport::Output {
 public:
  explicit ToClients(DelayedPipe& pipe) : pipe_(pipe) {}
  void send(const transport::Address& to, core::ByteView datagram) override {
    const std::uint32_t client = client_of(to);
    pipe_.send(client, datagram, way_of(client).there);
  }

 private:
  DelayedPipe& pipe_;
};

class InMemory {
 public:
  InMemory(const ReplicationOptions& options, Walkers& walkers, server::Server& server)
      : options_(options),
        walkers_(walkers),
        server_(server),
        verifier_(server.world().schema()),
        down_(1, options.loss_percent),
        up_(2, options.loss_percent),
        output_(down_),
        meter_(server, output_) {}

  core::Result<ReplicationReport> run();

 private:
  core::Status join_all();
  // Runs one tick of everything.
  void step();
  void serve();
  void verify();
  [[nodiscard]] std::uint32_t ticks(double seconds) const {
    return static_cast<std::uint32_t>(seconds * options_.walkers.ticks_per_second);
  }

  ReplicationOptions options_;
  Walkers& walkers_;
  server::Server& server_;
  Verifier verifier_;
  DelayedPipe down_;
  DelayedPipe up_;
  ToClients output_;
  Meter meter_;
  std::vector<BenchClient> clients_;
  core::Nanoseconds now_ = core::second;
  std::uint64_t mismatches_ = 0;
};

void InMemory::serve() {
  meter_.begin();
  up_.deliver([&](std::uint32_t client, core::ByteView datagram) {
    server_.receive(address_of(client), datagram, now_, meter_.output());
  });
  meter_.begin_tick();
  server_.tick(now_, meter_.output());
  meter_.end_tick();
}

// Searching an entity in a mirror visits all its entities: one mirror is verified in each tick.
void InMemory::verify() {
  const ecs::Tick tick = server_.world().tick() - 1;
  verifier_.note(walkers_, server_.published(), tick);
  client::Connection* connection = clients_[tick % std::min<std::size_t>(mirrors_max, clients_.size())].mirroring();
  if (connection != nullptr && connection->mirror() != nullptr)
    mismatches_ += verifier_.mismatches(walkers_, *connection->mirror());
}

void InMemory::step() {
  down_.deliver(
      [&](std::uint32_t client, core::ByteView datagram) { clients_[client].receive(bench_server, datagram, now_); });
  for (std::uint32_t i = 0; i < clients_.size(); ++i) {
    ToServer output(up_, i, way_of(i));
    clients_[i].update(now_, output);
  }
  serve();
  verify();
  now_ += core::second / options_.walkers.ticks_per_second;
  down_.next_step();
  up_.next_step();
}

core::Status InMemory::join_all() {
  const std::uint32_t limit = ticks(join_seconds_max) + options_.clients / joins_per_tick;
  for (std::uint32_t tick = 0; tick < limit; ++tick) {
    for (std::uint32_t i = 0; i < joins_per_tick && clients_.size() < options_.clients; ++i) {
      const auto number = static_cast<std::uint32_t>(clients_.size());
      clients_.emplace_back(number, bench_server, now_);
    }
    step();
    if (clients_.size() == options_.clients && std::ranges::all_of(clients_, &BenchClient::plays)) return core::Done{};
  }
  return core::Error{"not all joined", core::format("{} players of {} clients", server_.players(), options_.clients)};
}

core::Result<ReplicationReport> InMemory::run() {
  if (const core::Status joined = join_all(); !joined) return joined.error();
  for (std::uint32_t tick = 0; tick < ticks(settle_seconds); ++tick) step();
  meter_.restart();
  const std::uint32_t measured = std::max(1u, ticks(options_.seconds));
  for (std::uint32_t tick = 0; tick < measured; ++tick) step();
  ReplicationReport report = meter_.report(options_.clients, options_.walkers.moving_share());
  report.compared = verifier_.compared();
  report.mismatches = mismatches_;
  for (BenchClient& client : clients_) report.mismatches += client.mismatched_ticks();
  for (BenchClient& client : clients_) report.verified_ticks += client.verified_ticks();
  return report;
}

}  // namespace

core::Result<ReplicationReport> run_in_memory(const ReplicationOptions& options, Walkers& walkers,
                                              server::Server& server) {
  return InMemory(options, walkers, server).run();
}

}  // namespace mobula::bench
