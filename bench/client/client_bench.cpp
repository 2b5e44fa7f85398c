#include "client/client_bench.hpp"

#include <algorithm>
#include <filesystem>
#include <mobula/core/log.hpp>

#include "client/first_entity.hpp"
#include "client/measured_client.hpp"
#include "replication/crowd.hpp"

namespace mobula::bench {
namespace {

constexpr std::uint32_t cpp_number = 0;
constexpr std::uint32_t c_number = 1;
constexpr std::uint32_t join_ticks_max = 600;
constexpr std::uint32_t settle_ticks = 100;
constexpr std::uint32_t way_ticks = 2;  // each direction

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// A client, what it has received in a tick, and what its ticks took.
template <class Client>
struct Measured {
  Measured(std::uint32_t client_number, std::uint32_t entities, core::Nanoseconds now)
      : number(client_number), client(bench_token(client_number, bench_server), now) {
    column.entities.resize(entities);
    column.values.resize(entities);
  }

  // Returns the microseconds that the tick took.
  double tick(core::Nanoseconds now, DelayedPipe& up) {
    ToServer output(up, number, {way_ticks, way_ticks});
    const core::Nanoseconds begin = core::monotonic_now();
    for (const core::Bytes& datagram : received) client.receive(bench_server, datagram, now);
    client.update(now, output);
    client.read(column);
    const core::Nanoseconds taken = core::monotonic_now() - begin;
    received.clear();
    return static_cast<double>(taken) / 1e3;
  }
  [[nodiscard]] ClientCosts costs() const {
    return {
        .median = median(micros),
        .least = micros.empty() ? 0 : std::ranges::min(micros),
        .changes = static_cast<double>(column.changes) / static_cast<double>(std::max<std::size_t>(micros.size(), 1))};
  }

  std::uint32_t number;
  Client client;
  DrawnColumn column;
  std::vector<core::Bytes> received;
  std::vector<double> micros;
};

class SideBySide {
 public:
  SideBySide(const ClientOptions& options, server::Server& server)
      : options_(options),
        server_(server),
        output_(down_),
        cpp_(cpp_number, options.entities, now_),
        c_(c_number, options.entities, now_) {}

  core::Result<ClientReport> run();

 private:
  struct ToClients final : transport::Output {
    explicit ToClients(DelayedPipe& to) : pipe(to) {}
    void send(const transport::Address& to, core::ByteView datagram) override {
      pipe.send(client_of(to), datagram, way_ticks);
    }
    DelayedPipe& pipe;
  };

  void step(bool measures);
  [[nodiscard]] bool have_all() const {
    return cpp_.client.entities() >= options_.entities && c_.client.entities() >= options_.entities;
  }

  const ClientOptions& options_;
  server::Server& server_;
  DelayedPipe down_{1, 0};
  DelayedPipe up_{2, 0};
  ToClients output_;
  core::Nanoseconds now_ = core::second;
  Measured<CppClient> cpp_;
  Measured<CInterfaceClient> c_;
  std::vector<double> ratios_;
  std::uint32_t steps_ = 0;
};

// Each of the two is first in every other tick.
void SideBySide::step(bool measures) {
  down_.deliver([&](std::uint32_t client, core::ByteView datagram) {
    (client == cpp_number ? cpp_.received : c_.received).emplace_back(datagram.begin(), datagram.end());
  });
  double cpp = 0;
  const bool cpp_first = ++steps_ % 2 == 0;
  if (cpp_first) cpp = cpp_.tick(now_, up_);
  const double c = c_.tick(now_, up_);
  if (!cpp_first) cpp = cpp_.tick(now_, up_);
  if (measures) {
    cpp_.micros.push_back(cpp);
    c_.micros.push_back(c);
    ratios_.push_back(c / cpp);
  }
  up_.deliver([&](std::uint32_t client, core::ByteView datagram) {
    server_.receive(address_of(client), datagram, now_, output_);
  });
  server_.tick(now_, output_);
  now_ += core::second / 20;
  down_.next_step();
  up_.next_step();
}

core::Result<ClientReport> SideBySide::run() {
  for (std::uint32_t tick = 0; tick < join_ticks_max && !have_all(); ++tick) step(false);
  if (!have_all()) return core::Error{"not joined", "the clients do not see all entities within 600 ticks"};
  for (std::uint32_t tick = 0; tick < settle_ticks; ++tick) step(false);
  cpp_.column.changes = c_.column.changes = 0;
  for (std::uint32_t tick = 0; tick < options_.ticks; ++tick) step(true);
  ClientReport report{.entities = options_.entities, .cpp = cpp_.costs(), .c = c_.costs()};
  report.c_by_cpp = median(ratios_);
  report.verified_ticks = std::min(cpp_.client.verified_ticks(), c_.client.verified_ticks());
  report.mismatches = cpp_.client.mismatched_ticks() + c_.client.mismatched_ticks();
  report.mismatches += cpp_.client.hash() == c_.client.hash() && cpp_.column.count == c_.column.count ? 0 : 1;
  return report;
}

std::uint64_t size_of(const char* path) {
  std::error_code missing;
  const std::uintmax_t size = std::filesystem::file_size(path, missing);
  return missing ? 0 : size;
}

ReplicationOptions server_options(const ClientOptions& options, std::uint32_t ticks_per_second) {
  ReplicationOptions server;
  server.walkers = {.entities = options.entities,
                    .moving = options.entities,
                    .view = options.entities,
                    .ticks_per_second = ticks_per_second};
  server.clients = 2;
  return server;
}

}  // namespace

core::Result<ClientReport> run_clients(const ClientOptions& options) {
  core::set_log_level(core::LogLevel::error);
  const ReplicationOptions served = server_options(options, 20);
  Walkers walkers(served.walkers);
  const auto server = start_bench_server(served, walkers, bench_server);
  if (!server) return server.error();
  core::Result<ClientReport> report = SideBySide(options, **server).run();
  if (!report) return report;
  const core::Result<FirstEntity> first = time_first_entity(server_options(options, 60), options.joins);
  if (!first) return first.error();
  report->first_entity_cpp_ms = median(first->cpp_ms);
  report->first_entity_c_ms = median(first->c_ms);
  report->shared_bytes = size_of(MOBULA_SHARED_LIBRARY);
  report->static_bytes = size_of(MOBULA_STATIC_LIBRARY);
  return report;
}

}  // namespace mobula::bench
