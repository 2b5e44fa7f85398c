// Arbitrary feedback of a server to a client that predicts: outcomes of commands, twice, never, of commands that it has
// not given. The history of commands always agrees with what is known, once it is computed again. Input: steps.
//   0 u8                         a command for a tick that much later than the last
//   1 done, held, margin, u8 … with `unusual` of eight bits     feedback
//   2 u8                         a tick that much later is complete
#include <fuzz/fuzz.hpp>
#include <mobula/client/prediction/command_timeline.hpp>
#include <set>

namespace fuzz_outcomes {

using namespace mobula;

namespace {

using client::CommandLog;
using client::CommandTimeline;
using Kind = CommandLog::Outcome::Kind;

constexpr std::size_t steps_max = 2000;

class History {
 public:
  History() { log_.forget_before(1); }

  void step(fuzz::Input& input) {
    switch (input.byte() % 3) {
      case 0: give(input.byte() % 4); break;
      case 1: feed(input); break;
      default: complete(complete_ + input.byte() % 8);
    }
    check_log();
  }

 private:
  void give(std::uint32_t later) {
    last_ = std::max(last_, complete_) + later;
    const std::byte any{7};
    if (log_.add({&any, 1}, last_, 0)) ++given_;
  }
  void feed(fuzz::Input& input) {
    wire::CommandFeedback feedback{
        .done = input.byte(), .held = input.byte(), .margin = static_cast<std::int8_t>(input.byte())};
    feedback.done += given_ - std::min(given_, 128u);
    feedback.unusual = input.byte() | std::uint64_t{input.byte()} << 40;
    for (std::size_t i = 0; i < feedback.outcomes(); ++i)
      feedback.late[i] = input.byte() % (wire::command_ticks_late_max + 1);
    log_.on_feedback(feedback);
  }
  // As a prediction does: takes in, settles, and computes the ticks again from the first wrong one on.
  void complete(ecs::Tick tick) {
    const ecs::Tick newest = tick + 16;
    timeline_.add_from(log_, complete_);
    timeline_.settle(log_, tick);
    const ecs::Tick wrong = timeline_.first_wrong(newest);
    const ecs::Tick from = wrong == CommandTimeline::never ? newest : std::max(wrong, 1u) - 1;
    timeline_.rewind(from);
    std::set<std::uint32_t> ran;
    for (ecs::Tick each = from + 1; each <= newest; ++each) {
      timeline_.run(each, due_);
      for (const std::uint32_t number : due_) fuzz::require(ran.insert(number).second, "a command runs once");
    }
    fuzz::require(timeline_.first_wrong(newest) == CommandTimeline::never,
                  "a history that was computed again is right");
    timeline_.drop(tick);
    log_.forget_before(timeline_.oldest());
    complete_ = tick;
    fuzz::require(timeline_.size() <= CommandTimeline::commands_max, "a bounded timeline");
  }
  void check_log() const {
    fuzz::require(log_.next() <= given_ + 1, "no command is done that was not given");
    fuzz::require(log_.size() <= wire::commands_held_max, "a bounded log");
    for (std::uint32_t number = log_.next() - std::min(log_.next() - 1, 300u); number <= given_; ++number) {
      const CommandLog::Outcome outcome = log_.ran_in(number);
      const CommandLog::Entry* const entry = log_.find(number);
      if (number >= log_.next()) fuzz::require(outcome.kind == Kind::unknown, "what is not done has no outcome");
      if (entry == nullptr || outcome.kind != Kind::ran) continue;
      fuzz::require(outcome.tick >= entry->tick, "no command runs before its tick");
    }
  }

  CommandLog log_;
  CommandTimeline timeline_;
  std::vector<std::uint32_t> due_;
  std::uint32_t given_ = 0;
  ecs::Tick last_ = 1;
  ecs::Tick complete_ = 1;
};

int run_target(const std::uint8_t* data, std::size_t size) {
  History history;
  fuzz::Input input(fuzz::view(data, size));
  for (std::size_t steps = 0; steps < steps_max && !input.empty(); ++steps) history.step(input);
  return 0;
}

const mobula::fuzz::Target target("outcomes", run_target);

}  // namespace
}  // namespace fuzz_outcomes
