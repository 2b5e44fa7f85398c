#include <iostream>
#include <mobula/client/headless.hpp>
#include <mobula/client/pipe_client.hpp>
#include <mobula/core/log.hpp>
#include <mobula/net/event_loop.hpp>

namespace mobula::client {
namespace {

constexpr core::Nanoseconds update_interval = 25 * core::millisecond;

void print_summary(const Connection& connection, const ConnectionStats& before) {
  const ConnectionStats& now = connection.stats();
  if (connection.mirror() == nullptr) {
    std::cout << "connecting\n" << std::flush;
    return;
  }
  std::cout << core::format(
                   "tick {}: {} entities, {} ticks and {:.1f} KB in the last second, {} verified, {} mismatched\n",
                   connection.mirror()->tick(), connection.mirror()->rows().size(), now.ticks - before.ticks,
                   static_cast<double>(now.bytes_received - before.bytes_received) / 1000, now.verified_ticks,
                   now.mismatched_ticks)
            << std::flush;
}

void print_json(const Connection& connection) {
  const ConnectionStats& stats = connection.stats();
  const Mirror* mirror = connection.mirror();
  std::cout
      << core::format(
             R"({{"ticks":{},"entities":{},"verified_ticks":{},"mismatched_ticks":{},"bytes_received":{},"state_hash":"{:016x}"}})",
             stats.ticks, mirror == nullptr ? 0 : mirror->rows().size(), stats.verified_ticks, stats.mismatched_ticks,
             stats.bytes_received, mirror == nullptr ? 0 : mirror->rows().hash())
      << '\n';
}

}  // namespace

int run_headless(const HeadlessOptions& options) {
  net::EventLoop loop;
  const auto give_up = [](const core::Error& error) {
    core::log_error("client", "{}", error.message);
    return 1;
  };
  std::optional<ResourceStore> resources;
  if (!options.resources.empty()) {
    core::Result<ResourceStore> store = ResourceStore::open(options.resources);
    if (!store) return give_up(store.error());
    resources = std::move(*store);
  }
  core::Result<std::unique_ptr<PipeClient>> opened = enter(loop, options.access,
                                                           {.transport = {},
                                                            .name = options.name,
                                                            .schema = options.schema,
                                                            .resources = resources ? &*resources : nullptr});
  if (!opened) return give_up(opened.error());
  PipeClient& client = **opened;
  const std::array all{&client};
  Connection& connection = client.connection();
  loop.on_stop_signal([&] { loop.stop(); });
  const auto done = [&] {
    const ConnectionStats& stats = connection.stats();
    const bool checked = stats.verified_ticks + stats.mismatched_ticks > 0;
    return options.ticks != 0 && stats.ticks >= options.ticks && checked;
  };

  ConnectionStats before;
  core::Nanoseconds next_update = core::monotonic_now();
  core::Nanoseconds next_summary = next_update + core::second;
  while (!loop.stopped() && !done() && !client.over()) {
    run_until(loop, next_update, all);
    client.update();
    next_update = core::monotonic_now() + update_interval;
    if (options.json_only || core::monotonic_now() < next_summary) continue;
    print_summary(connection, before);
    before = connection.stats();
    next_summary += core::second;
  }
  const bool lost = client.over();
  if (lost) core::log_error("client", "closed: {}{}", to_string(connection.reason()), advice(connection.reason().code));
  client.close();
  print_json(connection);
  const ConnectionStats& stats = connection.stats();
  const bool complete = options.ticks == 0 || done();
  return complete && !lost && stats.verified_ticks > 0 && stats.mismatched_ticks == 0 ? 0 : 1;
}

}  // namespace mobula::client
