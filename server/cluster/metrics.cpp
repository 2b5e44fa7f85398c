#include <algorithm>
#include <array>
#include <cluster/metrics.hpp>
#include <mobula/core/format.hpp>

namespace mobula::cluster {
namespace {

using Counts = std::array<std::size_t, 3>;  // by state

Counts worlds_by_state(const Control& control) {
  Counts counts{};
  for (const auto& [name, world] : control.directory().worlds())
    ++counts.at(static_cast<std::size_t>(control.state_of(world.record)));
  return counts;
}

void add_head(std::string& text, std::string_view name, std::string_view type, std::string_view help) {
  text += core::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

struct Figure {
  std::string_view name;
  std::string_view type;
  std::string_view help;
  double value;
};

}  // namespace

std::string metrics_text(const Control& control) {
  const Directory& directory = control.directory();
  const CoordinatorCounters& counters = control.counters();
  const auto draining =
      std::ranges::count_if(directory.nodes(), [](const auto& each) { return each.second.record.draining; });
  const Figure figures[] = {
      {"mobula_cluster_nodes", "gauge", "Nodes, draining ones included.",
       static_cast<double>(directory.nodes().size())},
      {"mobula_cluster_draining_nodes", "gauge", "Nodes that take no more worlds.", static_cast<double>(draining)},
      {"mobula_cluster_placements_total", "counter", "Worlds that this placer gave to a node.",
       static_cast<double>(counters.placements)},
      {"mobula_cluster_commit_conflicts_total", "counter", "Commits that found another state than expected.",
       static_cast<double>(counters.conflicts)},
      {"mobula_cluster_failed_commits_total", "counter", "Commits that etcd refused or did not answer.",
       static_cast<double>(counters.failed_commits)},
      {"mobula_cluster_corrections_total", "counter", "Lists that had what the watch had not.",
       static_cast<double>(directory.corrections())},
      {"mobula_cluster_contact_age_seconds", "gauge", "Time since the last answer of etcd; -1 before the first.",
       counters.contact ? core::in_seconds(control.now() - *counters.contact) : -1},
  };
  std::string text;
  for (const Figure& each : figures) {
    add_head(text, each.name, each.type, each.help);
    text += core::format("{} {}\n", each.name, each.value);
  }
  const Counts counts = worlds_by_state(control);
  add_head(text, "mobula_cluster_worlds", "gauge", "Worlds by state.");
  for (std::size_t i = 0; i < counts.size(); ++i)
    text +=
        core::format("mobula_cluster_worlds{{state=\"{}\"}} {}\n", to_string(static_cast<WorldState>(i)), counts[i]);
  return text;
}

}  // namespace mobula::cluster
