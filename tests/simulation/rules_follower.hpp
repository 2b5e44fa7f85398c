// A client that predicts with the rules that its server runs, beside its connection. Whatever goes wrong on the way,
// what it predicts is explained.
//
//   - predicted values are those of a replay of the mirror's newest complete tick (rules_replay.hpp)
//   - a tick that was mispredicted has a command that did not run in its own tick, or something that the rules did not
//     do, or that another player's command did, or a level that the client lacks
//   - a tick is reconciled once the offer of the level is known that its step read
//   - each effect begins once and ends once; unless the tick is mispredicted, it is confirmed if the server's step
//     emitted it, and cancelled if not
#pragma once

#include <map>
#include <mobula/client/prediction/prediction.hpp>
#include <mobula/core/random.hpp>
#include <optional>
#include <simulation/step_record.hpp>
#include <string>

namespace mobula::sim {

class RulesFollower {
 public:
  // The connection has the schema of the rules.
  RulesFollower(client::Connection& connection, std::uint64_t seed);

  // Predicts after an update of the connection. `player`: number of its session, 0 if the server has none. Returns what
  // is wrong.
  std::optional<std::string> follow(core::Nanoseconds now, const StepRecord& record, std::uint32_t player);
  // Checks, in a quiet world, that the client predicts what the mirror has, and that nothing is pending.
  [[nodiscard]] std::optional<std::string> check_at_last() const;

  // Returns the number of reconciled ticks that had to be as predicted.
  [[nodiscard]] std::uint64_t certain() const { return certain_; }
  [[nodiscard]] const client::PredictionStats& stats() const { return prediction_.stats(); }

 private:
  // State at the begin of an update.
  struct Before {
    bool started = false;
    ecs::Tick reconciled = 0;
    client::PredictionStats stats{};
  };
  struct Given {
    ecs::Tick tick = 0;
    std::optional<Play> play{};
  };
  enum class End : std::uint8_t { none, confirmed, cancelled };

  void begin_mirror();
  void note_commands();
  [[nodiscard]] std::set<ecs::Entity> members() const;
  void choose();
  [[nodiscard]] Before now() const;
  [[nodiscard]] std::optional<std::string> note_effects();
  [[nodiscard]] std::optional<std::string> check_reconciled(const Before& before, const StepRecord& record,
                                                            std::uint32_t player);
  [[nodiscard]] std::optional<std::string> check_effects(const Before& before, const StepRecord& record) const;
  [[nodiscard]] bool is_disturbed(const StepRecord& record, ecs::Tick tick, std::uint32_t player) const;
  [[nodiscard]] bool is_disturbed(const RanPlay& ran) const;
  [[nodiscard]] bool has_strange_dart() const;
  [[nodiscard]] bool has_forgotten(const StepRecord& record) const;
  [[nodiscard]] bool concerns_pucks(const client::Misprediction& found) const;
  [[nodiscard]] bool knows_levels(const Before& before, const StepRecord& record) const;
  [[nodiscard]] bool lacks_level(const Before& before, const StepRecord& record) const;
  [[nodiscard]] bool has_late_command(const StepRecord& record) const;
  [[nodiscard]] std::string commands(const StepRecord& record) const;
  [[nodiscard]] bool has_given(std::uint32_t serial) const { return serials_.contains(serial); }
  [[nodiscard]] bool concerns(const StepRecord::EffectName& effect) const;

  client::Connection& connection_;
  client::Prediction prediction_;
  core::Random random_;
  std::uint32_t mirror_ = 0;
  ecs::Entity entity_;          // the player's at the last update
  ecs::Tick entity_since_ = 0;  // tick that was predicted when the player got it
  std::uint32_t last_given_ = 0;
  std::uint32_t next_command_ = 1;        // the first whose outcome was not known when a tick was reconciled last
  std::map<std::uint32_t, Given> given_;  // by number
  std::set<std::uint32_t> serials_;
  std::set<ecs::Entity> members_;       // predicted at some time since a tick was reconciled last
  std::set<ecs::Entity> members_then_;  // predicted at that time
  std::map<StepRecord::EffectName, End> effects_;
  std::set<StepRecord::EffectName> confirmed_now_;
  std::set<StepRecord::EffectName> cancelled_now_;
  std::uint64_t certain_ = 0;
};

}  // namespace mobula::sim
