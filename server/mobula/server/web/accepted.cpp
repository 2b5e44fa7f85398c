#include <algorithm>
#include <mobula/core/text.hpp>
#include <mobula/server/web/accepted.hpp>
#include <optional>

namespace mobula::server::web {
namespace {

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, small, small);
}

// Returns the part before the next separator without spaces, and removes both from `rest`.
std::string_view cut(std::string_view& rest, char separator) {
  const std::size_t at = std::min(rest.find(separator), rest.size());
  const std::string_view part = core::trimmed(rest.substr(0, at));
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return part;
}

// Checks for the weight 0, which forbids an encoding: "q=0", "q=0.000".
bool forbids(std::string_view parameter) {
  if (!equal_ignoring_case(parameter.substr(0, 2), "q=")) return false;
  const std::string_view weight = parameter.substr(2);
  return weight.starts_with('0') && weight.find_first_not_of("0.") == std::string_view::npos;
}

}  // namespace

// A name of its own counts more than "*", wherever it stands.
bool accepts_gzip(std::string_view accept_encoding) {
  std::optional<bool> named;
  std::optional<bool> any;
  while (!accept_encoding.empty()) {
    std::string_view coding = cut(accept_encoding, ',');
    const std::string_view name = cut(coding, ';');
    const bool accepted = !forbids(core::trimmed(coding));
    if (equal_ignoring_case(name, "gzip")) named = accepted;
    if (name == "*") any = accepted;
  }
  return named.value_or(any.value_or(false));
}

bool names_tag(std::string_view if_none_match, std::string_view tag) {
  while (!if_none_match.empty()) {
    std::string_view one = cut(if_none_match, ',');
    if (one == "*") return true;
    if (one.starts_with("W/")) one.remove_prefix(2);
    if (one == tag) return true;
  }
  return false;
}

}  // namespace mobula::server::web
