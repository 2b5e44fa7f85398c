#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/server/admin/url.hpp>

namespace mobula::server::admin {
namespace {

constexpr std::size_t parameters_max = 16;
constexpr std::string_view http_scheme = "http://";

char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Returns the part before the next separator, and removes both from `rest`.
std::string_view cut(std::string_view& rest, char separator) {
  const std::size_t at = std::min(rest.find(separator), rest.size());
  const std::string_view part = rest.substr(0, at);
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return part;
}

bool is_parameter(std::string_view part) { return part.size() > 2 && part.front() == '{' && part.back() == '}'; }

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (text.size() - i < 3 || hex_digit(text[i + 1]) < 0 || hex_digit(text[i + 2]) < 0) return std::nullopt;
    decoded += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
    i += 2;
  }
  return decoded;
}

Target split_target(std::string_view target) {
  Target parts;
  const bool absolute = std::ranges::equal(target.substr(0, http_scheme.size()), http_scheme, {}, lowered);
  const std::size_t end = absolute ? std::min(target.find_first_of("/?", http_scheme.size()), target.size()) : 0;
  if (end > http_scheme.size()) {
    parts.authority = target.substr(http_scheme.size(), end - http_scheme.size());
    target.remove_prefix(end);
  }
  parts.path = cut(target, '?');
  parts.query = target;
  if (!parts.authority.empty() && parts.path.empty()) parts.path = "/";
  return parts;
}

bool matches(std::string_view pattern, std::string_view path, Parameters& found) {
  if (std::ranges::count(pattern, '/') != std::ranges::count(path, '/')) return false;
  Parameters parameters;
  while (!pattern.empty()) {
    const std::string_view wanted = cut(pattern, '/');
    const std::string_view part = cut(path, '/');
    if (!is_parameter(wanted)) {
      if (wanted != part) return false;
      continue;
    }
    std::optional<std::string> value = percent_decoded(part);
    if (!value || value->empty()) return false;
    parameters.emplace(wanted.substr(1, wanted.size() - 2), std::move(*value));
  }
  if (!path.empty()) return false;
  found.merge(parameters);
  return true;
}

core::Status parse_query(std::string_view query, Parameters& found) {
  std::size_t count = 0;
  while (!query.empty()) {
    std::string_view value = cut(query, '&');
    if (++count > parameters_max)
      return core::Error{"bad request", core::format("the query has more than {} parameters", parameters_max)};
    const std::optional<std::string> name = percent_decoded(cut(value, '='));
    std::string plain(value);
    std::ranges::replace(plain, '+', ' ');
    std::optional<std::string> decoded = percent_decoded(plain);
    if (!name || !decoded) return core::Error{"bad request", "the query has a % without two hex digits"};
    if (!found.emplace(*name, std::move(*decoded)).second)
      return core::Error{"bad request", core::format("there are two values for '{:.100}'", *name)};
  }
  return core::Done{};
}

}  // namespace mobula::server::admin
