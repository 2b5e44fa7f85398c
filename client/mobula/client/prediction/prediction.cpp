#include <algorithm>
#include <mobula/client/prediction/prediction.hpp>
#include <mobula/core/log.hpp>

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
      delay(config.input_delay, ticks_per_second) {}

Prediction::Prediction(const prediction::Rules& rules, const PredictionConfig& config, Connection& connection)
    : rules_(rules), config_(config), connection_(connection) {
  MOBULA_CHECK(rules.step != nullptr, "rules have a step");
  MOBULA_CHECK(config.input_delay.predicted_max > 0, "a prediction has room for a tick");
}

void Prediction::set_predicted(ecs::Entity entity, bool predicted) {
  std::erase(wanted_, entity);
  std::erase(spawned_, entity);
  if (predicted) wanted_.push_back(entity);
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
  effects_.clear_notices();
  spawns_.clear_notices();
  if (!follow_mirror()) return;
  commands_.take_in(connection_.commands(), reconciled_);
  connection_.forget_commands_before(commands_.oldest());
  if (started_) run_new_commands();
  const ecs::Tick complete = session_->mirror.tick();
  if (connection_.complete() && complete > 0 && complete <= ecs::ticks_max) {
    if (!started_) {
      begin_at(complete);
    } else if (complete > reconciled_) {
      reconcile(complete);
    }
  }
  if (started_) advance(now);
  reporter_.update(stats_, connection_, now);
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
  if (connection_.config().schema == nullptr)
    return core::Error{"no schema", "set ConnectionConfig::schema to the schema that the rules are compiled with"};
  return PredictedSet::make(mirror, rules_);
}

void Prediction::end_session() {
  effects_.clear();
  spawns_.clear();
  commands_.clear();
  wanted_.clear();
  spawned_.clear();
  session_.reset();
  started_ = false;
  tick_ = reconciled_ = newest_ = 0;  // ticks of another mirror may be lower
  moment_ = {};
}

// A command for a tick that is computed already. Its effect is no correction, so it comes before any.
void Prediction::run_new_commands() {
  const ecs::Tick wrong = commands_.first_wrong(tick_);
  if (wrong != CommandTimeline::never) replay_from(std::max(wrong, reconciled_ + 1) - 1, tick_);
}

void Prediction::advance(core::Nanoseconds now) {
  ServerClock& clock = *connection_.clock();
  Session& session = *session_;
  const double target = clock.target_tick(now);
  const double predicted = session.delay.advance(target, clock.margin(), reconciled_);
  const ecs::Tick last =
      std::clamp(static_cast<ecs::Tick>(predicted), tick_, reconciled_ + config_.input_delay.predicted_max);
  while (tick_ < last) run_tick(tick_ + 1);
  moment_ = {std::max(predicted - 1, 0.0), clock.view_tick(now)};
  session.shown.drop_errors(moment_.predicted);
  spawns_.update(*session.set);
  stats_.stalls = session.delay.stalls();
  stats_.dropped_effects = effects_.dropped();
  stats_.input_delay = session.delay.distance();
  stats_.predicted_ticks = tick_ - reconciled_;
}

// --- Reconciliation ------------------------------------------------------------------------------------------------

void Prediction::collect() {
  std::erase_if(spawned_, [&](ecs::Entity each) { return !session_->mirror.registry().valid(each); });
  now_wanted_ = wanted_;
  now_wanted_.insert(now_wanted_.end(), spawned_.begin(), spawned_.end());
  if (config_.own_entity && connection_.player_entity()) now_wanted_.push_back(connection_.player_entity());
  session_->set->collect(now_wanted_, commands_, reconciled_);
}

// Begins anew with the mirror's values, after a pause or in the beginning.
void Prediction::begin_at(ecs::Tick complete) {
  Session& session = *session_;
  effects_.cancel_running();
  session.shown.capture(moment_);
  reconciled_ = complete;
  commands_.settle(connection_.commands(), complete);
  collect();
  session.ring.clear();
  session.set->rebuild();
  session.ring.save(complete, session.set->stepped());
  tick_ = complete;
  commands_.rewind(complete);
  commands_.drop(complete);
  if (started_) ++stats_.restarts;
  started_ = true;
  session.shown.correct(moment_);
}

