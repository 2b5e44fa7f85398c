// Settings file: a flat TOML file of key = value lines. Supported: decimal numbers, booleans, single-line texts, lists
// of texts, comments. Other TOML features are refused with a message that names them, so an accepted file has the same
// meaning for every TOML parser. All errors are reported, not only the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mobula/process/setting.hpp>

namespace mobula::process {

inline constexpr std::size_t settings_file_bytes_max = 1u << 20;
inline constexpr std::size_t settings_problems_max = 50;  // the parser then stops

/// Parsed settings file: entries and errors.
struct SettingsFile {
  struct Entry {
    std::string key;
    SettingValue value;
    std::uint32_t line = 0;
  };
  struct Problem {
    std::uint32_t line = 0;
    std::string message;
  };

  std::vector<Entry> entries;  // in the file's order, each key once
  std::vector<Problem> problems;
};

SettingsFile parse_settings(std::string_view text);
/// Reads a file. Errors: "cannot read", "too large".
core::Result<std::string> read_settings_file(const std::string& path);

}  // namespace mobula::process
