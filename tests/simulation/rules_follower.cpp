#include <algorithm>
#include <cstring>
#include <simulation/rules_follower.hpp>
#include <simulation/rules_replay.hpp>
#include <utility>

namespace mobula::sim {
namespace {

using client::EffectNotice;

constexpr ecs::Tick predicted_max = 16;
constexpr core::StringId32 puck_name(Puck::component_name);

std::string name_of(const StepRecord::EffectName& effect) {
  const char* const name = effect.first == ran_effect.value     ? "ran"
                           : effect.first == throw_effect.value ? "throw"
                                                                : "bounce";
  return "effect " + std::string(name) + " " + std::to_string(effect.second);
}

}  // namespace

RulesFollower::RulesFollower(client::Connection& connection, std::uint64_t seed)
    : connection_(connection),
      prediction_(sim_rules(), {.input_delay = {.least = 0, .most = 3, .predicted_max = predicted_max}}, connection),
      random_(seed) {}

std::optional<std::string> RulesFollower::follow(core::Nanoseconds now, const StepRecord& record,
                                                 std::uint32_t player) {
  note_commands();
  const Before before = this->now();
  prediction_.update(now);
  if (prediction_.failure()) return "nothing is predicted: " + prediction_.failure()->message;
  if (std::optional<std::string> wrong = note_effects()) return wrong;
  const client::Mirror* const mirror = connection_.mirror();
  if (mirror == nullptr) return std::nullopt;
  if (mirror_ != connection_.mirror_number()) begin_mirror();
  if (std::exchange(entity_, connection_.player_entity()) != connection_.player_entity())
    entity_since_ = prediction_.tick();
  const std::set<ecs::Entity> members = this->members();
  members_.insert(members.begin(), members.end());
  choose();
  if (!prediction_.started()) return std::nullopt;
  if (prediction_.tick() - prediction_.reconciled_tick() > predicted_max)
    return "more ticks are predicted than permitted";
  const bool goes_on = before.started && before.stats.restarts == prediction_.stats().restarts;
  if (player != 0 && goes_on && prediction_.reconciled_tick() > before.reconciled)
    if (std::optional<std::string> wrong = check_reconciled(before, record, player)) return wrong;
  if (prediction_.reconciled_tick() != before.reconciled) {
    next_command_ = connection_.commands().next();
    members_ = members_then_ = members;
  }
  const bool is_current = connection_.complete() && prediction_.reconciled_tick() == mirror->tick();
  if (!is_current || entity_since_ > prediction_.reconciled_tick() || has_strange_dart()) return std::nullopt;
  return check_by_replay(connection_, prediction_);
}

RulesFollower::Before RulesFollower::now() const {
  return {prediction_.started(), prediction_.reconciled_tick(), prediction_.stats()};
}

// Commands are numbered anew, and prediction has ended all effects.
void RulesFollower::begin_mirror() {
  mirror_ = connection_.mirror_number();
  entity_ = {};
  given_.clear();
  serials_.clear();
  last_given_ = 0;
  next_command_ = 1;
  members_.clear();
  members_then_.clear();
  note_commands();
}

// Before the prediction forgets those that are done.
void RulesFollower::note_commands() {
  if (mirror_ != connection_.mirror_number()) return;
  while (const client::CommandLog::Entry* const entry = connection_.commands().find(last_given_ + 1)) {
    const Given given{entry->tick, read_play(entry->bytes)};
    given_[++last_given_] = given;
    if (given.play) serials_.insert(given.play->serial);
  }
}

std::set<ecs::Entity> RulesFollower::members() const {
  const client::Mirror& mirror = *connection_.mirror();
  std::set<ecs::Entity> now;
  for (const std::uint32_t index :
       mirror.registry().pool(mirror.registry().find_pool(puck_name, puck_name)).indices()) {
    const ecs::Entity entity = mirror.registry().entities().at(index);
    if (prediction_.is_predicted(entity) || prediction_.is_destroyed(entity)) now.insert(entity);
  }
  return now;
}

// Predicts other entities at random.
void RulesFollower::choose() {
  const client::Mirror& mirror = *connection_.mirror();
  const std::span<const std::uint32_t> all =
      mirror.registry().pool(mirror.registry().find_pool(puck_name, puck_name)).indices();
  if (all.empty() || !random_.chance(1, 8)) return;
  const ecs::Entity entity =
      mirror.registry().entities().at(all[random_.below(static_cast<std::uint32_t>(all.size()))]);
  const bool is_strange = mirror.registry().try_get<const Dart>(entity) != nullptr && !mirror.is_owner(entity);
  if (!is_strange || random_.chance(1, 8)) prediction_.set_predicted(entity, random_.chance(1, 3));
}

// --- Effects -------------------------------------------------------------------------------------------------------

std::optional<std::string> RulesFollower::note_effects() {
  confirmed_now_.clear();
  cancelled_now_.clear();
  const client::EffectTable& effects = prediction_.effects();
  bool is_anew = mirror_ != connection_.mirror_number();  // the ends of the former mirror's effects come first
  for (std::size_t i = 0; i < effects.notices(); ++i) {
    const EffectNotice notice = effects.notice(i);
    const StepRecord::EffectName name{notice.effect.name.value, notice.effect.key};
    if (notice.kind == EffectNotice::Kind::begun && std::exchange(is_anew, false)) effects_.clear();
    const auto known = effects_.find(name);
    if (notice.kind == EffectNotice::Kind::begun) {
      if (known != effects_.end()) return name_of(name) + " begins twice";
      effects_[name] = End::none;
      continue;
    }
    if (known == effects_.end()) return name_of(name) + " ends without a beginning";
    const bool confirmed = notice.kind == EffectNotice::Kind::confirmed;
    if (std::exchange(known->second, confirmed ? End::confirmed : End::cancelled) != End::none)
      return name_of(name) + " ends twice";
    (confirmed ? confirmed_now_ : cancelled_now_).insert(name);
  }
  if (is_anew) effects_.clear();
  return std::nullopt;
}

// Returns whether this client predicts what emits the effect.
bool RulesFollower::concerns(const StepRecord::EffectName& effect) const {
  if (effect.first != bounce_effect.value) return has_given(static_cast<std::uint32_t>(effect.second));
  const auto index = static_cast<std::uint32_t>(effect.second >> 32);
  return std::ranges::any_of(members_then_, [&](ecs::Entity each) { return each.index == index; });
}

std::optional<std::string> RulesFollower::check_effects(const Before& before, const StepRecord& record) const {
  const ecs::Tick first = before.reconciled + 1;
  const ecs::Tick last = prediction_.reconciled_tick();
  const std::string reconciled = " as of tick " + std::to_string(last);
  for (const StepRecord::EffectName& name : confirmed_now_)
    if (const ecs::Tick tick = record.emitted_in(name); tick < first || tick > last)
      return name_of(name) + " is confirmed" + reconciled + "; the server emitted it in tick " + std::to_string(tick);
  for (const StepRecord::EffectName& name : cancelled_now_)
    if (const ecs::Tick tick = record.emitted_in(name); tick != 0 && tick <= last)
      return name_of(name) + " is cancelled" + reconciled + "; the server emitted it in tick " + std::to_string(tick);
  if (prediction_.stats().dropped_effects != before.stats.dropped_effects) return std::nullopt;
  for (ecs::Tick tick = first; tick <= last; ++tick)
    for (const StepRecord::EffectName& name : record.find(tick)->effects) {
      const auto known = effects_.find(name);
      if (!concerns(name) || (known != effects_.end() && known->second != End::none)) continue;
      return name_of(name) + " of tick " + std::to_string(tick) + " is not confirmed" + reconciled;
    }
  return std::nullopt;
}

// --- Mispredictions ------------------------------------------------------------------------------------------------

// Another player moves its own puck. A command of this client's player may have had another entity, or one that was not
// predicted yet.
bool RulesFollower::is_disturbed(const RanPlay& ran) const {
  const bool own = has_given(ran.play.serial);
  if (!own) return members_.contains(ran.entity);
  return ran.entity != entity_ || !members_then_.contains(ran.entity);
}

bool RulesFollower::is_disturbed(const StepRecord& record, ecs::Tick tick, std::uint32_t player) const {
  const StepRecord::Tick* const known = record.find(tick);
  if (known == nullptr || known->touched_all || known->touched_of.contains(player)) return true;
  const auto is_ours = [&](ecs::Entity each) { return members_.contains(each); };
  const bool others_shove = std::ranges::any_of(known->plays, [&](const RanPlay& ran) {
    return ran.play.kind == PlayKind::shove && !has_given(ran.play.serial);
  });
  if (std::ranges::any_of(known->touched, is_ours)) return true;
  if (others_shove && (known->pushed_of.contains(player) || std::ranges::any_of(known->pushed, is_ours))) return true;
  return std::ranges::any_of(known->plays, [&](const RanPlay& ran) { return is_disturbed(ran); });
}

// Only the owner of a dart has its SpawnKey, which its random numbers depend on.
bool RulesFollower::has_strange_dart() const {
  const client::Mirror& mirror = *connection_.mirror();
  return std::ranges::any_of(members_, [&](ecs::Entity each) {
    return mirror.registry().try_get<const Dart>(each) != nullptr && !mirror.is_owner(each);
  });
}

// A mirror forgets entities out of view, when there are many. It takes one for destroyed once its id is used again.
bool RulesFollower::has_forgotten(const StepRecord& record) const {
  const ecs::Registry& mirror = connection_.mirror()->registry();
  return std::ranges::any_of(members_then_, [&](ecs::Entity each) { return !mirror.valid(each) && record.has(each); });
}

// Entities with a Velocity are predicted too. The rules do not move them, and the record has pucks alone.
bool RulesFollower::concerns_pucks(const client::Misprediction& found) const {
  return members_.contains(found.entity) || members_then_.contains(found.entity);
}

// Returns whether the client knows which levels the steps since the last reconciled tick have read.
bool RulesFollower::knows_levels(const Before& before, const StepRecord& record) const {
  const std::span<const client::OfferedLevels::Offer> offers = connection_.levels().offers();
  for (ecs::Tick tick = before.reconciled + 1; tick <= prediction_.reconciled_tick(); ++tick) {
    const StepRecord::Tick* const known = record.find(tick);
    const auto later = std::ranges::upper_bound(offers, tick, {}, &client::OfferedLevels::Offer::first_tick);
    if (known == nullptr || (later == offers.begin() && !offers.empty())) continue;  // forgotten
    const auto offered = offers.empty() ? std::nullopt : (later - 1)->identity;
    if (known->level != offered) return false;
  }
  return true;
}

// Returns whether a step since the last reconciled tick read a level in place of which the client has another, or none.
bool RulesFollower::lacks_level(const Before& before, const StepRecord& record) const {
  for (ecs::Tick tick = before.reconciled + 1; tick <= prediction_.reconciled_tick(); ++tick) {
    const StepRecord::Tick* const known = record.find(tick);
    const std::shared_ptr<const resource::Resource>& read = connection_.levels().at(tick);
    const bool has_it =
        known != nullptr && (known->level ? read != nullptr && read->identity() == *known->level : read == nullptr);
    if (!has_it) return true;
  }
  return false;
}

// Finds a command that became known to have run in another tick than its own, or not at all, or is late still.
bool RulesFollower::has_late_command(const StepRecord& record) const {
  for (auto each = given_.lower_bound(next_command_); each != given_.end(); ++each) {
    const auto& [number, given] = *each;
    if (given.tick > prediction_.reconciled_tick()) continue;
    if (!given.play) continue;  // the step does not run it
    if (record.emitted_in({ran_effect.value, given.play->serial}) != given.tick) return true;
  }
  return false;
}

// Returns the commands whose outcomes were not known, with their own ticks and those in which they ran.
std::string RulesFollower::commands(const StepRecord& record) const {
  std::string text;
  for (auto each = given_.lower_bound(next_command_); each != given_.end(); ++each) {
    const auto& [number, given] = *each;
    const ecs::Tick ran = given.play ? record.emitted_in({ran_effect.value, given.play->serial}) : 0;
    text += (text.empty() ? "; commands: " : ", ") + std::to_string(number) + " for tick " +
            std::to_string(given.tick) + (given.play ? " ran in tick " + std::to_string(ran) : " is no play");
  }
  return text;
}

std::optional<std::string> RulesFollower::check_reconciled(const Before& before, const StepRecord& record,
                                                           std::uint32_t player) {
  const client::PredictionStats& stats = prediction_.stats();
  const auto what = [&](const char* cause) {
    return "mispredicted since tick " + std::to_string(before.reconciled) + " without a " + cause + ": " +
           describe(prediction_.last_misprediction(), *connection_.mirror()) + commands(record);
  };
  const bool is_other_player = entity_since_ > before.reconciled;  // its commands move another entity
  if (stats.late_mispredictions != before.stats.late_mispredictions && !is_other_player && !has_late_command(record))
    return what("late command");
  if (!knows_levels(before, record)) return "reconciled a tick before the offer of its level";
  const bool lacks = lacks_level(before, record);
  if (stats.level_mispredictions != before.stats.level_mispredictions && !lacks) return what("missing level");
  bool disturbed = is_other_player || lacks || has_strange_dart() || has_forgotten(record);
  for (ecs::Tick tick = before.reconciled + 1; tick <= prediction_.reconciled_tick(); ++tick)
    disturbed = disturbed || is_disturbed(record, tick, player);
  if (disturbed) return std::nullopt;
  ++certain_;
  if (stats.remote_mispredictions != before.stats.remote_mispredictions &&
      concerns_pucks(prediction_.last_misprediction()))
    return what("remote cause");
  return check_effects(before, record);
}

// --- End -----------------------------------------------------------------------------------------------------------

std::optional<std::string> RulesFollower::check_at_last() const {
  if (!prediction_.started()) return "nothing is predicted";
  if (!prediction_.spawns().locals().empty()) return "a spawned entity is left that the server does not have";
  if (prediction_.effects().running() != 0) return "an effect has not ended";
  const client::Mirror& mirror = *connection_.mirror();
  const ecs::Entity own = connection_.player_entity();
  const ecs::PoolId pool = mirror.registry().find_pool(puck_name, puck_name);
  if (own && mirror.tick_of(own) != 0 && mirror.registry().pool(pool).contains(own.index) &&
      !prediction_.is_predicted(own))
    return "the player's own entity " + to_string(own) + " is not predicted";
  for (const ecs::Entity entity : members_) {
    if (!prediction_.is_predicted(entity)) continue;
    const std::byte* const found = prediction_.predicted(entity, pool);
    const std::byte* const truth = mirror.registry().try_read(entity, pool);
    if (found == nullptr || truth == nullptr || std::memcmp(found, truth, sizeof(Puck)) != 0)
      return "entity " + to_string(entity) + " is predicted otherwise than it is";
  }
  return std::nullopt;
}

}  // namespace mobula::sim