void Prediction::reconcile(ecs::Tick complete) {
  Session& session = *session_;
  session.delay.on_complete(reconciled_);
  if (complete - reconciled_ > config_.input_delay.predicted_max) return begin_at(complete);
  while (tick_ < complete) run_tick(tick_ + 1);  // the clock is behind
  commands_.settle(connection_.commands(), complete);
  const ecs::Tick wrong = commands_.first_wrong(tick_);
  collect();
  const SetDifference first = session.set->compare(session.ring, session.ring.snapshot(complete));
  if (wrong == CommandTimeline::never && !first.any()) return finish_reconciled(complete);

  ++stats_.rollbacks;
  const ecs::Tick last = tick_;
  session.shown.capture(moment_);
  if (first.values) note_difference(complete, first);
  const SetDifference verified = wrong <= complete ? verify(complete, wrong) : first;
  if (first.values) count_misprediction(verified.values);
  if (verified.any()) {
    session.ring.restore(complete, session.set->stepped());
    adopt(complete, verified);
    replay_from(complete, last);
  } else {
    replay_from(wrong > complete ? wrong - 1 : complete, last);
  }
  finish_reconciled(complete);
  const double distance = session.shown.correct(moment_);
  if (distance == 0) return;
  ++stats_.corrections;
  stats_.last_correction = distance;
  stats_.greatest_correction = std::max(stats_.greatest_correction, distance);
  stats_.sum_of_corrections += distance;
}

// Computes the ticks since the reconciled one again, with the commands that the server has run in them.
SetDifference Prediction::verify(ecs::Tick complete, ecs::Tick wrong) {
  Session& session = *session_;
  replay_from(std::max(wrong, reconciled_ + 1) - 1, complete);
  collect();  // local entities may be others now
  return session.set->compare(session.ring, session.ring.snapshot(complete));
}

// Takes the mirror's values, now that the set is as it was after `complete`.
void Prediction::adopt(ecs::Tick complete, const SetDifference& difference) {
  Session& session = *session_;
  if (difference.members || (difference.values && difference.pool == ecs::no_pool)) {
    change_members(complete);
  } else {
    session.set->take_values();
  }
  session.ring.save(complete, session.set->stepped());
}

// The snapshots around the shown moment are kept: it may be before `complete`.
void Prediction::change_members(ecs::Tick complete) {
  Session& session = *session_;
  spawns_.on_matched(session.set->matched());
  renamed_.clear();
  for (const MatchedSpawn& each : session.set->matched()) {
    if (std::ranges::find(spawned_, each.real) == spawned_.end()) spawned_.push_back(each.real);
    if (each.local) renamed_.push_back({each.local, each.real});
  }
  session.ring.begin_change();
  session.set->rebuild();
  session.ring.end_change(static_cast<ecs::Tick>(moment_.predicted), complete, renamed_);
}

void Prediction::count_misprediction(bool remote) {
  ++(remote ? stats_.remote_mispredictions : stats_.late_mispredictions);
  last_.remote = remote;
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

// Returns to a tick of the ring and computes those after it up to `last` again.
void Prediction::replay_from(ecs::Tick tick, ecs::Tick last) {
  Session& session = *session_;
  session.ring.restore(tick, session.set->stepped());
  commands_.rewind(tick);
  effects_.begin_pass(tick);
  tick_ = tick;
  while (tick_ < last) run_tick(tick_ + 1);
}

void Prediction::run_tick(ecs::Tick tick) {
  Session& session = *session_;
  PredictedSet& set = *session.set;
  commands_.run(tick, due_);
  step_commands_.clear();
  const ecs::Entity player = connection_.player_entity();
  for (const std::uint32_t number : due_) {
    const CommandLog::Entry* const known = connection_.commands().find(number);
    if (player && known != nullptr)
      step_commands_.push_back(
          {.player = connection_.player(), .entity = player, .number = number, .bytes = known->bytes});
  }
  const MirrorState::Level& level = session.mirror.state().level;
  const prediction::StepContext context{
      .registry = &set.registry(),
      .types = &set.types(),
      .visible = &session.mirror.registry(),
      .stepped = &set.stepped(),
      .level = level.copy == nullptr ? nullptr : &level.copy->resource(),
      .seed = connection_.prediction_seed(),
      .ticks_per_second = connection_.ticks_per_second(),
      .effects = &step_effects_,
      .spawned = &step_spawned_,
      .scratch = &scratch_,
  };
  step_effects_.clear();
  step_spawned_.clear();
  set.registry().set_tick(++serial_);
  prediction::run_step(rules_, context, tick, step_commands_);
  set.snap(serial_ - 1);
  for (std::size_t i = 0; i < step_effects_.size(); ++i) effects_.emit(step_effects_.at(i));
  session.ring.save(tick, set.stepped());
  tick_ = tick;
  ++(tick > newest_ ? stats_.ticks : stats_.ticks_replayed);
  newest_ = std::max(newest_, tick);
}

}  // namespace mobula::client
