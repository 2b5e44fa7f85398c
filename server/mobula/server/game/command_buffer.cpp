#include <algorithm>
#include <limits>
#include <mobula/core/format.hpp>
#include <mobula/server/game/command_buffer.hpp>

namespace mobula::server {
namespace {

std::int8_t clamp_margin(std::int64_t ticks) {
  using Limits = std::numeric_limits<std::int8_t>;
  return static_cast<std::int8_t>(std::clamp<std::int64_t>(ticks, Limits::min(), Limits::max()));
}

}  // namespace

core::Status CommandBuffer::on_input(const wire::InputDatagram& input, ecs::Tick next_tick) {
  for (std::size_t i = 0; i < input.commands.size(); ++i) {
    const std::uint32_t number = input.first_command + static_cast<std::uint32_t>(i);
    if (const core::Status stored = store(number, input.commands[i], next_tick); !stored) return stored;
  }
  return core::Done{};
}

core::Status CommandBuffer::store(std::uint32_t number, const wire::InputCommand& command, ecs::Tick next_tick) {
  if (slots_.empty()) slots_.resize(wire::commands_held_max);
  if (number < next_) {
    ++stats_.repeated;
    return core::Done{};
  }
  if (number - next_ >= wire::commands_held_max)
    return core::Error{"too many commands",
                       core::format("number {} while number {} still waits; the maximum is {} at a time", number, next_,
                                    wire::commands_held_max)};
  Slot& place = slot(number);
  if (place.state != State::empty) {
    ++stats_.repeated;
    return core::Done{};
  }
  const std::int64_t margin = std::int64_t{command.tick} - next_tick;
  if (margin > ahead_max)
    return core::Error{"early command",
                       core::format("for tick {} while the next tick is {}; the maximum is {} ticks ahead",
                                    command.tick, next_tick, ahead_max)};
  place.state = margin < -std::int64_t{late_max} && command.fault == nullptr ? State::dropped : State::held;
  place.fault = command.fault;
  place.context = {number, command.tick, command.view_tick, command.view_fraction};
  if (place.state == State::held) place.bytes.assign(command.bytes.begin(), command.bytes.end());
  end_ = std::max(end_, number + 1);
  new_margin_ = std::min(new_margin_.value_or(std::numeric_limits<std::int8_t>::max()), clamp_margin(margin));
  return core::Done{};
}

std::uint32_t CommandBuffer::first_held() const {
  std::uint32_t number = next_;
  while (number != end_ && slot(number).state == State::empty) ++number;
  return number;
}

std::span<const CommandBuffer::Due> CommandBuffer::due(ecs::Tick tick) {
  margin_ = new_margin_.value_or(margin_);
  new_margin_.reset();
  due_.clear();
  while (due_.size() < per_tick_max) {
    const std::uint32_t number = first_held();
    if (number == end_ || slot(number).context.tick > tick) break;
    Slot& place = slot(number);
    stats_.given_up += number - next_;
    next_ = number + 1;
    if (place.state == State::held) {
      due_.push_back({place.context, place.bytes, place.fault});
      ++stats_.handed_out;
      if (place.context.tick < tick) ++stats_.late;
    } else {
      ++stats_.dropped;
    }
    place.state = State::empty;
  }
  return due_;
}

wire::CommandFeedback CommandBuffer::feedback() const {
  std::uint32_t number = next_;
  while (number != end_ && slot(number).state != State::empty) ++number;
  return {next_ - 1, static_cast<std::uint8_t>(number - next_), margin_};
}

}  // namespace mobula::server
