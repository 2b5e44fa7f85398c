#include <algorithm>
#include <chrono>
#include <memory>
#include <mobula/core/assert.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/server/cluster/node_thread.hpp>
#include <mobula/server/cluster/placer.hpp>
#include <thread>
#include <vector>

#include "zones/zone_bench.hpp"

namespace mobula::bench {
namespace {

const std::string prefix = "mobula-zone-bench/";
constexpr std::size_t clients = 64;  // as many nodes, each with one transaction at a time

// A node that commits crossings, one after the other. Its keys are erased at the end.
class Committer {
 public:
  Committer(net::EventLoop& loop, const std::vector<std::string>& members, std::size_t number, std::size_t bytes)
      : etcd_(loop, {.members = members}), prefix_(prefix + std::to_string(number) + "/"), value_(bytes, 'x') {}

  void update(core::Nanoseconds now) {
    while (const std::optional<cluster::Reply> reply = etcd_.poll()) {
      if (reply->request != request_) continue;
      failed += reply->error ? 1 : 0;
      if (!reply->error) times.push_back(now - sent_);
      request_ = 0;
    }
    if (request_ != 0) return;
    sent_ = now;
    request_ = etcd_.commit({{}, {{prefix_ + "crossing", value_, 0}, {prefix_ + "ledger", "{}", 0}}, {}});
  }
  void clean_up() { static_cast<void>(etcd_.commit({{}, {}, {prefix_ + "crossing", prefix_ + "ledger"}})); }

  std::vector<core::Nanoseconds> times;
  std::uint64_t failed = 0;

 private:
  cluster::Etcd etcd_;
  std::string prefix_;
  std::string value_;
  cluster::RequestId request_ = 0;
  core::Nanoseconds sent_ = 0;
};

void run(net::EventLoop& loop, std::vector<std::unique_ptr<Committer>>& all, core::Nanoseconds time) {
  for (const core::Nanoseconds end = core::monotonic_now() + time; core::monotonic_now() < end;) {
    for (const auto& each : all) each->update(core::monotonic_now());
    loop.run_until(core::monotonic_now() + core::millisecond / 4);
  }
}

double ms_at(std::vector<core::Nanoseconds>& times, std::size_t percent) {
  if (times.empty()) return 0;
  std::ranges::sort(times);
  return core::in_ms(times[std::min(times.size() - 1, times.size() * percent / 100)]);
}

void measure_commits(const std::vector<std::string>& members, std::size_t record_bytes, core::Nanoseconds time,
                     EtcdCost& cost) {
  net::EventLoop loop;
  std::vector<std::unique_ptr<Committer>> all;
  for (std::size_t i = 0; i < clients; ++i) all.push_back(std::make_unique<Committer>(loop, members, i, record_bytes));
  run(loop, all, core::second / 2);
  for (const auto& each : all) {
    each->times.clear();
    each->failed = 0;
  }
  run(loop, all, time);
  std::vector<core::Nanoseconds> times;
  for (const auto& each : all) {
    times.insert(times.end(), each->times.begin(), each->times.end());
    cost.failed += each->failed;
    each->clean_up();
  }
  loop.run_until(core::monotonic_now() + core::second / 2);
  cost.commits_per_second = static_cast<double>(times.size()) / core::in_seconds(time);
  cost.commit_ms_p50 = ms_at(times, 50);
  cost.commit_ms_p99 = ms_at(times, 99);
}

// Runs the loop until the condition holds. Ends the program if it does not within 20 s.
template <class Condition>
void await(net::EventLoop& loop, const Condition& condition) {
  const core::Nanoseconds end = core::monotonic_now() + 20 * core::second;
  while (!condition()) {
    MOBULA_CHECK(core::monotonic_now() < end, "etcd answers within 20 s");
    loop.run_until(core::monotonic_now() + core::millisecond / 4);
  }
}

// Creates worlds one by one, each beside a commit of the same size.
void measure_placements(const std::vector<std::string>& members, std::uint32_t count, EtcdCost& cost) {
  cluster::NodeThread node({.cluster = prefix, .name = "n", .offer = {.game = "game", .worlds_max = count}},
                           {.members = members});
  net::EventLoop loop;
  cluster::Etcd etcd(loop, {.members = members});
  cluster::Etcd plain(loop, {.members = members});
  cluster::Placer placer(prefix);
  const auto update = [&] { placer.update(etcd, core::monotonic_now()); };
  await(loop, [&] {
    update();
    node.tick_ran();
    return !placer.directory().nodes().empty();
  });
  std::vector<core::Nanoseconds> placed;
  std::vector<core::Nanoseconds> committed;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string name = "w" + std::to_string(i);
    node.tick_ran();
    core::Nanoseconds begin = core::monotonic_now();
    placer.create(etcd, name, "game");
    await(loop, [&] {
      update();
      return placer.poll_created().has_value();
    });
    placed.push_back(core::monotonic_now() - begin);
    begin = core::monotonic_now();
    static_cast<void>(plain.commit({{}, {{prefix + "plain", std::string(200, 'x'), 0}}, {}}));
    await(loop, [&] { return plain.poll().has_value(); });
    committed.push_back(core::monotonic_now() - begin);
    static_cast<void>(plain.commit({{}, {}, {prefix + "plain", prefix + "worlds/" + name}}));
    await(loop, [&] { return plain.poll().has_value(); });
  }
  cost.placement_ms_p99 = ms_at(placed, 99);
  cost.single_commit_ms_p99 = ms_at(committed, 99);
}

// CPU time of a node that has nothing to do but to hold its lease and to report its load.
void measure_node(const std::vector<std::string>& members, core::Nanoseconds time, EtcdCost& cost) {
  cluster::NodeThread node({.cluster = prefix, .name = "n", .offer = {.game = "game", .worlds_max = 1}},
                           {.members = members});
  const auto idle = [&](core::Nanoseconds span) {
    for (const core::Nanoseconds end = core::monotonic_now() + span; core::monotonic_now() < end;) {
      node.tick_ran();
      node.set_load({.players = static_cast<std::uint32_t>(core::monotonic_now() / core::second)});
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  };
  idle(core::second);
  const core::Nanoseconds before = process_cpu_now();
  idle(time);
  cost.node_percent = 100 * static_cast<double>(process_cpu_now() - before) / static_cast<double>(time);
}

}  // namespace

EtcdCost measure_etcd(const std::vector<std::string>& members, std::size_t record_bytes, core::Nanoseconds time) {
  EtcdCost cost;
  measure_node(members, time, cost);
  measure_placements(members, 200, cost);
  measure_commits(members, record_bytes, time, cost);
  return cost;
}

}  // namespace mobula::bench
