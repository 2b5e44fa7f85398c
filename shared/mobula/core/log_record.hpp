// One log line and its two formats: text for people, JSON for log collectors. Whatever the text contains, the output is
// one line of UTF-8 without control characters.
#pragma once

#include <cstdint>
#include <mobula/core/log_levels.hpp>
#include <string>
#include <string_view>

namespace mobula::core {

/// Optional fields of a line.
struct LogFields {
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  struct Entity {
    std::uint32_t index = 0;
    std::uint32_t generation = 0;  // 0 if there is no entity
  };

  std::string_view world{};  // name; empty if there is none
  std::uint64_t tick = none;
  std::uint64_t session = none;
  Entity entity{};
  std::string_view running{};  // system, command or hook of the game: "movement", "Game::tick"; empty if there is none
};

/// One log line.
struct LogRecord {
  std::uint64_t unix_ms = 0;
  LogLevel level = LogLevel::info;
  std::string_view module{};
  std::string_view text{};
  LogFields fields{};
};

inline constexpr std::size_t log_text_bytes_max = 8192;  // per line; longer texts are truncated

/// Returns "2026-11-22T10:00:00.123Z".
std::string to_iso_time(std::uint64_t unix_ms);
/// Returns {"time":…,"level":…,"module":…,"message":…,"world":…,"tick":…,"session":…,"entity":"12.1",
/// "running":…}, the last five only if set.
std::string to_json(const LogRecord& record);
/// Returns "module    text  world=… tick=… session=… entity=… running=…".
std::string to_text(const LogRecord& record);

}  // namespace mobula::core
