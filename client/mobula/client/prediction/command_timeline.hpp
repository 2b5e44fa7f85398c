// The client's commands by the tick in which they run, as far as that is known. A command is taken to run in its own
// tick until the server's feedback shows that it ran later, or not at all.
//
// Each command has two ticks: `runs`, by the newest knowledge, and `ran`, in which the present history has run it.
// Where they differ, the history is wrong from the earlier of the two on.
#pragma once

#include <array>
#include <mobula/client/connection/command_log.hpp>
#include <vector>

namespace mobula::client {

class CommandTimeline {
 public:
  static constexpr std::size_t commands_max = CommandLog::kept_max;
  static constexpr ecs::Tick never = ~0u;  // the server did not run it

  /// Adds the commands that the log has gained. They run after `reconciled`.
  void add_from(const CommandLog& log, ecs::Tick reconciled = 0);
  /// Corrects the ticks of commands, now that tick `complete` is known to have ended with the log's feedback.
  void settle(const CommandLog& log, ecs::Tick complete);
  /// Returns the first tick up to `last` in which the history ran other commands than it should. `never` if there is
  /// none.
  [[nodiscard]] ecs::Tick first_wrong(ecs::Tick last) const;
  /// Fills `numbers` with the commands that run in a tick, ascending, and notes that the history has run them.
  void run(ecs::Tick tick, std::vector<std::uint32_t>& numbers);
  /// Notes that the history ends with `tick`: later ticks are computed again.
  void rewind(ecs::Tick tick);
  /// Removes the commands whose outcome is known and that ran up to `tick`, or never. The history agrees with that.
  void drop(ecs::Tick tick);
  void clear();

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Returns the number of the oldest command that is not dropped, or of the next one.
  [[nodiscard]] std::uint32_t oldest() const { return size_ > 0 ? at(0).number : newest_ + 1; }
  /// Returns the own tick of a command that is not dropped; `never` for others.
  [[nodiscard]] ecs::Tick tick_of(std::uint32_t number) const;

 private:
  struct Entry {
    std::uint32_t number = 0;
    ecs::Tick tick = 0;  // its own
    ecs::Tick runs = 0;
    ecs::Tick ran = never;
  };

  [[nodiscard]] Entry& at(std::size_t place) { return entries_[(first_ + place) % commands_max]; }
  [[nodiscard]] const Entry& at(std::size_t place) const { return entries_[(first_ + place) % commands_max]; }
  void add(const CommandLog::Entry& entry, ecs::Tick reconciled);

  std::array<Entry, commands_max> entries_;  // a ring
  std::size_t first_ = 0;
  std::size_t size_ = 0;
  std::uint32_t newest_ = 0;  // number of the last command added
  std::uint32_t done_ = 0;    // the outcomes of the numbers up to this one are known
};

}  // namespace mobula::client
