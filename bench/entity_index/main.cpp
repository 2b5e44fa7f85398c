// mobula-entity-index-table: Stingray's synthetic test of its entity index, with its two indices and with Mobula's.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <mobula/process/command_line.hpp>

#include "entity_index/chain_index.hpp"
#include "entity_index/legacy_index.hpp"
#include "entity_index/mobula_index.hpp"
#include "entity_index/table.hpp"
#include "entity_index/verify.hpp"

namespace {

using namespace mobula::bench;

constexpr int failed = 1;
constexpr std::uint32_t total_min = 10'000;
constexpr std::uint32_t total_max = 10'240'000;

// 10,000, 20,000, 40,000 …
std::vector<std::uint32_t> totals_up_to(std::uint32_t limit) {
  std::vector<std::uint32_t> totals;
  for (std::uint32_t total = total_min; total <= limit; total *= 2) totals.push_back(total);
  return totals;
}

template <template <class...> class Use, class... Argument>
auto with_all(Argument&&... argument) {
  return Use<LegacyIndex, ChainIndex<ChainLookup::as_written>, ChainIndex<ChainLookup::by_name>, MobulaIndex,
             ReadyMobulaIndex>::use(std::forward<Argument>(argument)...);
}

template <class... Index>
struct Verify {
  static Verified use(const WorkloadConfig& config, std::span<const std::uint32_t> totals) {
    return verify<Index...>(config, totals, implementation_names);
  }
};

template <class... Index>
struct Time {
  static std::array<Run, sizeof...(Index)> use(const WorkloadConfig& config, std::uint32_t total) {
    return {timed_run<Index>(config, total)...};
  }
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// Takes medians of several runs, in which the implementations take turns. Short runs are repeated more often. Throws if
// answers differ.
TableRow measure(const WorkloadConfig& config, std::uint32_t total, std::span<const std::ptrdiff_t> bytes_max) {
  std::array<std::vector<double>, implementation_count> seconds;
  const std::uint32_t rounds = std::clamp(2'560'000 / total | 1, 3u, 51u);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const auto runs = with_all<Time>(config, total);
    for (std::size_t i = 0; i < implementation_count; ++i) {
      if (runs[i].sum != runs[0].sum)
        throw std::runtime_error(std::string(implementation_names[i]) + ": different answers in the timed run");
      seconds[i].push_back(runs[i].seconds);
    }
  }
  TableRow row{total, {}};
  for (std::size_t i = 0; i < implementation_count; ++i)
    row.of[i] = {median(seconds[i]), static_cast<double>(bytes_max[i]) / (1 << 20)};
  return row;
}

int print_table(std::uint32_t limit, bool json) {
  const WorkloadConfig config;
  const std::vector<std::uint32_t> totals = totals_up_to(limit);
  const Verified verified = with_all<Verify>(config, totals);
  if (!verified.mistake.empty()) throw std::runtime_error(verified.mistake);
  if (!json) {
    std::cout << config.compositions << " compositions of 1 to " << config.components_max << " components of "
              << config.names << " names, at most " << config.live_max << " live, seed " << config.seed
              << "; medians; us: per entity; MiB: at most.\n"
              << "text: what Stingray's \"Rebuilding the Entity Index\" (2017) gives, on another machine.\n"
              << verified.answers << " answers of each implementation are correct.\n\n";
    print_head(std::cout);
  }
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    rows.push_back(measure(config, totals[i], verified.bytes_max[i]));
    if (!json) print_row(std::cout, rows.back());
  }
  if (json) {
    print_json(std::cout, rows);
  } else {
    std::cout << '\n';
    print_ratios(std::cout, rows);
  }
  return 0;
}

int fail(int status, const std::string& message) {
  std::cerr << "mobula-entity-index-table: " << message << '\n';
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint32_t limit = total_max;
  bool json = false;
  CLI::App app("Registers, looks up and destroys entities' components by name, in Mobula's index and in others.",
               "mobula-entity-index-table");
  app.add_option("--max", limit, "the largest total of entities")
      ->check(CLI::Range(total_min, total_max))
      ->capture_default_str();
  app.add_flag("--json", json, "print JSON instead of a table");
  if (const auto status = mobula::process::parse_command_line(app, argc, argv)) return *status;
  try {
    return print_table(limit, json);
  } catch (const std::exception& error) {
    return fail(failed, error.what());
  }
}
