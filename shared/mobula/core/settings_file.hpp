// A program's settings as TOML: a flat file of key = value. The subset is what settings need: numbers in base ten,
// booleans, texts of one line, lists of texts, comments. Everything else of TOML is refused by name, never guessed at:
// what is accepted here means the same to every TOML reader. All mistakes are found, not the first alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mobula/core/setting.hpp>

namespace mobula::core {

inline constexpr std::size_t settings_file_bytes_max = 1u << 20;
inline constexpr std::size_t settings_problems_max = 50;  // there it stops reading

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
// The text of a file. Reasons: "cannot read", "too large".
Result<std::string> read_settings_file(const std::string& path);

}  // namespace mobula::core
