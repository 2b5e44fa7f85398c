#include <algorithm>
#include <cstring>
#include <mobula/reflect/schema.hpp>
#include <simulation/rules_replay.hpp>
#include <simulation/sim_rules.hpp>

namespace mobula::sim {
namespace {

constexpr std::uint32_t locals_max = 4096;

class Replay {
 public:
  Replay(const client::Connection& connection, const client::Prediction& prediction)
      : connection_(connection),
        prediction_(prediction),
        mirror_(*connection.mirror()),
        local_first_(mirror_.state().entities_max),
        registry_(
            {.entities = {.recycling = ecs::Recycling::given, .entities_max = local_first_ + locals_max}, .pools = {}}),
        types_((register_all(), *prediction::PredictedTypes::resolve(registry_, mirror_.schema(), sim_rules()))) {
    stepped_.next_local = {local_first_, 1};
  }

  std::optional<std::string> check() {
    take_members();
    for (ecs::Tick tick = prediction_.reconciled_tick() + 1; tick <= prediction_.tick(); ++tick) run(tick);
    if (std::optional<std::string> wrong = compare_members()) return wrong;
    return compare_locals();
  }

 private:
  void register_all() { static_cast<void>(reflect::register_components(registry_, mirror_.schema())); }
  [[nodiscard]] bool is_member(ecs::Entity entity) const {
    return prediction_.is_predicted(entity) || prediction_.is_destroyed(entity);
  }
  void take_members() {
    constexpr core::StringId32 puck(Puck::component_name);
    for (const std::uint32_t index : mirror_.registry().pool(mirror_.registry().find_pool(puck, puck)).indices())
      if (const ecs::Entity entity = mirror_.registry().entities().at(index); is_member(entity))
        members_.push_back(entity);
    std::ranges::sort(members_, {}, &ecs::Entity::index);
    for (const ecs::Entity entity : members_) take(entity);
    stepped_.alive = members_;
  }
  void take(ecs::Entity entity) {
    registry_.create_given(entity);
    const ecs::Registry& from = mirror_.registry();
    for (const ecs::PoolId pool : from.prototypes().pools(from.prototype(entity))) {
      const ecs::ComponentType& type = from.pool(pool).type();
      const ecs::PoolId own = registry_.find_pool(type.id, from.pool(pool).instance());
      if (own != ecs::no_pool) registry_.add_bytes(entity, own, {from.try_read(entity, pool), type.size});
    }
  }
  // Commands that are done ran by the reconciled tick.
  [[nodiscard]] std::vector<prediction::Command> due(ecs::Tick tick) const {
    std::vector<prediction::Command> commands;
    const client::CommandLog& log = connection_.commands();
    if (!connection_.player_entity()) return commands;
    for (std::size_t i = 0; i < log.size(); ++i) {
      const client::CommandLog::Entry& entry = log.at(i);
      if (std::max(entry.tick, prediction_.reconciled_tick() + 1) == tick)
        commands.push_back({.player = connection_.player(),
                            .entity = connection_.player_entity(),
                            .number = entry.number,
                            .bytes = entry.bytes});
    }
    return commands;
  }
  void run(ecs::Tick tick) {
    prediction::EffectList effects;
    std::vector<prediction::Spawned> spawned;
    prediction::StepScratch scratch;
    const prediction::StepContext context{.registry = &registry_,
                                          .types = &types_,
                                          .visible = &mirror_.registry(),
                                          .stepped = &stepped_,
                                          .level = connection_.levels().at(tick).get(),
                                          .seed = connection_.prediction_seed(),
                                          .ticks_per_second = connection_.ticks_per_second(),
                                          .effects = &effects,
                                          .spawned = &spawned,
                                          .scratch = &scratch};
    prediction::run_step(sim_rules(), context, tick, due(tick));
    for (const prediction::PredictedTypes::Predicted& each : types_.predicted()) {
      ecs::Pool& pool = registry_.pool(each.pool);
      for (std::uint32_t i = 0; i < pool.size(); ++i) each.codec.snap_predicted(pool.address(i));
    }
  }
  [[nodiscard]] bool is_alive(ecs::Entity entity) const {
    return std::ranges::find(stepped_.alive, entity) != stepped_.alive.end();
  }
  [[nodiscard]] std::string about(ecs::Entity entity) const {
    return "entity " + to_string(entity) + " in tick " + std::to_string(prediction_.tick()) + ", predicted from tick " +
           std::to_string(prediction_.reconciled_tick()) + ",";
  }
  [[nodiscard]] static std::string to_text(const std::byte* component) {
    if (component == nullptr) return "none";
    const auto puck = core::load<Puck>(component);
    return "at " + std::to_string(puck.position.x) + " " + std::to_string(puck.position.z) + " with velocity " +
           std::to_string(puck.velocity.x) + " " + std::to_string(puck.velocity.z) + ", pushed " +
           std::to_string(puck.pushes) + ", cooldown " + std::to_string(puck.cooldown);
  }
  // Returns the pucks that both have.
  [[nodiscard]] std::string pucks(ecs::Entity own, ecs::Entity theirs) const {
    constexpr core::StringId32 puck(Puck::component_name);
    return " other values: " + to_text(prediction_.predicted(theirs, mirror_.registry().find_pool(puck, puck))) +
           "; by the rules " + to_text(registry_.try_read(own, registry_.find_pool(puck, puck)));
  }
  // Returns whether both have the same values of an entity, which may have another handle in the prediction.
  [[nodiscard]] bool is_equal(ecs::Entity own, ecs::Entity theirs) const {
    for (const prediction::PredictedTypes::Predicted& each : types_.predicted()) {
      const ecs::ComponentType& type = registry_.pool(each.pool).type();
      const std::byte* const expected = registry_.try_read(own, each.pool);
      const ecs::PoolId pool = mirror_.registry().find_pool(type.id, registry_.pool(each.pool).instance());
      const std::byte* const found = prediction_.predicted(theirs, pool);
      if ((expected == nullptr) != (found == nullptr)) return false;
      if (expected != nullptr && std::memcmp(expected, found, type.size) != 0) return false;
    }
    return true;
  }
  [[nodiscard]] std::optional<std::string> compare_members() const {
    for (const ecs::Entity entity : members_) {
      if (is_alive(entity) != prediction_.is_predicted(entity))
        return about(entity) + (is_alive(entity) ? " is destroyed" : " is not destroyed") + ", unlike by the rules";
      if (is_alive(entity) && !is_equal(entity, entity)) return about(entity) + pucks(entity, entity);
    }
    return std::nullopt;
  }
  // Local entities are the same if they are those of the same command and ordinal.
  [[nodiscard]] std::optional<std::string> compare_locals() const {
    std::vector<ecs::Entity> own;
    for (const ecs::Entity entity : stepped_.alive)
      if (entity.index >= local_first_) own.push_back(entity);
    const std::span<const client::PredictedSpawns::Local> locals = prediction_.spawns().locals();
    if (own.size() != locals.size())
      return std::to_string(locals.size()) + " spawned entities are predicted in tick " +
             std::to_string(prediction_.tick()) + ", the rules make " + std::to_string(own.size());
    for (const client::PredictedSpawns::Local& local : locals) {
      const auto same = std::ranges::find_if(own, [&](ecs::Entity entity) {
        const auto& key = *registry_.try_get<const engine::SpawnKey>(entity);
        return client::is_same_spawn(key, local.key) && key.tick == local.key.tick;
      });
      if (same == own.end()) return about(local.entity) + " is spawned, unlike by the rules";
      if (!is_equal(*same, local.entity)) return about(local.entity) + pucks(*same, local.entity);
    }
    return std::nullopt;
  }

  const client::Connection& connection_;
  const client::Prediction& prediction_;
  const client::Mirror& mirror_;
  std::uint32_t local_first_;
  ecs::Registry registry_;
  prediction::PredictedTypes types_;
  prediction::SteppedEntities stepped_;
  std::vector<ecs::Entity> members_;
};

}  // namespace

std::optional<std::string> check_by_replay(const client::Connection& connection, const client::Prediction& prediction) {
  return Replay(connection, prediction).check();
}

}  // namespace mobula::sim
