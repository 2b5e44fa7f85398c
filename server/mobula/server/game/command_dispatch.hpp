// Runs commands through the handlers of a game's table. Malformed bytes, unknown numbers and commands over their rate
// limit never reach a handler. Limits are measured in world time, so that a replay refuses the same inputs. Owned by
// the server; one thread.
#pragma once

#include <array>
#include <mobula/server/game/command_table.hpp>
#include <mobula/server/game/predicted_step.hpp>
#include <mobula/wire/input.hpp>
#include <span>

namespace mobula::server {

struct CommandInfo {
  std::string name;
  RateLimit limit;
  std::uint64_t done = 0;     // or queued for the step
  std::uint64_t refused = 0;  // by the rate limit or the handler
};

class CommandDispatch {
 public:
  /// Rate limiters of one player, by command.
  using RateLimiters = std::vector<transport::RateLimiter>;

  /// `step` receives predicted commands. Checks that it has rules if the table has such commands.
  CommandDispatch(const CommandTable& table, std::uint32_t ticks_per_second, PredictedStep& step);

  /// Runs one command, or queues it for the step. Errors: "unknown command", "malformed command", "too many commands",
  /// "no entity" (of the player of a predicted command), and those of its handler or check.
  core::Status run(World& world, const Player& player, RateLimiters& limiters, core::ByteView bytes,
                   const CommandContext& context);

  /// Returns the commands of the table in the order of their numbers.
  [[nodiscard]] std::span<const CommandInfo> commands() const { return infos_; }

 private:
  static constexpr std::uint32_t none = ~0u;

  struct Known {
    CommandTable::Handler handler;  // a check if the command is predicted, which may be empty
    bool predicted = false;
    transport::Pace pace;
  };

  [[nodiscard]] core::Status handle(std::uint32_t which, World& world, const Player& player, RateLimiters& limiters,
                                    core::ByteView bytes, const void* body, const CommandContext& context);

  PredictedStep& step_;
  CommandTable::Opener opener_;
  std::uint32_t ticks_per_second_;
  std::vector<std::uint32_t> by_number_;  // command number -> position in the two below; `none` if unknown
  std::vector<Known> known_;
  std::vector<CommandInfo> infos_;
  alignas(16) std::array<std::byte, wire::command_bytes_max> aligned_{};
};

}  // namespace mobula::server
