// Table of a game's commands by number: name, handler, rate limit. A game makes it once; game/commands.hpp fills it
// from the game's own .fbs. CommandDispatch verifies, limits and counts commands before a handler is called.
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
  /// Content of a command's bytes. `body` points into them.
  struct Opened {
    std::uint8_t number = 0;
    const void* body = nullptr;
  };
  /// Verifies untrusted bytes, which are aligned to 16. Returns nothing if they are malformed.
  using Opener = std::optional<Opened> (*)(core::ByteView bytes);
  /// Runs a command. `body` is the opener's result.
  using Handler = std::function<core::Status(World&, const Player&, const void* body, const CommandContext&)>;

  struct Command {
    std::string name;
    Handler handler;                 // a check if the command is predicted, which may be empty
    bool predicted = false;          // the step of Game::rules() runs it
    std::optional<RateLimit> limit;  // per player; default: two per tick

    [[nodiscard]] bool exists() const { return predicted || handler; }
  };

  /// Makes the table of a game without commands.
  CommandTable() = default;
  explicit CommandTable(Opener opens) : opener_(opens) {}

  /// Adds a command. Checks that its number is free.
  void add(std::uint8_t number, std::string_view name, Handler handler, std::optional<RateLimit> limit = {}) {
    place(number, name) = {std::string(name), std::move(handler), false, limit};
  }
  /// Adds a command that the step of Game::rules() runs, unless `check` refuses it. Checks that its number is free.
  void add_predicted(std::uint8_t number, std::string_view name, Handler check = {},
                     std::optional<RateLimit> limit = {}) {
    place(number, name) = {std::string(name), std::move(check), true, limit};
  }

  [[nodiscard]] Opener opener() const { return opener_; }
  [[nodiscard]] const std::vector<Command>& commands() const { return commands_; }  // by number

 private:
  Command& place(std::uint8_t number, std::string_view name) {
    if (commands_.size() <= number) commands_.resize(number + std::size_t{1});
    MOBULA_CHECK(!commands_[number].exists(), "command has two handlers: " + std::string(name));
    return commands_[number];
  }

  Opener opener_ = nullptr;
  std::vector<Command> commands_;
};

}  // namespace mobula::server
