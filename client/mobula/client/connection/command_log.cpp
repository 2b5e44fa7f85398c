#include <algorithm>
#include <mobula/client/connection/command_log.hpp>
#include <mobula/core/format.hpp>
#include <utility>

namespace mobula::client {

core::Result<std::uint32_t> CommandLog::add(core::ByteView bytes, ecs::Tick tick, double view, std::uint32_t arrivals) {
  if (bytes.size() > wire::command_bytes_max)
    return core::Error{"large command",
                       core::format("a command of {} bytes; the limit is {}", bytes.size(), wire::command_bytes_max)};
  if (size() == wire::commands_held_max)
    return core::Error{"too many commands",
                       core::format("{} commands wait for the server already, which is the limit", size())};
  if (entries_.empty()) entries_.resize(keeps_ ? kept_max : wire::commands_held_max);
  if (end_ - oldest_ == entries_.size()) ++oldest_;
  last_tick_ = std::max(last_tick_, tick);
  const double oldest = last_tick_ > wire::view_lag_ticks_max ? last_tick_ - wire::view_lag_ticks_max : 0;
  const auto view_256 = static_cast<std::uint64_t>(std::clamp<double>(view, oldest, last_tick_) * 256);
  Entry& added = entry(end_);
  added.number = end_;
  added.tick = last_tick_;
  added.view_tick = static_cast<ecs::Tick>(view_256 / 256);
  added.view_fraction = static_cast<std::uint8_t>(view_256);
  added.bytes.assign(bytes.begin(), bytes.end());
  added.arrivals = arrivals;
  return end_++;
}

// Feedback lists what did not run in its own tick, of all commands whose outcome this log may not know.
void CommandLog::on_feedback(const wire::CommandFeedback& feedback) {
  if (feedback.done < next_ - 1 || feedback.done >= end_) return;
  for (std::uint32_t number = next_; number <= feedback.done; ++number) entry(number).ran_in = entry(number).tick;
  std::size_t outcome = 0;
  for (std::uint32_t age = 0; age < wire::commands_held_max; ++age) {
    if ((feedback.unusual >> age & 1) == 0) continue;
    const std::uint8_t late = feedback.late[outcome++];
    if (feedback.done < next_ + age) break;
    Entry& done = entry(feedback.done - age);
    done.ran_in = late == wire::command_not_run ? 0 : done.tick + late;
  }
  next_ = feedback.done + 1;
  tail_ = std::clamp(next_ + feedback.held, std::max(tail_, next_), end_);
  if (!keeps_) oldest_ = next_;
}

void CommandLog::move_to(std::int64_t ahead, ecs::Tick present, std::uint32_t arrivals) {
  const ecs::Tick least = present - std::min(present, late_ticks_after_move);
  const auto moved = [ahead, least](ecs::Tick tick) {
    return static_cast<ecs::Tick>(std::clamp<std::int64_t>(tick + ahead, least, ecs::ticks_max));
  };
  for (std::uint32_t number = next_; number != end_; ++number) {
    Entry& each = entry(number);
    const std::int64_t lag = std::int64_t{each.tick} * 256 - (std::int64_t{each.view_tick} * 256 + each.view_fraction);
    each.tick = moved(each.tick);
    const std::int64_t view = std::max<std::int64_t>(std::int64_t{each.tick} * 256 - lag, 0);
    each.view_tick = static_cast<ecs::Tick>(view / 256);
    each.view_fraction = static_cast<std::uint8_t>(view);
    each.arrivals = arrivals;
  }
  last_tick_ = moved(last_tick_);
  oldest_ = tail_ = next_;
}

void CommandLog::fill(wire::InputDatagram& input, const Arrivals& arrivals) const {
  input.first_command = tail_ == end_ ? 0 : tail_;
  input.arrivals = 0;
  input.commands.clear();
  std::uint32_t known = 0;  // arrivals since the oldest command of which they are known
  for (std::uint32_t number = tail_; number != end_ && input.commands.size() < wire::input_commands_max; ++number) {
    const Entry& from = entry(number);
    const std::uint32_t since = arrivals.since(from.arrivals);
    const bool is_known = since <= wire::input_arrivals_max;
    known = std::max(known, is_known ? since : 0);
    input.commands.push_back({from.tick, from.view_tick, from.view_fraction, from.bytes, nullptr,
                              is_known ? static_cast<std::uint8_t>(known - since) : wire::arrivals_unknown});
  }
  arrivals.fill(input, known);
}

void CommandLog::forget_before(std::uint32_t number) {
  if (!std::exchange(keeps_, true)) keep_more();
  oldest_ = std::clamp(number, oldest_, next_);
}

// Makes room for commands that are carried out, besides those that are not.
void CommandLog::keep_more() {
  if (entries_.empty()) return;
  std::vector<Entry> more(kept_max);
  for (std::uint32_t number = oldest_; number != end_; ++number) more[number % kept_max] = std::move(entry(number));
  entries_ = std::move(more);
}

CommandLog::Outcome CommandLog::ran_in(std::uint32_t number) const {
  const Entry* const known = find(number);
  if (known == nullptr || number >= next_) return {};
  return known->ran_in != 0 ? Outcome{Outcome::Kind::ran, known->ran_in} : Outcome{Outcome::Kind::not_run, 0};
}

const CommandLog::Entry* CommandLog::find(std::uint32_t number) const {
  return number >= oldest_ && number < end_ ? &entry(number) : nullptr;
}

}  // namespace mobula::client
