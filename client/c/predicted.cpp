// Entities of a prediction: which are predicted, how they are shown, what steps have begun and ended.
#include <c/mirror.hpp>
#include <c/prediction_call.hpp>
#include <c/written.hpp>
#include <mobula/core/format.hpp>

using namespace mobula;
using namespace mobula::c;

namespace {

static_assert(static_cast<int>(client::EffectNotice::Kind::begun) == MOBULA_EFFECT_BEGUN);
static_assert(static_cast<int>(client::EffectNotice::Kind::confirmed) == MOBULA_EFFECT_CONFIRMED);
static_assert(static_cast<int>(client::EffectNotice::Kind::cancelled) == MOBULA_EFFECT_CANCELLED);
static_assert(static_cast<int>(client::SpawnNotice::Kind::spawned) == MOBULA_SPAWN_PREDICTED);
static_assert(static_cast<int>(client::SpawnNotice::Kind::matched) == MOBULA_SPAWN_MATCHED);
static_assert(static_cast<int>(client::SpawnNotice::Kind::vanished) == MOBULA_SPAWN_VANISHED);

using client::Mirror;
using client::Prediction;

mobula_result not_predicted(mobula_entity entity) {
  return fail(MOBULA_ERROR_NO_ENTITY, core::format("entity {} is not predicted", to_string(to_entity(entity))));
}

mobula_result not_shown(const Mirror& mirror, mobula_entity entity, ecs::PoolId component) {
  const ecs::Entity asked = to_entity(entity);
  if (mirror.registry().try_read(asked, component) == nullptr) return no_component(mirror, entity, component);
  return fail(MOBULA_ERROR_NO_COMPONENT,
              core::format("entity {} is not shown at this moment: it appears later, or a step has destroyed it",
                           to_string(asked)));
}

// Entities that are not predicted are there from their first state on.
bool sample(const Mirror& mirror, const Prediction& prediction, ecs::Entity entity, ecs::PoolId pool, std::byte* to) {
  const bool is_own = prediction.is_predicted(entity) || prediction.is_destroyed(entity);
  const client::ShownMoment& moment = prediction.moment();
  if (!is_own && !client::Interpolation(mirror).is_there(entity, moment.view)) return false;
  return prediction.sample(entity, pool, moment, to);
}

// Writes one entity after the other, as far as they fit.
class ColumnOut {
 public:
  ColumnOut(mobula_entity* entities, void* values, std::uint32_t stride, std::uint32_t capacity)
      : entities_(entities), values_(static_cast<std::byte*>(values)), stride_(stride), capacity_(capacity) {}

  /// Returns where the next value is to be written.
  [[nodiscard]] std::byte* next() {
    return count_ < capacity_ && values_ != nullptr ? values_ + count_ * stride_ : unwritten_;
  }
  void add(ecs::Entity entity) {
    if (count_ < capacity_ && entities_ != nullptr) entities_[count_] = to_c(entity);
    ++count_;
  }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  mobula_entity* entities_;
  std::byte* values_;
  std::uint32_t stride_;
  std::uint32_t capacity_;
  std::size_t count_ = 0;
  alignas(std::max_align_t) std::byte unwritten_[reflect::Limits::component_bytes];
};

}  // namespace

mobula_result mobula_prediction_set_predicted(mobula_client client, mobula_entity entity, uint32_t predicted) {
  return with_whole_prediction(client, [&](const Client& c, HostPrediction& own) -> mobula_result {
    const Mirror* const mirror = c.connection->mirror();
    if (mirror == nullptr) return no_mirror(c);
    if (predicted > 1) return fail(MOBULA_ERROR_INVALID_ARGUMENT, "predicted is 0 or 1");
    if (predicted == 1 && !mirror->registry().valid(to_entity(entity))) return no_entity(entity);
    own.prediction->set_predicted(to_entity(entity), predicted == 1);
    return MOBULA_OK;
  });
}

mobula_result mobula_prediction_entity(mobula_client client, mobula_entity entity, uint32_t* state) {
  return with_predicted_mirror(client, [&](const Mirror& mirror, const Prediction& prediction) -> mobula_result {
    if (state == nullptr) return refuse_null("the state");
    const ecs::Entity asked = to_entity(entity);
    if (prediction.is_current() && prediction.is_predicted(asked)) {
      *state = MOBULA_PREDICTED;
    } else if (prediction.is_current() && prediction.is_destroyed(asked)) {
      *state = MOBULA_ENDED;
    } else if (mirror.registry().valid(asked)) {
      *state = MOBULA_AS_MIRRORED;
    } else {
      return no_entity(entity);
    }
    return MOBULA_OK;
  });
}

