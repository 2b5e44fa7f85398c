#include <algorithm>
#include <mobula/client/prediction/prediction.hpp>
#include <mobula/core/log.hpp>
#include <utility>

namespace mobula::client {
namespace {

// Ticks of the ring beyond those that can be predicted: the reconciled one, and those around the shown moment.
constexpr std::size_t spare_ticks = 4;

}  // namespace

Prediction::Session::Session(const Mirror& of, std::unique_ptr<PredictedSet> predicted, const PredictionConfig& config,
                             std::uint32_t ticks_per_second)
    : mirror(of),
      set(std::move(predicted)),
      ring(set->registry(), set->predicted_pools(), config.input_delay.predicted_max + spare_ticks),
      shown(mirror, *set, ring, config, ticks_per_second),
      delay(config.input_delay, ticks_per_second),
      levels(config.input_delay.predicted_max + spare_ticks) {}

Prediction::Prediction(const prediction::Rules& rules, const PredictionConfig& config, Connection& connection)
    : rules_(rules), config_(config), connection_(connection) {
  MOBULA_CHECK(config.input_delay.predicted_max > 0, "a prediction has room for a tick");
}

void Prediction::restart() {
  abandon_update();
  session_.reset();
  started_ = false;
  mirror_number_ = 0;
  cancels_effects_ = true;
}

void Prediction::set_predicted(ecs::Entity entity, bool predicted) {
  // The next update follows the mirror: the ends of effects are notices of an update.
  wanted_.choose(entity, predicted, connection_.mirror_number());
}

bool Prediction::is_predicted(ecs::Entity entity) const {
  return started_ && is_alive(session_->set->stepped(), entity);
}

bool Prediction::is_destroyed(ecs::Entity entity) const {
  return started_ && session_->set->is_member(entity) && !is_predicted(entity);
}

bool Prediction::sample(ecs::Entity entity, ecs::PoolId pool, const ShownMoment& moment, std::byte* component) const {
  if (is_current()) return session_->shown.sample(entity, pool, moment, component);
  const Mirror* const mirror = connection_.mirror();
  return mirror != nullptr && Interpolation(*mirror).sample(entity, pool, moment.view, component);
}

const std::byte* Prediction::predicted(ecs::Entity entity, ecs::PoolId pool) const {
  if (!is_predicted(entity)) return nullptr;
  const std::size_t place = session_->set->place_of(pool);
  if (place == PredictedSet::none) return nullptr;
  return session_->set->registry().try_read(entity, session_->set->predicted()[place].own().id());
}

// --- Update --------------------------------------------------------------------------------------------------------

void Prediction::update(core::Nanoseconds now) {
  MOBULA_CHECK(rules_.step != nullptr, "rules without a step are stepped by the program");
  begin_update(now);
  while (const DueTick* const due = next_tick()) {
    prediction::run_step(rules_, due->context, due->tick, due->commands);
    end_tick();
  }
}

void Prediction::begin_update(core::Nanoseconds now) {
  MOBULA_CHECK(!is_updating(), "the last update is complete");
  effects_.clear_notices();
  spawns_.clear_notices();
  now_ = now;
  if (!follow_mirror()) return;
  commands_.add_from(connection_.commands(), reconciled_);
  connection_.forget_commands_before(commands_.oldest());
  run_new_level();
}

const DueTick* Prediction::next_tick() {
  MOBULA_CHECK(!stepping_, "the last tick is ended");
  while (is_updating() && tick_ >= phase_end_) end_phase();
  if (!is_updating()) return nullptr;
  prepare_tick(tick_ + 1);
  return &due_;
}

void Prediction::end_phase() {
  switch (phase_) {
    case Phase::idle: return;
    case Phase::new_level: return end_new_level();
    case Phase::new_commands: return begin_reconciling();
    case Phase::catching_up: return compare();
    case Phase::verifying: return end_verifying();
    case Phase::replaying: return end_reconciling();
    case Phase::advancing: return end_update();
  }
}

// A step that has not ended leaves values that are of no tick. So nothing of them is kept.
void Prediction::abandon_update() {
  if (!is_updating()) return;
  phase_ = Phase::idle;
  stepping_ = started_ = false;
  effects_.cancel_running();
  spawns_.clear();
}

// Returns false while there is nothing to predict.
bool Prediction::follow_mirror() {
  const Mirror* const mirror = connection_.mirror();
  if (mirror == nullptr || connection_.clock() == nullptr) return false;
  if (connection_.mirror_number() == mirror_number_) return session_ != nullptr;
  end_session();
  mirror_number_ = connection_.mirror_number();
  core::Result<std::unique_ptr<PredictedSet>> set = make_set(*mirror);
  if (!set) {
    failure_ = set.error();
    core::log_error("client", "nothing is predicted: {}: {}", failure_->reason, failure_->message);
    return false;
  }
  failure_.reset();
  session_ = std::make_unique<Session>(*mirror, std::move(*set), config_, connection_.ticks_per_second());
  return true;
}

// The rules access components as the structs that they were compiled with, so the schema cannot be just any.
core::Result<std::unique_ptr<PredictedSet>> Prediction::make_set(const Mirror& mirror) const {
  if (rules_.step != nullptr && connection_.config().schema == nullptr)
    return core::Error{"no schema", "set ConnectionConfig::schema to the schema that the rules are compiled with"};
  if (const core::Status known = check_names(config_, mirror.schema()); !known) return known.error();
  return PredictedSet::make(mirror, rules_, connection_.player());
}

void Prediction::end_session() {
  std::exchange(cancels_effects_, false) ? effects_.cancel_running() : effects_.clear();
  spawns_.clear();
  commands_.clear();
  wanted_.begin_mirror(connection_.mirror_number());
  session_.reset();
  started_ = restarted_ = false;
  tick_ = reconciled_ = newest_ = 0;  // ticks of another mirror may be lower
  moment_ = {};
  last_ = {};  // its pool is one of the former mirror
}

// A level that has been offered or received since its ticks were computed.
void Prediction::run_new_level() {
  const ecs::Tick last = tick_;
  const ecs::Tick wrong =
      started_ ? session_->levels.first_wrong(reconciled_, last, connection_.levels()) : CommandTimeline::never;
  if (wrong == CommandTimeline::never) return run_new_commands();
  ++stats_.rollbacks;
  session_->shown.capture(moment_);
  return_to(wrong - 1);
  enter(Phase::new_level, last);
}

void Prediction::end_new_level() {
  count_correction(session_->shown.correct(moment_));
  run_new_commands();
}

// A command for a tick that is computed already. Its effect is no correction, so it comes before any.
void Prediction::run_new_commands() {
  const ecs::Tick last = tick_;
  const ecs::Tick wrong = started_ ? commands_.first_wrong(last) : CommandTimeline::never;
  if (wrong != CommandTimeline::never) return_to(std::max(wrong, reconciled_ + 1) - 1);
  enter(Phase::new_commands, last);
}

void Prediction::begin_advancing() {
  if (!started_) return end_update();
  ServerClock& clock = *connection_.clock();
  InputDelay& delay = session_->delay;
  const bool was_stalled = delay.is_stalled();
  predicted_ = delay.advance(clock.target_tick(now_), clock.margin(), reconciled_);
  const core::Nanoseconds passed = now_ - std::exchange(advanced_, now_);
  if (delay.is_stalled()) count_stall(was_stalled, std::max<core::Nanoseconds>(passed, 0));
  enter(Phase::advancing,
        std::clamp(static_cast<ecs::Tick>(predicted_), tick_, reconciled_ + config_.input_delay.predicted_max));
}

void Prediction::count_stall(bool continues, core::Nanoseconds passed) {
  if (!continues) return void(++stats_.stalls);
  stats_.stalled_time += passed;
}

void Prediction::end_update() {
  phase_ = Phase::idle;
  moment_ = {started_ ? std::max(predicted_ - 1, 0.0) : 0, connection_.clock()->view_tick(now_)};
  if (!started_) return;
  Session& session = *session_;
  if (std::exchange(restarted_, false)) count_correction(session.shown.correct(moment_));
  session.shown.drop_errors(moment_.view);
  spawns_.update(*session.set);
  stats_.dropped_effects = effects_.dropped();
  stats_.input_delay = session.delay.present();
  stats_.predicted_ticks = tick_ - reconciled_;
  reporter_.update(stats_, connection_, now_);
}

// --- Reconciliation ------------------------------------------------------------------------------------------------

void Prediction::collect() {
  const ecs::Entity own = config_.own_entity ? connection_.player_entity() : ecs::null_entity;
  wanted_.list(session_->mirror, own, now_wanted_);
  session_->set->collect(now_wanted_, commands_, reconciled_);
  stats_.unpredicted_entities = session_->set->unpredicted();
}

// Begins anew with the mirror's values, after a pause or in the beginning. Entities that were spawned in the pause are
// newer than the former reconciled tick. end_update() corrects the picture that was shown last.
void Prediction::begin_at(ecs::Tick complete) {
  Session& session = *session_;
  effects_.cancel_running();
  session.shown.capture(moment_);
  commands_.settle(connection_.commands(), complete);
  collect();
  reconciled_ = complete;
  follow_matched();
  session.ring.clear();
  session.set->rebuild();
  session.ring.save(complete, session.set->stepped());
  tick_ = complete;
  commands_.rewind(complete);
  commands_.drop(complete);
  if (started_) ++stats_.restarts;
  started_ = restarted_ = true;
}

void Prediction::begin_reconciling() {
  const ecs::Tick complete = session_->mirror.tick();
  const bool known = connection_.complete() && complete > 0 && complete <= ecs::ticks_max;
  if (!known || (started_ && complete <= reconciled_)) return begin_advancing();
  if (started_) session_->delay.on_complete(reconciled_);
  if (!started_ || complete - reconciled_ > config_.input_delay.predicted_max) {
    begin_at(complete);
    return begin_advancing();
  }
  reconciling_.complete = complete;
  enter(Phase::catching_up, complete);
}

void Prediction::compare() {
  Session& session = *session_;
  const ecs::Tick complete = reconciling_.complete;
  commands_.settle(connection_.commands(), complete);
  const ecs::Tick wrong = commands_.first_wrong(tick_);
  collect();
  const SetDifference found = session.set->compare(session.ring, session.ring.snapshot(complete));
  if (wrong == CommandTimeline::never && !found.any()) {
    finish_reconciled(complete);
    return begin_advancing();
  }
  ++stats_.rollbacks;
  session.shown.capture(moment_);
  if (found.values) note_difference(complete, found);
  reconciling_ = {complete, wrong, tick_, found.values};
  if (wrong > complete) return resolve(found);
  // The ticks since the reconciled one again, with the commands that the server has run in them.
  return_to(std::max(wrong, reconciled_ + 1) - 1);
  enter(Phase::verifying, complete);
}

void Prediction::end_verifying() {
  const Session& session = *session_;
  collect();  // local entities may be others now
  resolve(session.set->compare(session.ring, session.ring.snapshot(reconciling_.complete)));
}

// Returns to the last tick that is right. `difference` is what the commands that ran do not explain.
void Prediction::resolve(const SetDifference& difference) {
  Session& session = *session_;
  const auto [complete, wrong, last, mispredicted] = reconciling_;
  if (mispredicted) count_misprediction(difference);
  if (difference.any()) {
    session.ring.restore(complete, session.set->stepped());
    adopt(complete, difference);
    return_to(complete);
  } else {
    return_to(wrong > complete ? wrong - 1 : complete);
  }
  enter(Phase::replaying, last);
}

void Prediction::end_reconciling() {
  finish_reconciled(reconciling_.complete);
  count_correction(session_->shown.correct(moment_));
  begin_advancing();
}

void Prediction::count_correction(double distance) {
  if (distance == 0) return;
  ++stats_.corrections;
  stats_.last_correction = distance;
  stats_.greatest_correction = std::max(stats_.greatest_correction, distance);
  stats_.sum_of_corrections += distance;
}

// Takes the mirror's values, now that the set is as it was after `complete`.
void Prediction::adopt(ecs::Tick complete, const SetDifference& difference) {
  Session& session = *session_;
  if (difference.members || (difference.values && difference.pool == ecs::no_pool)) {
    change_members(complete);
  } else {
    session.set->copy_values();
  }
  session.ring.save(complete, session.set->stepped());
}

// The snapshots around the shown moment are kept: it may be before `complete`.
void Prediction::change_members(ecs::Tick complete) {
  Session& session = *session_;
  follow_matched();
  session.ring.begin_change();
  session.set->rebuild();
  session.ring.end_change(static_cast<ecs::Tick>(moment_.predicted), complete, renamed_);
}

// Local entities that the server has spawned continue under its handles.
void Prediction::follow_matched() {
  spawns_.on_matched(session_->set->matched());
  renamed_.clear();
  for (const MatchedSpawn& each : session_->set->matched()) {
    wanted_.add_spawned(each.real);
    if (each.local) renamed_.push_back({each.local, each.real});
  }
}

// `difference` is what the commands that ran do not explain.
void Prediction::count_misprediction(const SetDifference& difference) {
  using Cause = Misprediction::Cause;
  const bool lacks_level = session_->levels.lacks_one(reconciled_, reconciling_.complete, connection_.levels());
  last_.cause = !difference.values ? Cause::late_command : lacks_level ? Cause::level : Cause::remote;
  switch (last_.cause) {
    case Cause::late_command: ++stats_.late_mispredictions; return;
    case Cause::level: ++stats_.level_mispredictions; return;
    case Cause::remote: ++stats_.remote_mispredictions; return;
  }
}

// Keeps both values, before the tick is computed again.
void Prediction::note_difference(ecs::Tick complete, const SetDifference& difference) {
  last_.tick = complete;
  last_.entity = difference.entity;
  last_.pool = difference.pool;
  last_.predicted.clear();
  last_.authoritative.clear();
  if (difference.pool == ecs::no_pool) return;
  const PredictedSet& set = *session_->set;
  const std::size_t size = session_->mirror.registry().pool(difference.pool).type().size;
  const SnapshotRing::Snapshot& snapshot = session_->ring.snapshot(complete);
  const std::size_t place = set.place_of(difference.pool);
  const std::uint32_t position = set.predicted()[place].own().find(difference.own.index);
  if (position < snapshot.counts[place]) {
    const std::byte* const row = session_->ring.rows(snapshot, place) + position * size;
    last_.predicted.assign(row, row + size);
  }
  if (const std::byte* const truth = session_->mirror.registry().try_read(difference.entity, difference.pool))
    last_.authoritative.assign(truth, truth + size);
}

void Prediction::finish_reconciled(ecs::Tick complete) {
  effects_.settle(complete);
  reconciled_ = complete;
  commands_.drop(complete);
}

// --- Ticks ---------------------------------------------------------------------------------------------------------

// Returns to a tick of the ring. Those after it are computed again.
void Prediction::return_to(ecs::Tick tick) {
  session_->ring.restore(tick, session_->set->stepped());
  commands_.rewind(tick);
  effects_.begin_pass(tick);
  tick_ = tick;
}

void Prediction::prepare_tick(ecs::Tick tick) {
  PredictedSet& set = *session_->set;
  commands_.run(tick, numbers_);
  step_commands_.clear();
  const ecs::Entity player = connection_.player_entity();
  for (const std::uint32_t number : numbers_) {
    const CommandLog::Entry* const known = connection_.commands().find(number);
    if (player && known != nullptr)
      step_commands_.push_back(
          {.player = connection_.player(), .entity = player, .number = number, .bytes = known->bytes});
  }
  StepLevels& levels = session_->levels;
  due_ = {.tick = tick, .replayed = tick <= newest_, .commands = step_commands_};
  due_.context = {
      .registry = &set.registry(),
      .types = &set.types(),
      .visible = &session_->mirror.registry(),
      .stepped = &set.stepped(),
      .level = levels.begin(tick, connection_.levels()),
      .level_is_read = &levels.is_read(),
      .seed = connection_.prediction_seed(),
      .ticks_per_second = connection_.ticks_per_second(),
      .effects = &step_effects_,
      .spawned = &step_spawned_,
      .scratch = &scratch_,
  };
  step_effects_.clear();
  step_spawned_.clear();
  set.registry().set_tick(++serial_);
  stepping_ = true;
}

void Prediction::end_tick() {
  MOBULA_CHECK(stepping_, "a tick is handed out");
  stepping_ = false;
  Session& session = *session_;
  session.set->snap(serial_ - 1);
  for (std::size_t i = 0; i < step_effects_.size(); ++i) effects_.emit(step_effects_.at(i));
  session.ring.save(due_.tick, session.set->stepped());
  tick_ = due_.tick;
  ++(due_.replayed ? stats_.ticks_replayed : stats_.ticks);
  newest_ = std::max(newest_, tick_);
}

}  // namespace mobula::client
