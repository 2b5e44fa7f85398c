// A server that changes anything about the entities of a client that predicts: false and doubled SpawnKeys, other
// owners, other components, destroyed entities. The client never has an effect twice, and predicts what the server has
// once nothing moves. Input: steps.
//   0                           a tick                   1 u8, u8         a command to walk, or to throw
//   2 entity, tick, command, ordinal      a SpawnKey of the client's player; of another one if the ordinal is above 127
//   3 entity, u8                another owner
//   4 entity                    it is destroyed          5 entity, u8     a component is added or removed
//   6 u8, entity                the entity is predicted, or no longer     7     the client is cut off, or heard again
#include <client/prediction/court.hpp>
#include <fuzz/fuzz.hpp>
#include <mobula/core/log.hpp>

namespace fuzz_spawn_keys {

using namespace mobula;

namespace {

constexpr std::size_t steps_max = 160;
constexpr int rest_ticks = 120;
constexpr int agreed_ticks = 8;  // the last of them

class HostileCourt {
 public:
  HostileCourt() : court_(2, {.latency = 40 * core::millisecond}), guest_(court_.join()) {
    court_.ticks(40);
    for (const ecs::Entity crate : court_.game.crates) guest_.prediction.set_predicted(crate, true);
  }

  void step(fuzz::Input& input) {
    switch (input.byte() % 8) {
      case 0: break;
      case 1: command(input); break;
      case 2: set_key(input); break;
      case 3: set_owner(input); break;
      case 4: destroy(any(input)); break;
      case 5: recompose(input); break;
      case 6: choose(input); break;
      default: cut();
    }
    tick();
  }
  // Ends all disturbances and compares.
  void rest() {
    if (is_cut_) cut();
    for (int i = 0; i < rest_ticks - agreed_ticks; ++i) tick();
    const std::uint64_t rollbacks = guest_.prediction.stats().rollbacks;
    for (int i = 0; i < agreed_ticks; ++i) tick();
    fuzz::require(guest_.prediction.stats().rollbacks == rollbacks, "nothing is corrected once nothing moves");
    fuzz::require(guest_.effects.faults == 0, "each effect begins once and ends once");
    if (guest_.connection().state() != client::Connection::State::playing) return;
    fuzz::require(guest_.prediction.spawns().locals().empty(), "no spawned entity is left");
    fuzz::require(guest_.effects.running() == 0, "no effect is left");
    const ecs::Registry& truth = court_.truth();
    const ecs::PoolId pool = truth.find_pool(body_, body_);
    for (const std::uint32_t index : truth.pool(pool).indices()) {
      const ecs::Entity entity = truth.entities().at(index);
      if (guest_.prediction.is_predicted(entity))
        fuzz::require(court_.agrees<court::Body>(guest_, entity), "what is predicted is what the server has");
    }
  }

 private:
  void tick() {
    court_.ticks(1);
    court_.game.disturb = nullptr;
    fuzz::require(!guest_.prediction.started() || guest_.prediction.tick() - guest_.prediction.reconciled_tick() <= 32,
                  "a bounded number of predicted ticks");
  }
  ecs::Entity any(fuzz::Input& input) {
    const ecs::Pool& bodies = court_.truth().pool(court_.truth().find_pool(body_, body_));
    const std::uint8_t which = input.byte();
    return bodies.size() == 0 ? ecs::null_entity
                              : court_.truth().entities().at(bodies.indices()[which % bodies.size()]);
  }
  void command(fuzz::Input& input) {
    const float x = static_cast<float>(input.byte() % 8) / 4 - 1;
    const bool throws = input.byte() % 2 != 0;
    guest_.client.input->set_command(throws ? test::court_throw(x, 0.5f) : test::court_walk(x, 0.5f));
  }
  void set_key(fuzz::Input& input) {
    const ecs::Entity entity = any(input);
    const auto by = static_cast<std::int8_t>(input.byte());
    engine::SpawnKey key{.tick = court_.village.server->world().tick() + static_cast<ecs::Tick>(by)};
    const client::CommandLog& log = guest_.connection().commands();
    key.command = log.next() + input.byte() % 4 - 2;
    const std::uint8_t ordinal = input.byte();
    key.ordinal = ordinal % 3;
    key.player = guest_.connection().player() + ordinal / 128;
    court_.game.disturb = [entity, key](server::World& world) {
      ecs::Registry& registry = world.registry();
      if (!registry.valid(entity)) return;
      if (!registry.has<engine::SpawnKey>(entity)) registry.add<engine::SpawnKey>(entity);
      registry.get<engine::SpawnKey>(entity) = key;
    };
  }
  // The step of the tick may have destroyed it.
  void destroy(ecs::Entity entity) {
    court_.game.disturb = [entity](server::World& world) {
      if (world.registry().valid(entity)) world.destroy(entity);
    };
  }
  void set_owner(fuzz::Input& input) {
    const ecs::Entity entity = any(input);
    court_.game.disturb = [entity, owner = input.byte() % 3u](server::World& world) {
      ecs::Registry& registry = world.registry();
      if (!registry.valid(entity)) return;
      if (!registry.has<server::Relevance>(entity)) registry.add<server::Relevance>(entity);
      registry.get<server::Relevance>(entity).owner = owner;
    };
  }
  template <class T>
  static void toggle(ecs::Registry& registry, ecs::Entity entity) {
    if (registry.has<T>(entity)) return registry.remove<T>(entity);
    registry.add<T>(entity);
  }
  void recompose(fuzz::Input& input) {
    const ecs::Entity entity = any(input);
    court_.game.disturb = [entity, which = input.byte()](server::World& world) {
      if (!world.registry().valid(entity)) return;
      switch (which % 4) {
        case 0: return toggle<court::Body>(world.registry(), entity);
        case 1: return toggle<court::Crate>(world.registry(), entity);
        case 2: return toggle<court::Heading>(world.registry(), entity);
        default: return toggle<court::Thrower>(world.registry(), entity);
      }
    };
  }
  void choose(fuzz::Input& input) {
    const bool predicted = input.byte() % 2 == 0;
    guest_.prediction.set_predicted(any(input), predicted);
  }
  void cut() {
    is_cut_ = !is_cut_;
    if (is_cut_) return court_.village.network.cut(guest_.client.port.from);
    court_.village.network.heal(guest_.client.port.from);
  }

  static constexpr core::StringId32 body_{court::Body::component_name};

  test::Court court_;
  test::Court::Guest& guest_;
  bool is_cut_ = false;
};

int run_target(const std::uint8_t* data, std::size_t size) {
  core::set_log_level(core::LogLevel::off);
  HostileCourt court;
  fuzz::Input input(fuzz::view(data, size));
  for (std::size_t steps = 0; steps < steps_max && !input.empty(); ++steps) court.step(input);
  court.rest();
  return 0;
}

const mobula::fuzz::Target target("spawn_keys", run_target);

}  // namespace
}  // namespace fuzz_spawn_keys
