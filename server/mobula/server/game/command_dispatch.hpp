// Carries out commands by a game's table, and nothing else: bytes that do not verify, numbers that the game does not
// know and what a player gives too often never reach a handler. Time is the world's, so that the same inputs are
// refused again when they are played again. Belongs to the server; one thread.
#pragma once

#include <array>
#include <mobula/server/game/command_table.hpp>
#include <mobula/wire/input.hpp>
#include <span>

namespace mobula::server {

struct CommandInfo {
  std::string name;
  RateLimit limit;
  std::uint64_t done = 0;
  std::uint64_t refused = 0;  // by limit or handler
};

class CommandDispatch {
 public:
  // Of one player, by the command's number.
  using Gates = std::vector<transport::RateLimiter>;

  CommandDispatch(const CommandTable& table, std::uint32_t ticks_per_second);

  // Reasons: "unknown command", "malformed command", "too many commands", and those of the command's handler.
  core::Status run(World& world, const Player& player, Gates& gates, core::ByteView bytes,
                   const CommandContext& context);

  // In the order of their numbers.
  [[nodiscard]] std::span<const CommandInfo> commands() const { return infos_; }

 private:
  static constexpr std::uint32_t none = ~0u;

  struct Known {
    CommandTable::Handler handler;
    transport::Pace pace;
  };

  [[nodiscard]] core::Status carry_out(std::uint32_t which, World& world, const Player& player, Gates& gates,
                                       const void* body, const CommandContext& context);

  CommandTable::Opener opener_;
  std::uint32_t ticks_per_second_;
  std::vector<std::uint32_t> by_number_;  // in the two below; none: unknown
  std::vector<Known> known_;
  std::vector<CommandInfo> infos_;
  alignas(16) std::array<std::byte, wire::command_bytes_max> aligned_{};
};

}  // namespace mobula::server
