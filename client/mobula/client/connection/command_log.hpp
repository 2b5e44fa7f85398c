// Commands of a client. They are numbered, and sent with every input until the server acknowledges them. They stay
// until they are carried out, so that their effect can be predicted.
//
// A prediction also replays commands that the server has carried out. From its first call of forget_before() on these
// are kept as well, and the tick in which the server ran each of them is known.
//
//   oldest_ ─ carried out, for a prediction ─ next_ ─ acknowledged ─ tail_ ─ sent with every input ─ end_
#pragma once

#include <mobula/client/connection/arrivals.hpp>
#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <mobula/wire/input.hpp>
#include <vector>

namespace mobula::client {

class CommandLog {
 public:
  /// Commands that are kept for a prediction, at most. The oldest is forgotten first.
  static constexpr std::uint32_t kept_max = 256;
  /// Lateness of commands that have waited while the player went to another zone, at most.
  static constexpr ecs::Tick late_ticks_after_move = 8;

  struct Entry {
    std::uint32_t number = 0;
    ecs::Tick tick = 0;              ///< Tick in which the server should carry it out.
    ecs::Tick view_tick = 0;         ///< Tick that the player saw when giving it.
    std::uint8_t view_fraction = 0;  ///< Fraction of view_tick, in 1/256.
    core::Bytes bytes;
    std::uint32_t arrivals = 0;  ///< Arrivals::count when it was given.
    ecs::Tick ran_in = 0;        ///< Once it is carried out: the tick in which it ran; 0 if it had no effect.
  };

  /// Outcome of a command.
  struct Outcome {
    enum class Kind : std::uint8_t {
      unknown,  ///< The server has not reported it, or the command is forgotten.
      ran,
      not_run,  ///< Refused, dropped or given up.
    };
    Kind kind = Kind::unknown;
    ecs::Tick tick = 0;  ///< Tick in which it ran.

    bool operator==(const Outcome&) const = default;
  };

  /// Adds a command and returns its number. `tick` is ServerClock::target_tick, raised to that of the last command;
  /// `view` is ServerClock::view_tick, lowered to `tick`; `arrivals` is the present Arrivals::count. Reasons: "large
  /// command"; "too many commands" if commands_held_max wait already. The command is not added then.
  core::Result<std::uint32_t> add(core::ByteView bytes, ecs::Tick tick, double view, std::uint32_t arrivals = 0);
  /// Notes what the server has carried out, and when. Outdated or impossible feedback is ignored.
  void on_feedback(const wire::CommandFeedback& feedback);
  /// Puts the commands that the server has not acknowledged into an input, the oldest first, and what has arrived since
  /// they were given. Valid until the next add.
  void fill(wire::InputDatagram& input, const Arrivals& arrivals) const;

  /// Sends all commands that are not carried out to another server, which knows their numbers. Its ticks are `ahead` of
  /// the former server's. None is for more than late_ticks_after_move before `present`, the tick of a new command: a
  /// server drops commands that are too late. They are given as if nothing had arrived since the count of `arrivals`.
  void move_to(std::int64_t ahead, ecs::Tick present, std::uint32_t arrivals);
  /// Forgets commands below a number that are carried out. From the first call on all others are kept.
  void forget_before(std::uint32_t number);
  /// Returns the outcome of a command.
  [[nodiscard]] Outcome ran_in(std::uint32_t number) const;
  /// Returns a command that is kept; null if it is forgotten or was never given.
  [[nodiscard]] const Entry* find(std::uint32_t number) const;
  /// Returns the number of the first command that is not carried out, or of the next one to be given.
  [[nodiscard]] std::uint32_t next() const { return next_; }

  /// Returns whether the server has not acknowledged all commands.
  [[nodiscard]] bool has_unacknowledged() const { return tail_ != end_; }
  /// Returns the number of commands that are not carried out; at(0) is the oldest.
  [[nodiscard]] std::size_t size() const { return end_ - next_; }
  /// Returns a command. Requires position < size().
  [[nodiscard]] const Entry& at(std::size_t position) const {
    MOBULA_ASSERT(position < size(), "the position is below size");
    return entry(next_ + static_cast<std::uint32_t>(position));
  }

 private:
  [[nodiscard]] Entry& entry(std::uint32_t number) { return entries_[number % entries_.size()]; }
  [[nodiscard]] const Entry& entry(std::uint32_t number) const { return entries_[number % entries_.size()]; }
  void keep_more();

  std::vector<Entry> entries_;  // command n at n % size; empty before the first command
  std::uint32_t oldest_ = 1;    // the first that is kept
  std::uint32_t next_ = 1;      // the first that is not carried out
  std::uint32_t tail_ = 1;      // the first that the server has not acknowledged
  std::uint32_t end_ = 1;
  ecs::Tick last_tick_ = 0;
  bool keeps_ = false;  // commands that are carried out are kept
};

}  // namespace mobula::client
