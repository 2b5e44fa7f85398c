#include <algorithm>
#include <bots/behaviour.hpp>
#include <charconv>
#include <cmath>
#include <demo/demo_commands.hpp>
#include <mobula/core/did_you_mean.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>

namespace mobula::client {
namespace {

constexpr core::Nanoseconds for_ever = 1'000'000 * core::second;
constexpr float crowd_radius = 8;  // metres around the middle of the world
constexpr float roam_radius = 40;

core::Nanoseconds seconds_between(core::Random& random, float least, float most) {
  return static_cast<core::Nanoseconds>(static_cast<double>(random.uniform(least, most)) * core::second);
}

BotDecision idle(const BotView& /*view*/, core::Random& /*random*/) { return {.next_in = for_ever}; }

BotDecision wander(const BotView& view, core::Random& random) {
  if (!view.playing) return {.next_in = for_ever};
  const float x = random.uniform(-1, 1);
  const float z = random.uniform(-1, 1);
  const float length = std::max(1.0f, std::sqrt(x * x + z * z));
  const core::Nanoseconds until = seconds_between(random, 1, 3);
  return {.act = BotAct::command, .next_in = until, .command = move_command(x / length, z / length)};
}

// Walks to a place of a square around the middle of the world.
BotDecision walk_about(const BotView& view, core::Random& random, float radius, float least, float most) {
  if (!view.playing) return {.next_in = for_ever};
  const float x = random.uniform(-radius, radius);
  const float z = random.uniform(-radius, radius);
  return {.act = BotAct::command, .next_in = seconds_between(random, least, most), .command = walk_to_command(x, z)};
}

BotDecision roam(const BotView& view, core::Random& random) { return walk_about(view, random, roam_radius, 5, 10); }

// The demo takes one chat message per second.
BotDecision count(const BotView& view, core::Random& random) {
  if (!view.playing) return {.next_in = for_ever};
  if (view.moment == BotMoment::plays || random.below(4) == 0) return walk_about(view, random, roam_radius, 0.1f, 0.5f);
  return {.act = BotAct::send_number, .next_in = seconds_between(random, 1.1f, 1.3f)};
}

BotDecision crowd(const BotView& view, core::Random& random) { return walk_about(view, random, crowd_radius, 1, 4); }

BotDecision churn(const BotView& view, core::Random& random) {
  if (!view.playing) {
    if (view.moment == BotMoment::out) return {.next_in = seconds_between(random, 1, 5)};
    return {.act = BotAct::join, .next_in = for_ever};
  }
  if (view.moment == BotMoment::plays) return {.next_in = seconds_between(random, 2, 15)};
  constexpr BotAct ways[] = {BotAct::leave, BotAct::leave, BotAct::vanish, BotAct::lose_path};
  return {.act = ways[random.below(4)], .next_in = for_ever};
}

constexpr Behaviour all_behaviours[] = {
    {"idle", "joins, watches and sends no commands", false, false, idle},
    {"wander", "moves in a direction that changes every 1 to 3 s", true, false, wander},
    {"roam", "walks to places up to 40 m from the middle of the world, and so through all zones of a cluster", true,
     false, roam},
    {"count",
     "roams, and counts in the chat, a number in 1 to 2 s; a number that comes twice is a command that the "
     "server has executed twice",
     true, false, count},
    {"crowd", "moves to the middle of the world, and about there in the crowd", true, false, crowd},
    {"churn",
     "stays 2 to 15 s, then leaves, or falls silent, or loses its path and reconnects as the same player; a bot "
     "that has left joins again after 1 to 5 s",
     false, true, churn},
};

core::Error unknown(std::string_view name) {
  std::vector<std::string_view> names;
  std::string list;
  for (const Behaviour& each : all_behaviours) {
    names.push_back(each.name);
    list += core::format("{}{}", list.empty() ? "" : ", ", each.name);
  }
  return {"unknown behaviour",
          core::format("no behaviour is called '{}'{}; there are {}", name, core::did_you_mean(name, names), list)};
}

core::Result<BehaviourMix::Part> parse_part(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = core::trimmed(text.substr(0, equals));
  const auto found = std::ranges::find(all_behaviours, name, &Behaviour::name);
  if (found == std::end(all_behaviours)) return unknown(name);
  if (equals == std::string_view::npos) return BehaviourMix::Part{found, 1};
  const std::string_view number = core::trimmed(text.substr(equals + 1));
  std::uint32_t weight = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), weight);
  if (error != std::errc() || end != number.data() + number.size() || weight == 0 || weight > behaviour_weight_max)
    return core::Error{"bad weight", core::format("'{}': expected a whole number from 1 to {} after {}=", number,
                                                  behaviour_weight_max, name)};
  return BehaviourMix::Part{found, weight};
}

}  // namespace

std::span<const Behaviour> behaviours() { return all_behaviours; }

core::Result<BehaviourMix> parse_behaviours(std::string_view text) {
  BehaviourMix mix;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    const core::Result<BehaviourMix::Part> part = parse_part(text.substr(0, comma));
    if (!part) return part.error();
    for (const BehaviourMix::Part& other : mix.parts)
      if (other.behaviour == part->behaviour)
        return core::Error{"named twice", core::format("'{}' is listed twice", part->behaviour->name)};
    mix.parts.push_back(*part);
    more = comma != std::string_view::npos;
    text.remove_prefix(more ? comma + 1 : text.size());
  }
  return mix;
}

std::string to_string(const BehaviourMix& mix) {
  if (mix.parts.size() == 1) return std::string(mix.parts.front().behaviour->name);
  std::string text;
  for (const BehaviourMix::Part& part : mix.parts)
    text += core::format("{}{}={}", text.empty() ? "" : ",", part.behaviour->name, part.weight);
  return text;
}

// Assigns each bot the behaviour that lags most behind its share; the first one if equal.
std::vector<const Behaviour*> assign_behaviours(const BehaviourMix& mix, std::size_t bots) {
  std::vector<const Behaviour*> assigned;
  std::int64_t all = 0;
  for (const BehaviourMix::Part& part : mix.parts) all += part.weight;
  std::vector<std::int64_t> due(mix.parts.size());  // in parts of `all`
  while (assigned.size() < bots) {
    for (std::size_t i = 0; i < due.size(); ++i) due[i] += mix.parts[i].weight;
    const auto next = std::ranges::max_element(due) - due.begin();
    due[static_cast<std::size_t>(next)] -= all;
    assigned.push_back(mix.parts[static_cast<std::size_t>(next)].behaviour);
  }
  return assigned;
}

}  // namespace mobula::client
