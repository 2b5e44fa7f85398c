#include <algorithm>
#include <mobula/core/did_you_mean.hpp>
#include <mobula/core/format.hpp>
#include <vector>

namespace mobula::core {
namespace {

constexpr std::size_t typed_bytes_max = 255;  // bounds the quadratic cost

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Returns the Levenshtein distance, ignoring case.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = i;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view typed, std::span<const std::string_view> known) {
  if (typed.size() > typed_bytes_max) return {};
  std::string_view nearest;
  std::size_t least = typed.size() / 3 + 1;  // a larger distance is not a typing mistake
  for (const std::string_view name : known) {
    if (name.size() > typed.size() + least || typed.size() > name.size() + least) continue;
    const std::size_t steps = distance(typed, name);
    if (steps < least) {
      least = steps;
      nearest = name;
    }
  }
  return nearest.empty() ? std::string() : core::format(" (did you mean '{}'?)", nearest);
}

}  // namespace mobula::core
