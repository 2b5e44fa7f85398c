// Behaviours of bots. A behaviour is a function that is called at times of its choice. It returns the next action, and
// when to call it again. It depends only on the bot's own random numbers, so a seed reproduces a crowd. Each one is a
// row of the table in behaviour.cpp.
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
  send_number,  // in the demo's chat: the next one, from 1 on
  leave,        // disconnect with a reason; joins again as another player
  vanish,       // fall silent, like a crashed program; joins again as another player
  lose_path,    // lose the path, and reconnect at once over another as the same player
  join,
};

struct BotDecision {
  BotAct act = BotAct::nothing;
  core::Nanoseconds next_in = 0;  // when to call again, unless the bot's situation changes before
  core::Bytes command = {};
};

/// Reason for calling a behaviour.
enum class BotMoment : std::uint8_t {
  plays,  // it has just joined or reconnected
  out,    // it has just left
  due,    // its interval has elapsed, and its situation has not changed
};

struct BotView {
  BotMoment moment = BotMoment::plays;
  bool playing = true;
};

struct Behaviour {
  std::string_view name;
  std::string_view help;
  bool commands;  // sends commands of the demo game
  bool returns;   // joins again after leaving
  BotDecision (*decide)(const BotView& view, core::Random& random);
};

std::span<const Behaviour> behaviours();

/// Shares of behaviours: "wander", "wander=70,churn=30". Weights are whole numbers.
struct BehaviourMix {
  struct Part {
    const Behaviour* behaviour;
    std::uint32_t weight;
  };
  std::vector<Part> parts;
};

inline constexpr std::uint32_t behaviour_weight_max = 1000;

/// Parses a mix. Errors: "unknown behaviour", "bad weight", "named twice".
core::Result<BehaviourMix> parse_behaviours(std::string_view text);
std::string to_string(const BehaviourMix& mix);

/// Returns a behaviour for each of `bots` bots. Every prefix has the shares of the mix, so a ramp mixes as well.
std::vector<const Behaviour*> assign_behaviours(const BehaviourMix& mix, std::size_t bots);

}  // namespace mobula::client
