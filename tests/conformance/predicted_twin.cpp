#include <conformance/predicted_twin.hpp>
#include <cstring>
#include <mobula/core/format.hpp>

namespace mobula::conformance {
namespace {

using test::handle_of;

constexpr std::array predicted_types{"Body", "Heading", "Thrower", "Stone", "Crate"};

}  // namespace

PredictedTwin::PredictedTwin(const client::Connection& connection, const client::Prediction& prediction,
                             mobula_client c, const client::PredictionConfig& config, const char* rules)
    : connection_(connection), prediction_(prediction), c_(c), host_(c) {
  auto options = test::sized<mobula_prediction_options>();
  options.rules = rules;
  options.reads = rules == nullptr ? "Surface" : nullptr;
  options.input_delay_least = config.input_delay.least;
  options.input_delay_most = config.input_delay.most;
  options.predicted_max = config.input_delay.predicted_max;
  options.position_component = config.position_component.c_str();
  options.position_field = config.position_field.c_str();
  expect(mobula_prediction_create(c, &options) == MOBULA_OK, "the prediction is not created");
}

void PredictedTwin::expect(bool equal, const std::string& what) {
  if (!equal && difference_.empty()) difference_ = core::format("tick {}: {}", prediction_.tick(), what);
}

void PredictedTwin::set_predicted(ecs::Entity entity, bool predicted) const {
  static_cast<void>(mobula_prediction_set_predicted(c_, handle_of(entity), predicted ? 1 : 0));
}

void PredictedTwin::update(core::Nanoseconds now) {
  expect(host_.update(now) >= 0, host_.failed());
  compare_state();
  compare_counters();
  compare_effects();
  compare_spawns();
  const client::Mirror* const mirror = connection_.mirror();
  if (mirror == nullptr) return;
  mirror->registry().entities().each([&](ecs::Entity entity) { compare_entity(entity); });
  for (const client::PredictedSpawns::Local& local : prediction_.spawns().locals()) compare_entity(local.entity);
  for (const char* const type : predicted_types) compare_column(type);
}

void PredictedTwin::compare_state() {
  auto info = test::sized<mobula_prediction_info>();
  expect(mobula_prediction_status(c_, &info) == MOBULA_OK, "status fails");
  expect(info.started == (prediction_.started() ? 1u : 0u), "started differs");
  expect(info.tick == prediction_.tick() && info.reconciled == prediction_.reconciled_tick(), "ticks differ");
  expect(info.predicted_tick == prediction_.moment().predicted && info.view_tick == prediction_.moment().view,
         "moments differ");
}

void PredictedTwin::compare_counters() {
  auto c = test::sized<mobula_prediction_counters>();
  expect(mobula_prediction_statistics(c_, &c) == MOBULA_OK, "statistics fail");
  const client::PredictionStats& cpp = prediction_.stats();
  expect(c.ticks == cpp.ticks && c.ticks_replayed == cpp.ticks_replayed && c.rollbacks == cpp.rollbacks,
         "ticks are counted differently");
  expect(c.late_mispredictions == cpp.late_mispredictions && c.remote_mispredictions == cpp.remote_mispredictions &&
             c.level_mispredictions == cpp.level_mispredictions,
         "mispredictions are counted differently");
  expect(c.corrections == cpp.corrections && c.sum_of_corrections == cpp.sum_of_corrections &&
             c.greatest_correction == cpp.greatest_correction && c.last_correction == cpp.last_correction,
         "corrections differ");
  expect(c.restarts == cpp.restarts && c.stalls == cpp.stalls &&
             c.stalled_time == static_cast<std::uint64_t>(cpp.stalled_time) &&
             c.dropped_effects == cpp.dropped_effects && c.input_delay == cpp.input_delay &&
             c.predicted_ticks == cpp.predicted_ticks && c.unpredicted_entities == cpp.unpredicted_entities,
         "other counters differ");
}

void PredictedTwin::compare_entity(ecs::Entity entity) {
  std::uint32_t state = MOBULA_AS_MIRRORED;
  expect(mobula_prediction_entity(c_, handle_of(entity), &state) == MOBULA_OK, "an entity is missing");
  const std::uint32_t expected = prediction_.is_predicted(entity)   ? std::uint32_t{MOBULA_PREDICTED}
                                 : prediction_.is_destroyed(entity) ? std::uint32_t{MOBULA_ENDED}
                                                                    : std::uint32_t{MOBULA_AS_MIRRORED};
  expect(state == expected, core::format("{} is predicted by one side", to_string(entity)));
  if (state != MOBULA_PREDICTED) return;
  for (const char* const type : predicted_types) compare_value(entity, type);
}

void PredictedTwin::compare_value(ecs::Entity entity, const char* type) {
  const core::StringId32 id(type);
  const ecs::PoolId pool = connection_.mirror()->registry().find_pool(id, id);
  const std::byte* const cpp = prediction_.predicted(entity, pool);
  std::uint32_t component = 0;
  std::array<std::byte, 256> c{};
  mobula_client_find_component(c_, type, nullptr, &component);
  const mobula_result read = mobula_prediction_read(c_, handle_of(entity), component, c.data(), c.size());
  expect(read == (cpp == nullptr ? MOBULA_ERROR_NO_COMPONENT : MOBULA_OK), "one side lacks a component");
  if (cpp == nullptr || read != MOBULA_OK) return;
  const std::size_t size = connection_.mirror()->registry().pool(pool).type().size;
  expect(std::memcmp(cpp, c.data(), size) == 0, core::format("{} of {} differs", type, to_string(entity)));
  ++values_;
}

// Compares what is shown, of all entities that have the component.
void PredictedTwin::compare_column(const char* type) {
  const core::StringId32 id(type);
  const ecs::PoolId pool = connection_.mirror()->registry().find_pool(id, id);
  const std::size_t size = connection_.mirror()->registry().pool(pool).type().size;
  std::uint32_t component = 0;
  std::uint32_t count = 0;
  std::array<mobula_entity, 256> entities{};
  std::array<std::byte, 256 * 64> values{};
  mobula_client_find_component(c_, type, nullptr, &component);
  expect(mobula_prediction_sample_column(c_, component, entities.data(), values.data(), 64, 256, &count) == MOBULA_OK,
         "sample_column fails");
  for (std::uint32_t i = 0; i < count; ++i) {
    std::array<std::byte, 64> shown{};
    expect(prediction_.sample(test::to_entity(entities[i]), pool, prediction_.moment(), shown.data()),
           "an entity is shown by one side");
    expect(std::memcmp(shown.data(), values.data() + std::size_t{i} * 64, size) == 0, "another value is shown");
    ++values_;
  }
}

void PredictedTwin::compare_effects() {
  const auto c =
      test::read_all<mobula_effect>([&](auto... array) { return mobula_prediction_read_effects(c_, array...); });
  const client::EffectTable& cpp = prediction_.effects();
  expect(c.size() == cpp.notices(), "another number of effects");
  for (std::size_t i = 0; i < std::min(c.size(), cpp.notices()); ++i, ++notices_) {
    const client::EffectNotice notice = cpp.notice(i);
    expect(c[i].kind == static_cast<std::uint32_t>(notice.kind) && c[i].name == notice.effect.name.value &&
               c[i].key == notice.effect.key && c[i].tick == notice.effect.tick &&
               c[i].size == notice.effect.payload.size(),
           "another effect");
  }
}

void PredictedTwin::compare_spawns() {
  const auto c =
      test::read_all<mobula_spawn>([&](auto... array) { return mobula_prediction_read_spawns(c_, array...); });
  const std::span<const client::SpawnNotice> cpp = prediction_.spawns().notices();
  expect(c.size() == cpp.size(), "another number of spawns");
  for (std::size_t i = 0; i < std::min(c.size(), cpp.size()); ++i, ++notices_)
    expect(c[i].kind == static_cast<std::uint32_t>(cpp[i].kind) && c[i].local == handle_of(cpp[i].local) &&
               c[i].real == handle_of(cpp[i].real) && c[i].command == cpp[i].key.command &&
               c[i].ordinal == cpp[i].key.ordinal,
           "another spawn");
}

}  // namespace mobula::conformance
