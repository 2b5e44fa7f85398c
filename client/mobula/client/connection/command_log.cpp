#include <algorithm>
#include <mobula/client/connection/command_log.hpp>
#include <mobula/core/format.hpp>

namespace mobula::client {

core::Result<std::uint32_t> CommandLog::add(core::ByteView bytes, ecs::Tick tick, double view) {
  if (bytes.size() > wire::command_bytes_max)
    return core::Error{"large command",
                       core::format("a command of {} bytes; the limit is {}", bytes.size(), wire::command_bytes_max)};
  if (size() == wire::commands_held_max)
    return core::Error{"too many commands",
                       core::format("{} commands wait for the server already, which is the limit", size())};
  if (entries_.empty()) entries_.resize(wire::commands_held_max);
  last_tick_ = std::max(last_tick_, tick);
  const double oldest = last_tick_ > wire::view_lag_ticks_max ? last_tick_ - wire::view_lag_ticks_max : 0;
  const auto view_256 = static_cast<std::uint64_t>(std::clamp<double>(view, oldest, last_tick_) * 256);
  Entry& entry = entries_[end_ % wire::commands_held_max];
  entry.number = end_;
  entry.tick = last_tick_;
  entry.view_tick = static_cast<ecs::Tick>(view_256 / 256);
  entry.view_fraction = static_cast<std::uint8_t>(view_256);
  entry.bytes.assign(bytes.begin(), bytes.end());
  return end_++;
}

void CommandLog::on_feedback(const wire::CommandFeedback& feedback) {
  if (feedback.done < next_ - 1 || feedback.done >= end_) return;
  next_ = feedback.done + 1;
  tail_ = std::clamp(next_ + feedback.held, std::max(tail_, next_), end_);
}

void CommandLog::fill(wire::InputDatagram& input) const {
  input.first_command = tail_ == end_ ? 0 : tail_;
  input.commands.clear();
  for (std::uint32_t number = tail_; number != end_ && input.commands.size() < wire::input_commands_max; ++number) {
    const Entry& from = entry(number);
    input.commands.push_back({from.tick, from.view_tick, from.view_fraction, from.bytes});
  }
}

}  // namespace mobula::client