mobula_result mobula_prediction_sample(mobula_client client, mobula_entity entity, uint32_t component, void* value,
                                       uint32_t capacity) {
  return with_predicted_mirror(client, [&](const Mirror& mirror, const Prediction& prediction) -> mobula_result {
    if (const mobula_result checked = check_room(mirror, component, value, capacity); checked != MOBULA_OK)
      return checked;
    alignas(std::max_align_t) std::byte sampled[reflect::Limits::component_bytes];
    if (!sample(mirror, prediction, to_entity(entity), component, sampled)) return not_shown(mirror, entity, component);
    std::memcpy(value, sampled, mirror.registry().pool(component).type().size);
    return MOBULA_OK;
  });
}

mobula_result mobula_prediction_sample_column(mobula_client client, uint32_t component, mobula_entity* entities,
                                              void* values, uint32_t stride, uint32_t capacity, uint32_t* count) {
  return with_predicted_mirror(client, [&](const Mirror& mirror, const Prediction& prediction) -> mobula_result {
    std::uint32_t bytes = stride;
    if (const mobula_result checked = check_column(mirror, component, bytes, count); checked != MOBULA_OK)
      return checked;
    ColumnOut out(entities, values, bytes, capacity);
    const auto add = [&](ecs::Entity entity) {
      if (sample(mirror, prediction, entity, component, out.next())) out.add(entity);
    };
    for (const std::uint32_t index : mirror.registry().pool(component).indices())
      add(mirror.registry().entities().at(index));
    if (prediction.is_current())
      for (const client::PredictedSpawns::Local& local : prediction.spawns().locals()) add(local.entity);
    return end_array(out.count(), capacity, count);
  });
}

mobula_result mobula_prediction_read(mobula_client client, mobula_entity entity, uint32_t component, void* value,
                                     uint32_t capacity) {
  return with_predicted_mirror(client, [&](const Mirror& mirror, const Prediction& prediction) -> mobula_result {
    if (const mobula_result checked = check_room(mirror, component, value, capacity); checked != MOBULA_OK)
      return checked;
    if (!prediction.is_current() || !prediction.is_predicted(to_entity(entity))) return not_predicted(entity);
    const ecs::Pool& pool = mirror.registry().pool(component);
    const std::byte* const found = prediction.predicted(to_entity(entity), component);
    if (found == nullptr)
      return fail(MOBULA_ERROR_NO_COMPONENT,
                  core::format("entity {} has no predicted {}", to_string(to_entity(entity)), pool.instance_name()));
    std::memcpy(value, found, pool.type().size);
    return MOBULA_OK;
  });
}

mobula_result mobula_prediction_read_effects(mobula_client client, mobula_effect* effects, uint32_t capacity,
                                             uint32_t* count) {
  return with_whole_prediction(client, [&](const Client&, const HostPrediction& own) -> mobula_result {
    ArrayOut<mobula_effect> out(effects, capacity, count);
    if (const mobula_result checked = out.check(); checked != MOBULA_OK) return checked;
    const client::EffectTable& table = own.prediction->effects();
    for (std::size_t i = 0; i < table.notices(); ++i) {
      const client::EffectNotice notice = table.notice(i);
      const prediction::Effect& effect = notice.effect;
      out.add({static_cast<std::uint32_t>(notice.kind), effect.name.value, effect.key, effect.tick,
               static_cast<std::uint32_t>(effect.payload.size()), effect.payload.data()});
    }
    return out.end();
  });
}

mobula_result mobula_prediction_read_spawns(mobula_client client, mobula_spawn* spawns, uint32_t capacity,
                                            uint32_t* count) {
  return with_whole_prediction(client, [&](const Client&, const HostPrediction& own) -> mobula_result {
    ArrayOut<mobula_spawn> out(spawns, capacity, count);
    if (const mobula_result checked = out.check(); checked != MOBULA_OK) return checked;
    for (const client::SpawnNotice& notice : own.prediction->spawns().notices())
      out.add({to_c(notice.local), to_c(notice.real), static_cast<std::uint32_t>(notice.kind), notice.key.command,
               notice.key.ordinal, 0});
    return out.end();
  });
}
