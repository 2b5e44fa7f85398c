// The commands that a game knows, each by its number: what it is called, who carries it out, how often a player may
// give it. A game makes the table once; server/mobula/server/game/commands.hpp fills it from the game's own .fbs. The
// server verifies, limits and counts before a handler sees anything (CommandDispatch).
#pragma once

#include <cstdint>
#include <functional>
#include <mobula/core/assert.hpp>
#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <mobula/server/game/command_buffer.hpp>
#include <mobula/transport/rate_limiter.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mobula::server {

class World;
struct Player;
using RateLimit = transport::RateLimit;

class CommandTable {
 public:
  // What is in a command's bytes. The body lies in them.
  struct Opened {
    std::uint8_t number = 0;
    const void* body = nullptr;
  };
  // Verifies bytes, which are hostile and lie at a multiple of 16. Nothing: they are malformed.
  using Opener = std::optional<Opened> (*)(core::ByteView bytes);
  // The body is what the opener made of the bytes.
  using Handler = std::function<core::Status(World&, const Player&, const void* body, const CommandContext&)>;

  struct Command {
    std::string name;
    Handler handler;                 // none: there is no command of that number
    std::optional<RateLimit> limit;  // of one player; nothing: two for each tick
  };

  // A game that knows no commands.
  CommandTable() = default;
  explicit CommandTable(Opener opens) : opener_(opens) {}

  void add(std::uint8_t number, std::string_view name, Handler handler, std::optional<RateLimit> limit = {}) {
    if (commands_.size() <= number) commands_.resize(number + std::size_t{1});
    MOBULA_ASSERT(!commands_[number].handler, "two handlers of the command " + std::string(name));
    commands_[number] = {std::string(name), std::move(handler), limit};
  }

  [[nodiscard]] Opener opener() const { return opener_; }
  [[nodiscard]] const std::vector<Command>& commands() const { return commands_; }  // by number

 private:
  Opener opener_ = nullptr;
  std::vector<Command> commands_;
};

}  // namespace mobula::server
