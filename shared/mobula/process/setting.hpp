// One setting of a program, given by a flag, an environment variable or a key of its configuration file. The names of
// all three follow from the key. The target is a variable of the program; its initial value is the default.
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

namespace mobula::process {

/// Value of a setting, parsed from a file, flag or variable.
using SettingValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;

using SettingTarget = std::variant<bool*, std::uint16_t*, std::uint32_t*, std::uint64_t*, std::int64_t*, double*,
                                   std::string*, std::vector<std::string>*, std::optional<std::uint16_t>*>;

/// Optional rules of a setting.
struct SettingRules {
  /// Range of a number. Values that the target's type cannot hold are refused as well.
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  std::string type{};  // name of the value in the help, such as HOST:PORT; the target's type if empty
  std::function<core::Status(const std::string& text)> check{};  // for a text, or each item of a list
  std::vector<std::string> needs{};                              // keys of settings that must be set too
  std::string former_key{};                                      // previous key: still accepted, not shown
  std::string group{};                                           // heading in the help
  bool secret = false;                                           // value is never shown
};

/// One setting: key, target variable, help text and rules.
struct Setting {
  std::string key;  // "tick_rate"
  SettingTarget target;
  std::string help;
  SettingRules rules{};
};

std::string flag_of(std::string_view key);      // --tick-rate
std::string variable_of(std::string_view key);  // MOBULA_TICK_RATE
/// Returns the type in the help: "N", "TEXT ...".
std::string type_of(const Setting& setting);
/// Returns the range in the help: "(1 to 240)". Empty if there is none.
std::string range_of(const Setting& setting);

/// Checks what a program defines: keys of a to z, digits and '_' that begin with a letter; texts of the help without
/// control characters. Errors: "bad setting".
core::Status check_definition(const Setting& setting);

/// Parses the text of a flag or variable. A list is split at commas. Errors: "wrong type", "out of range".
core::Result<SettingValue> read_setting(const Setting& setting, std::string_view text);
/// Checks a value against the target's type and the rules. Errors: "wrong type", "out of range", "not text", and those
/// of the rule's check.
core::Status check_setting(const Setting& setting, const SettingValue& value);
/// Checks the value in the target against the rules, for values that come from code. Accepts a target without a value.
/// Errors: "out of range", "not text", and those of the rule's check.
core::Status check_target(const Setting& setting);
/// Assigns a checked value to the target.
void assign_setting(const Setting& setting, const SettingValue& value);
/// Returns the target's value as TOML. Empty for an optional without a value.
std::string to_toml(const Setting& setting);

/// Returns a check that accepts only these words.
std::function<core::Status(const std::string&)> one_of(std::vector<std::string> words);

}  // namespace mobula::process
