// What bots do once they run. A behaviour is a function that is asked now and then and answers what to do next, and
// when to ask again: all it decides follows from the bot's own random numbers, so that a seed gives the same crowd
// again. A new one is a row of the table in behaviour.cpp.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/clock.hpp>
#include <mobula/core/random.hpp>
#include <mobula/core/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::client {

enum class BotAct : std::uint8_t {
  nothing,
  command,
  leave,     // disconnects; joins again as another player
  vanish,    // falls silent like a crashed program; joins again as another player
  lose_way,  // loses its pipe and resumes at once over another, as the same player
  join,
};

struct BotDecision {
  BotAct act = BotAct::nothing;
  core::Nanoseconds next_in = 0;  // when to ask again, unless the bot's situation changes before
  core::Bytes command = {};
};

// Why a bot is asked.
enum class BotMoment : std::uint8_t {
  plays,  // it has just joined, or come back
  out,    // it has just left
  due,    // the time that it named is over; where it is has not changed
};

struct BotView {
  BotMoment moment = BotMoment::plays;
  bool playing = true;
};

struct Behaviour {
  std::string_view name;
  std::string_view help;
  bool commands;  // says something to the game, in the demo's words
  bool returns;   // whoever is out comes in again
  BotDecision (*decide)(const BotView& view, core::Random& random);
};

std::span<const Behaviour> behaviours();

// What every how many bots do: "wander", "wander=70,churn=30". Weights are whole numbers.
struct BehaviourMix {
  struct Part {
    const Behaviour* behaviour;
    std::uint32_t weight;
  };
  std::vector<Part> parts;
};

inline constexpr std::uint32_t behaviour_weight_max = 1000;

// Reasons: "unknown behaviour", "bad weight", "named twice".
core::Result<BehaviourMix> parse_behaviours(std::string_view text);
std::string to_string(const BehaviourMix& mix);

// One for each of so many bots. Of the first n of them each behaviour has its share, for any n: a ramp mixes as well.
std::vector<const Behaviour*> assign_behaviours(const BehaviourMix& mix, std::size_t bots);

}  // namespace mobula::client
