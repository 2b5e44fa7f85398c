#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/server/game/command_dispatch.hpp>
#include <mobula/server/game/game.hpp>
#include <mobula/server/game/world.hpp>

namespace mobula::server {

CommandDispatch::CommandDispatch(const CommandTable& table, std::uint32_t ticks_per_second, PredictedStep& step)
    : step_(step), opener_(table.opener()), ticks_per_second_(ticks_per_second) {
  const RateLimit each_tick{.per_second = 2 * ticks_per_second, .burst = 2 * ticks_per_second};
  for (const CommandTable::Command& command : table.commands()) {
    MOBULA_CHECK(!command.predicted || step.has_rules(),
                 "command " + command.name + " is for the step, but Game::rules() returns none");
    by_number_.push_back(command.exists() ? static_cast<std::uint32_t>(known_.size()) : none);
    if (!command.exists()) continue;
    const RateLimit limit = command.limit.value_or(each_tick);
    known_.push_back({command.handler, command.predicted, transport::Pace(limit)});
    infos_.push_back({command.name, limit});
  }
}

core::Status CommandDispatch::run(World& world, const Player& player, RateLimiters& limiters, core::ByteView bytes,
                                  const CommandContext& context) {
  if (opener_ == nullptr) return core::Error{"unknown command", "this game has no commands"};
  if (bytes.size() > aligned_.size())
    return core::Error{"malformed command", core::format("{} bytes; the maximum is {}", bytes.size(), aligned_.size())};
  std::ranges::copy(bytes, aligned_.begin());
  const std::optional<CommandTable::Opened> opened = opener_({aligned_.data(), bytes.size()});
  if (!opened) return core::Error{"malformed command", core::format("{} bytes that do not verify", bytes.size())};
  const std::uint32_t which = opened->number < by_number_.size() ? by_number_[opened->number] : none;
  if (which == none)
    return core::Error{"unknown command", core::format("number {}: the game has no such command", opened->number)};
  core::Status done = handle(which, world, player, limiters, {aligned_.data(), bytes.size()}, opened->body, context);
  ++(done ? infos_[which].done : infos_[which].refused);
  return done;
}

core::Status CommandDispatch::handle(std::uint32_t which, World& world, const Player& player, RateLimiters& limiters,
                                     core::ByteView bytes, const void* body, const CommandContext& context) {
  if (limiters.empty()) limiters.resize(known_.size());
  const core::Nanoseconds now = core::Nanoseconds{world.tick()} * core::second / ticks_per_second_;
  const CommandInfo& info = infos_[which];
  if (!limiters[which].pass(known_[which].pace, now))
    return core::Error{"too many commands", core::format("{}: the maximum is {} per second, {} at once", info.name,
                                                         info.limit.per_second, info.limit.burst)};
  const Known& known = known_[which];
  if (known.predicted && !player.entity)
    return core::Error{"no entity", "the player has no entity that the step could move"};
  if (known.handler) {
    const core::LogScope about({.running = info.name});
    core::Status done = known.handler(world, player, body, context);
    if (!known.predicted || !done) return done;
  }
  step_.queue(player.id, context.number, bytes);
  return core::Done{};
}

}  // namespace mobula::server
