#include <algorithm>
#include <mobula/client/prediction/command_timeline.hpp>

namespace mobula::client {

void CommandTimeline::add(const CommandLog::Entry& entry, ecs::Tick reconciled) {
  if (size_ == commands_max) {
    first_ = (first_ + 1) % commands_max;
    --size_;
  }
  Entry& added = at(size_++);
  added.number = newest_ = entry.number;
  added.tick = entry.tick;
  added.runs = std::max(entry.tick, reconciled + 1);
  added.ran = never;
}

void CommandTimeline::add_from(const CommandLog& log, ecs::Tick reconciled) {
  if (log.find(newest_ + 1) == nullptr) newest_ = std::max(newest_, log.next() - 1);  // the log has forgotten them
  while (const CommandLog::Entry* const next = log.find(newest_ + 1)) add(*next, reconciled);
}

void CommandTimeline::settle(const CommandLog& log, ecs::Tick complete) {
  for (std::size_t i = 0; i < size_; ++i) {
    Entry& entry = at(i);
    if (entry.number <= done_) continue;
    if (entry.number >= log.next()) {
      // The log's feedback is of the newest complete tick: what is not done by then runs later.
      if (entry.tick <= complete) entry.runs = std::max(entry.runs, complete + 1);
      continue;
    }
    const CommandLog::Outcome outcome = log.ran_in(entry.number);
    if (outcome.kind == CommandLog::Outcome::Kind::ran) entry.runs = outcome.tick;
    if (outcome.kind == CommandLog::Outcome::Kind::not_run) entry.runs = never;
  }
  done_ = std::max(done_, log.next() - 1);
}

ecs::Tick CommandTimeline::first_wrong(ecs::Tick last) const {
  ecs::Tick first = never;
  for (std::size_t i = 0; i < size_; ++i)
    if (at(i).ran != at(i).runs) first = std::min({first, at(i).ran, at(i).runs});
  return first <= last ? first : never;
}

void CommandTimeline::run(ecs::Tick tick, std::vector<std::uint32_t>& numbers) {
  numbers.clear();
  for (std::size_t i = 0; i < size_; ++i) {
    Entry& entry = at(i);
    if (entry.runs != tick) continue;
    entry.ran = tick;
    numbers.push_back(entry.number);
  }
}

void CommandTimeline::rewind(ecs::Tick tick) {
  for (std::size_t i = 0; i < size_; ++i)
    if (at(i).ran > tick) at(i).ran = never;
}

void CommandTimeline::drop(ecs::Tick tick) {
  while (size_ > 0 && at(0).number <= done_ && (at(0).runs <= tick || at(0).runs == never)) {
    first_ = (first_ + 1) % commands_max;
    --size_;
  }
}

void CommandTimeline::clear() {
  first_ = size_ = 0;
  newest_ = done_ = 0;
}

ecs::Tick CommandTimeline::tick_of(std::uint32_t number) const {
  for (std::size_t i = 0; i < size_; ++i)
    if (at(i).number == number) return at(i).tick;
  return never;
}

}  // namespace mobula::client
