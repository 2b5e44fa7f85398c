#include <algorithm>
#include <bit>
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
  acknowledged_.add(input);
  if (next_ == 0 && !input.commands.empty()) next_ = end_ = input.first_command;
  for (std::size_t i = 0; i < input.commands.size(); ++i) {
    const std::uint32_t number = input.first_command + static_cast<std::uint32_t>(i);
    const wire::SeenDeltas seen = acknowledged_.completed(input.commands[i].seen, input);
    if (const core::Status stored = store(number, input.commands[i], next_tick, seen); !stored) return stored;
  }
  return core::Done{};
}

core::Status CommandBuffer::store(std::uint32_t number, const wire::InputCommand& command, ecs::Tick next_tick,
                                  const wire::SeenDeltas& seen) {
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
  place.context = {number, command.tick, command.view_tick, command.view_fraction, seen};
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
    stats_.late.missing += number - next_;
    while (next_ != number) finish(false, 0);
    const ecs::Tick late = tick - place.context.tick;
    const bool is_in_time = late <= wire::command_ticks_late_max || place.fault != nullptr;
    const bool runs = place.state == State::held && is_in_time;
    finish(runs, late);
    if (runs) {
      due_.push_back({place.context, place.bytes, place.fault});
      ++stats_.handed_out;
      if (late > 0) ++stats_.late.run;
    } else {
      ++stats_.late.dropped;
    }
    place.state = State::empty;
  }
  return due_;
}

// Notes the outcome of the next command, which is done with this.
void CommandBuffer::finish(bool has_run, ecs::Tick late) {
  const bool is_usual = has_run && late == 0;
  const bool is_counted = has_run && late <= wire::command_ticks_late_max;
  unusual_ = unusual_ << 1 | (is_usual ? 0 : 1);
  late_[next_ % wire::commands_held_max] = is_counted ? static_cast<std::uint8_t>(late) : wire::command_not_run;
  ++next_;
}

void CommandBuffer::on_refused(std::uint32_t number) {
  const std::uint32_t age = next_ - 1 - number;
  MOBULA_CHECK(age < wire::commands_held_max, "only a command that was just due is refused");
  unusual_ |= std::uint64_t{1} << age;
  late_[number % wire::commands_held_max] = wire::command_not_run;
}

wire::CommandFeedback CommandBuffer::feedback() const {
  std::uint32_t number = next_;
  while (number != end_ && slot(number).state != State::empty) ++number;
  wire::CommandFeedback feedback{next() - 1, static_cast<std::uint8_t>(number - next_), margin_, unusual_};
  std::size_t outcomes = 0;
  for (std::uint64_t rest = unusual_; rest != 0; rest &= rest - 1) {
    const auto age = static_cast<std::uint32_t>(std::countr_zero(rest));
    feedback.late[outcomes++] = late_[(feedback.done - age) % wire::commands_held_max];
  }
  return feedback;
}

}  // namespace mobula::server
