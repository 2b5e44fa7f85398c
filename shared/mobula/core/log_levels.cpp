#include <algorithm>
#include <array>
#include <mobula/core/did_you_mean.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/log_levels.hpp>
#include <mobula/core/text.hpp>

namespace mobula::core {
namespace {

constexpr std::array<std::string_view, 6> names{"trace", "debug", "info", "warn", "error", "off"};
constexpr std::size_t modules_max = 32;
constexpr std::size_t module_bytes_max = 32;

bool is_module(std::string_view text) {
  return !text.empty() && text.size() <= module_bytes_max && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// Sorted. Empty if the program has named none; then each name is accepted.
std::vector<std::string>& known_modules() {
  static std::vector<std::string> modules;
  return modules;
}

Status check_module(std::string_view module) {
  if (!is_module(module))
    return Error{"bad module", core::format("'{}' is not a module name: expected lower-case letters, digits and '_'",
                                            shown(module, 40))};
  const std::vector<std::string>& known = known_modules();
  if (known.empty() || std::ranges::find(known, module) != known.end()) return Done{};
  std::string all;
  for (const std::string& each : known) all += core::format("{}{}", all.empty() ? "" : ", ", each);
  return Error{"unknown module",
               core::format("no lines have the module '{}'{}: expected one of {}", module,
                            did_you_mean(module, std::vector<std::string_view>(known.begin(), known.end())), all)};
}

}  // namespace

void add_log_modules(std::initializer_list<std::string_view> modules) {
  std::vector<std::string>& known = known_modules();
  known.insert(known.end(), modules.begin(), modules.end());
  std::ranges::sort(known);
  known.erase(std::ranges::unique(known).begin(), known.end());
}

std::string_view to_string(LogLevel level) { return names[static_cast<std::size_t>(level)]; }

std::optional<LogLevel> parse_log_level(std::string_view text) {
  const auto* const found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) return std::nullopt;
  return static_cast<LogLevel>(found - names.begin());
}

LogLevel LogLevels::of(std::string_view module) const {
  const auto found = std::ranges::find(modules, module, &std::pair<std::string, LogLevel>::first);
  return found == modules.end() ? all : found->second;
}

LogLevel LogLevels::lowest() const {
  LogLevel lowest = all;
  for (const auto& [module, level] : modules) lowest = std::min(lowest, level);
  return lowest;
}

LogLevel LogLevels::highest() const {
  LogLevel highest = all;
  for (const auto& [module, level] : modules) highest = std::max(highest, level);
  return highest;
}

Result<LogLevels> LogLevels::parse(std::string_view text) {
  LogLevels levels;
  for (bool first = true; first || !text.empty(); first = false) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const std::size_t equals = part.find('=');
    const std::string_view name = equals == std::string_view::npos ? part : part.substr(equals + 1);
    const std::optional<LogLevel> level = parse_log_level(name);
    if (!level)
      return Error{"unknown level",
                   core::format("'{}' is not a log level{}: expected trace, debug, info, warn, error or off",
                                shown(name, 40), did_you_mean(name, names))};
    const std::string_view module = part.substr(0, equals);
    if (equals == std::string_view::npos) {
      if (!first) return Error{"unknown level", core::format("'{}' needs a module: expected MODULE=LEVEL", name)};
      levels.all = *level;
      continue;
    }
    if (const Status good = check_module(module); !good) return good.error();
    std::erase_if(levels.modules, [&](const auto& known) { return known.first == module; });
    if (levels.modules.size() == modules_max)
      return Error{"too many modules", core::format("at most {} modules", modules_max)};
    levels.modules.emplace_back(module, *level);
  }
  return levels;
}

std::string to_string(const LogLevels& levels) {
  std::string text(to_string(levels.all));
  for (const auto& [module, level] : levels.modules) text += core::format(",{}={}", module, to_string(level));
  return text;
}

}  // namespace mobula::core
