// Prints the table for people, beside the text's numbers, and as JSON.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string_view>

namespace mobula::bench {

// The text's legacy index; its prototype chain, with names looked up along the chain and by a map; Mobula, with
// components added one by one and with the ready prototype.
enum Implementation : std::size_t { legacy, chain_as_written, chain, mobula_one_by_one, mobula_ready };
inline constexpr std::size_t implementation_count = 5;
inline constexpr std::array<std::string_view, implementation_count> implementation_names{
    "legacy index", "chain, as written", "chain, by name", "Mobula, one by one", "Mobula, ready"};

struct Measured {
  double seconds = 0;
  double mib = 0;  // peak
};

struct TableRow {
  std::uint32_t total = 0;
  std::array<Measured, implementation_count> of;

  [[nodiscard]] double us(Implementation which) const { return of[which].seconds * 1e6 / total; }
};

void print_head(std::ostream& out);
void print_row(std::ostream& out, const TableRow& row);
// Prints Mobula's speed relative to each chain, of the last row and of all.
void print_ratios(std::ostream& out, std::span<const TableRow> rows);
void print_json(std::ostream& out, std::span<const TableRow> rows);

}  // namespace mobula::bench
