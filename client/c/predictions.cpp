// Life and updates of a client's prediction.
#include <c/prediction_call.hpp>
#include <c/written.hpp>

using namespace mobula;
using namespace mobula::c;

namespace mobula::c {

mobula_result no_prediction() {
  return fail(MOBULA_ERROR_WRONG_STATE, "the client has no prediction; call mobula_prediction_create");
}

mobula_result in_update() {
  return fail(MOBULA_ERROR_WRONG_STATE,
              "an update of the prediction is in progress; call mobula_prediction_next_step until it has none");
}

mobula_result no_step() {
  return fail(MOBULA_ERROR_WRONG_STATE, "no step has begun; call mobula_prediction_next_step");
}

}  // namespace mobula::c

namespace {

mobula_result check_client(const Client& client, const HostPrediction& own) {
  const client::ConnectionConfig& config = client.connection->config();
  if (client.prediction != nullptr) return fail(MOBULA_ERROR_WRONG_STATE, "the client has a prediction");
  if (!config.decode) return no_mirror(client);
  if (!own.host_steps() && config.schema == nullptr)
    return fail(MOBULA_ERROR_BAD_SCHEMA,
                "rules that are compiled in need mobula_client_options.schema, with which they were compiled");
  return MOBULA_OK;
}

// The mirror keeps the states that the shown moment lies between.
void end_update(Client& client, const HostPrediction& own) {
  if (client::Mirror* const mirror = client.connection->mirror()) mirror->set_view_tick(own.prediction->moment().view);
}

void end_step(HostPrediction& own) {
  own.due = nullptr;
  own.world.reset();
}

mobula_step step_of(const client::DueTick& due, const prediction::PredictedWorld& world) {
  mobula_step step{};
  step.tick = due.tick;
  step.replayed = due.replayed;
  step.commands = static_cast<std::uint32_t>(due.commands.size());
  step.entities = static_cast<std::uint32_t>(due.context.stepped->alive.size());
  step.seconds = world.seconds_per_tick();
  return step;
}

mobula_prediction_info info_of(const client::Prediction& prediction) {
  mobula_prediction_info info{};
  info.started = prediction.started();
  info.tick = prediction.tick();
  info.reconciled = prediction.reconciled_tick();
  info.predicted_tick = prediction.moment().predicted;
  info.view_tick = prediction.moment().view;
  return info;
}

mobula_prediction_counters counters_of(const client::PredictionStats& stats) {
  mobula_prediction_counters counters{};
  counters.predicted_ticks = stats.predicted_ticks;
  counters.ticks = stats.ticks;
  counters.ticks_replayed = stats.ticks_replayed;
  counters.rollbacks = stats.rollbacks;
  counters.late_mispredictions = stats.late_mispredictions;
  counters.remote_mispredictions = stats.remote_mispredictions;
  counters.restarts = stats.restarts;
  counters.stalls = stats.stalls;
  counters.dropped_effects = stats.dropped_effects;
  counters.corrections = stats.corrections;
  counters.last_correction = stats.last_correction;
  counters.greatest_correction = stats.greatest_correction;
  counters.sum_of_corrections = stats.sum_of_corrections;
  counters.input_delay = stats.input_delay;
  counters.level_mispredictions = stats.level_mispredictions;
  counters.unpredicted_entities = stats.unpredicted_entities;
  counters.stalled_time = static_cast<std::uint64_t>(stats.stalled_time);
  return counters;
}

}  // namespace

mobula_result mobula_prediction_create(mobula_client client, const mobula_prediction_options* options) {
  return with_client(client, [&](Client& c) -> mobula_result {
    auto own = std::make_unique<HostPrediction>();
    if (const mobula_result read = read_prediction_options(options, *own); read != MOBULA_OK) return read;
    if (const mobula_result checked = check_client(c, *own); checked != MOBULA_OK) return checked;
    own->connect(*c.connection);
    c.prediction = std::move(own);
    return MOBULA_OK;
  });
}

mobula_result mobula_prediction_destroy(mobula_client client) {
  return with_prediction(client, [](Client& c, const HostPrediction&) {
    c.prediction.reset();
    return MOBULA_OK;
  });
}

mobula_result mobula_prediction_begin_update(mobula_client client, int64_t now) {
  return with_whole_prediction(client, [&](Client& c, HostPrediction& own) -> mobula_result {
    if (const mobula_result checked = check_time(c, now); checked != MOBULA_OK) return checked;
    note_time(c, now);
    if (own.host_steps()) {
      own.prediction->begin_update(c.now);
    } else {
      own.prediction->update(c.now);
      end_update(c, own);
    }
    const std::optional<core::Error>& failure = own.prediction->failure();
    return failure ? fail(MOBULA_ERROR_BAD_RULES, *failure) : MOBULA_OK;
  });
}

mobula_result mobula_prediction_next_step(mobula_client client, mobula_step* step) {
  return with_prediction(client, [&](Client& c, HostPrediction& own) -> mobula_result {
    const mobula_result there = check_struct(step == nullptr ? nullptr : &step->struct_size);
    if (there != MOBULA_OK) return there;
    if (own.due != nullptr)
      return fail(MOBULA_ERROR_WRONG_STATE, "the step has not ended; call mobula_prediction_end_step");
    if (!own.prediction->is_updating()) return MOBULA_NOTHING;
    own.due = own.prediction->next_tick();
    if (own.due == nullptr) {
      end_update(c, own);
      return MOBULA_NOTHING;
    }
    own.world.emplace(own.due->context, own.due->tick);
    return write_struct(step_of(*own.due, *own.world), step);
  });
}

mobula_result mobula_prediction_end_step(mobula_client client) {
  return with_step(client, [](const Step& step) {
    end_step(step.own);
    step.own.prediction->end_tick();
    return MOBULA_OK;
  });
}

mobula_result mobula_prediction_abandon_update(mobula_client client) {
  return with_prediction(client, [](const Client&, HostPrediction& own) {
    if (!own.prediction->is_updating()) return MOBULA_NOTHING;
    end_step(own);
    own.prediction->abandon_update();
    return MOBULA_OK;
  });
}

mobula_result mobula_prediction_status(mobula_client client, mobula_prediction_info* info) {
  return with_prediction(
      client, [&](const Client&, const HostPrediction& own) { return write_struct(info_of(*own.prediction), info); });
}

mobula_result mobula_prediction_statistics(mobula_client client, mobula_prediction_counters* counters) {
  return with_prediction(client, [&](const Client&, const HostPrediction& own) {
    return write_struct(counters_of(own.prediction->stats()), counters);
  });
}

mobula_result mobula_prediction_misprediction(mobula_client client, char* text, uint32_t capacity, uint32_t* length) {
  return with_predicted_mirror(
      client, [&](const client::Mirror& mirror, const client::Prediction& prediction) -> mobula_result {
        const bool is_known = prediction.is_current() && prediction.last_misprediction().tick > 0;
        if (!is_known) return MOBULA_NOTHING;
        return write_text(describe(prediction.last_misprediction(), mirror), {text, capacity, length});
      });
}
