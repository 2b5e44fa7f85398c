#include <array>
#include <cmath>
#include <mobula/core/format.hpp>

#include "zones/zone_bench.hpp"

namespace mobula::bench {
namespace {

// A cluster whose nodes have a zone each. See the footer of mobula-zone-bench.
constexpr double side = 1000;  // metres of a zone
constexpr double seen_from = 50;
constexpr double entities = 5000;  // in a zone; a fifth of them moves
constexpr double moving = entities / 5;
constexpr double speed = 1.5;  // metres per second
constexpr double players = 500;
constexpr double ticks_per_second = 20;
constexpr double pi = 3.14159265;

struct Scale {
  double nodes = 0;
  double ghosts = 0;             // per zone
  double ghost_percent = 0;      // share of a core
  double crossings = 0;          // per second, in all
  double commits = 0;            // per second, with keep-alives and loads
  double written_mb = 0;         // per second, into etcd
  double sent_mb = 0;            // per second, from etcd to all nodes
  double bystander_percent = 0;  // share of a core of each node, for the crossings of the others
};

// Entities of a uniform crowd with random directions cross a line of length l at a rate of density * speed * l / pi.
double crossings_per_zone() { return (moving + players) / (side * side) * speed * 4 * side / pi; }

Scale scale(double nodes, const ZoneReport& report) {
  const BorderCost& border = report.border;
  const CrossingCost& cost = report.crossings;
  const double around = (side + 2 * seen_from) * (side + 2 * seen_from) / (side * side) - 1;
  const double per_ghost_ns = border.mirror_ns + border.copy_ns + border.publish_ns + border.send_ns;
  Scale all{.nodes = nodes};
  all.ghosts = (entities + players) * around;
  all.ghost_percent = (moving + players) * around * per_ghost_ns * ticks_per_second / 1e9 * 100;
  // Each border has two sides; zones at the edge of the world have fewer.
  const double inner = 1 - 1 / std::sqrt(nodes);
  all.crossings = nodes * inner * crossings_per_zone();
  constexpr double loads = 1;  // per node and second
  all.commits = all.crossings * cost.commits + nodes * loads;
  all.written_mb = all.crossings * cost.written_bytes / 1e6;
  all.sent_mb = all.written_mb * nodes;
  all.bystander_percent = all.crossings * cost.bystander_us / 1e6 * 100;
  return all;
}

}  // namespace

std::string to_table(const ZoneReport& report) {
  const BorderCost& border = report.border;
  const CrossingCost& cost = report.crossings;
  std::string text = core::format(
      "{} ghosts, all of which move:\n"
      "  bytes per tick: {:.0f} to the zone, {:.0f} to a client that sees the same: {:.3f} times\n"
      "  CPU per ghost and tick: decode {:.0f} ns, copy {:.0f} ns, publish {:.0f} ns; its owner {:.0f} ns\n"
      "  {} checks, {} mismatches\n",
      border.ghosts, border.link_bytes, border.client_bytes, border.link_bytes / border.client_bytes, border.mirror_ns,
      border.copy_ns, border.publish_ns, border.send_ns, border.checks, border.mismatches);
  text += core::format(
      "a zone without neighbours, {} clients:\n"
      "  CPU per tick {:.0f} us, without a cluster {:.0f} us: {:.3f} times\n",
      report.alone.clients, report.alone.zone_us, report.alone.world_us, report.alone.zone_us / report.alone.world_us);
  text += core::format(
      "{} crossings, one entity each:\n"
      "  record {:.0f} bytes; {:.1f} transactions and {:.0f} bytes of keys and values written per crossing\n"
      "  CPU: pack {:.0f} us, unpack {:.0f} us; nodes: source {:.0f} us, target {:.0f} us, any other {:.0f} us\n",
      cost.crossings, cost.record_bytes, cost.commits, cost.written_bytes, cost.release_us, cost.receive_us,
      cost.source_us, cost.target_us, cost.bystander_us);
  if (report.etcd) {
    const EtcdCost& etcd = *report.etcd;
    text += core::format(
        "etcd:\n"
        "  a node without worlds takes {:.2f}% of a core\n"
        "  placement {:.2f} ms (p99), a commit of its size {:.2f} ms\n"
        "  {:.0f} transactions per second, 64 at a time, each in {:.1f} ms (p99 {:.1f}); {} failed\n",
        etcd.node_percent, etcd.placement_ms_p99, etcd.single_commit_ms_p99, etcd.commits_per_second,
        etcd.commit_ms_p50, etcd.commit_ms_p99, etcd.failed);
  }
  text += "nodes  ghosts/zone  ghosts' CPU  crossings/s  etcd commits/s  written MB/s  sent MB/s  CPU for others'\n";
  for (const double nodes : {10.0, 100.0, 1000.0}) {
    const Scale all = scale(nodes, report);
    text += core::format("{:>5.0f}  {:>11.0f}  {:>10.1f}%  {:>11.0f}  {:>14.0f}  {:>12.2f}  {:>9.1f}  {:>14.1f}%\n",
                         nodes, all.ghosts, all.ghost_percent, all.crossings, all.commits, all.written_mb, all.sent_mb,
                         all.bystander_percent);
  }
  return text;
}

namespace {

std::string to_json(const std::optional<EtcdCost>& etcd) {
  if (!etcd) return "null";
  return core::format(
      R"({{"node_percent":{:.3f},"placement_ms_p99":{:.2f},"single_commit_ms_p99":{:.2f},"commits_per_second":{:.0f},)"
      R"("commit_ms_p50":{:.2f},"commit_ms_p99":{:.2f},"failed":{}}})",
      etcd->node_percent, etcd->placement_ms_p99, etcd->single_commit_ms_p99, etcd->commits_per_second,
      etcd->commit_ms_p50, etcd->commit_ms_p99, etcd->failed);
}

}  // namespace

std::string to_json(const ZoneReport& report) {
  const BorderCost& border = report.border;
  const CrossingCost& cost = report.crossings;
  return core::format(
      R"({{"ghosts":{},"traffic":{:.3f},"mirror_ns":{:.0f},"copy_ns":{:.0f},"publish_ns":{:.0f},"send_ns":{:.0f},)"
      R"("checks":{},"mismatches":{},"alone":{:.4f},"crossings":{},"record_bytes":{:.0f},"commits":{:.2f},"written_bytes":{:.0f},)"
      R"("release_us":{:.1f},"receive_us":{:.1f},"source_us":{:.1f},"target_us":{:.1f},"bystander_us":{:.1f},"etcd":{}}})",
      border.ghosts, border.link_bytes / border.client_bytes, border.mirror_ns, border.copy_ns, border.publish_ns,
      border.send_ns, border.checks, border.mismatches, report.alone.zone_us / report.alone.world_us, cost.crossings,
      cost.record_bytes, cost.commits, cost.written_bytes, cost.release_us, cost.receive_us, cost.source_us,
      cost.target_us, cost.bystander_us, to_json(report.etcd));
}

}  // namespace mobula::bench
