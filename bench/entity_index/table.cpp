#include "entity_index/table.hpp"

#include <algorithm>
#include <cstdio>
#include <ostream>
#include <string>

namespace mobula::bench {
namespace {

// Last table of the text. Its seconds are omitted, because two of them differ from the text's earlier tables.
struct TextRow {
  std::uint32_t total;
  double legacy_us;
  double legacy_mb;
  double chain_us;
  double chain_mb;
};

constexpr std::array<TextRow, 11> text_rows{{{10'000, 0.977, 5.79, 0.977, 0.26},
                                             {20'000, 0.488, 5.79, 0.488, 0.51},
                                             {40'000, 0.732, 11.88, 0.832, 0.99},
                                             {80'000, 0.732, 11.88, 0.610, 0.99},
                                             {160'000, 0.793, 25.69, 0.671, 0.99},
                                             {320'000, 0.977, 31.04, 0.702, 0.99},
                                             {640'000, 1.648, 55.90, 0.702, 0.99},
                                             {1'280'000, 1.922, 65.82, 0.700, 0.99},
                                             {2'560'000, 2.366, 65.55, 0.700, 0.99},
                                             {5'120'000, 2.500, 120.55, 0.704, 0.99},
                                             {10'240'000, 2.393, 130.55, 0.705, 0.99}}};

template <class... Arguments>
std::string formatted(const char* format, Arguments... arguments) {
  std::array<char, 160> line{};
  std::snprintf(line.data(), line.size(), format, arguments...);
  return line.data();
}

std::string thousands(std::uint32_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

void print_ratio(std::ostream& out, std::span<const TableRow> rows, Implementation slow, Implementation fast) {
  const auto ratio = [&](const TableRow& row) { return row.us(slow) / row.us(fast); };
  const auto [least, most] = std::ranges::minmax(rows, {}, ratio);
  out << formatted("%-18s / %-18s  %.2f at %s (%.2f to %.2f over all totals)\n", implementation_names[slow].data(),
                   implementation_names[fast].data(), ratio(rows.back()), thousands(rows.back().total).c_str(),
                   ratio(least), ratio(most));
}

}  // namespace

void print_head(std::ostream& out) {
  out << "            ";
  for (const std::string_view name : implementation_names) out << formatted("  %-21s", name.data());
  out << formatted("  %-14s  %s\n", "text: legacy", "text: chain") << "  entities  ";
  for (std::size_t i = 0; i < implementation_count; ++i) out << formatted("  %7s %5s %7s", "s", "MiB", "us");
  out << formatted("  %6s %7s  %6s %7s\n", "Mb", "us", "Mb", "us");
}

void print_row(std::ostream& out, const TableRow& row) {
  out << formatted("%10s  ", thousands(row.total).c_str());
  for (const Measured& measured : row.of)
    out << formatted("  %7.4f %5.2f %7.4f", measured.seconds, measured.mib, measured.seconds * 1e6 / row.total);
  if (const auto* const text = std::ranges::find(text_rows, row.total, &TextRow::total); text != text_rows.end())
    out << formatted("  %6.2f %7.3f  %6.2f %7.3f", text->legacy_mb, text->legacy_us, text->chain_mb, text->chain_us);
  out << std::endl;  // flushed, because each row takes a while
}

void print_ratios(std::ostream& out, std::span<const TableRow> rows) {
  print_ratio(out, rows, chain_as_written, mobula_one_by_one);
  print_ratio(out, rows, chain_as_written, mobula_ready);
  print_ratio(out, rows, chain, mobula_one_by_one);
  print_ratio(out, rows, chain, mobula_ready);
}

void print_json(std::ostream& out, std::span<const TableRow> rows) {
  out << "{\"rows\":[";
  for (const TableRow& row : rows) {
    out << (&row == rows.data() ? "" : ",")
        << formatted("{\"total\":%u,\"legacy_us\":%.4f,\"chain_us\":%.4f,\"mobula_us\":%.4f,\"cached_us\":%.4f,",
                     row.total, row.us(legacy), row.us(chain), row.us(mobula_one_by_one), row.us(mobula_ready))
        << formatted("\"legacy_mib\":%.3f,\"chain_mib\":%.3f,\"mobula_mib\":%.3f}", row.of[legacy].mib,
                     row.of[chain].mib, row.of[mobula_one_by_one].mib);
  }
  out << "]}\n";
}

}  // namespace mobula::bench
