// One thing that a program can be told, by a flag, an environment variable or a key of its file; the names of all three
// follow from the key. The target is the program's: it holds the default before and what was told after.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <mobula/core/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mobula::core {

// As a file says it, and as flags and variables are read.
using SettingValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;

using SettingTarget = std::variant<bool*, std::uint16_t*, std::uint32_t*, std::uint64_t*, std::int64_t*, double*,
                                   std::string*, std::vector<std::string>*, std::optional<std::uint16_t>*>;

struct SettingRules {
  // Of numbers; what the target cannot hold is refused in any case.
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  std::string type{};  // what the help calls its value, such as HOST:PORT; empty: by the target
  std::function<Status(const std::string& text)> check{};  // of a text, and of each in a list
  std::vector<std::string> needs{};                        // keys without which it has no meaning
  std::string former_key{};                                // a former name of it: still accepted, shown nowhere
  std::string group{};                                     // of the help
  bool secret = false;                                     // never shown
};

struct Setting {
  std::string key;  // "tick_rate"
  SettingTarget target;
  std::string help;
  SettingRules rules{};
};

std::string flag_of(std::string_view key);      // --tick-rate
std::string variable_of(std::string_view key);  // MOBULA_TICK_RATE
// What the help says: "N", "TEXT ...", and "(1 to 240)" or nothing.
std::string type_of(const Setting& setting);
std::string range_of(const Setting& setting);

// What a flag or a variable says. A list is split at commas. Reason: "wrong type".
Result<SettingValue> read_setting(const Setting& setting, std::string_view text);
// Whether the target can be told this. Reasons: "wrong type", "out of range", "not text", and those of the rule.
Status check_setting(const Setting& setting, const SettingValue& value);
// What has been checked becomes the target's.
void assign_setting(const Setting& setting, const SettingValue& value);
// The target's value as TOML; nothing for an optional that holds none.
std::string to_toml(const Setting& setting);

// For rules: one of these words.
std::function<Status(const std::string&)> one_of(std::vector<std::string> words);

}  // namespace mobula::core
