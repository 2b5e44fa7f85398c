// Visibility: viewers that each see about 100 entities of a flat world, in which all or some entities move at random.
#include <cmath>
#include <mobula/core/random.hpp>
#include <mobula/hierarchy/hierarchy.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/server/interest/interest.hpp>

#include "ecs_world.hpp"

namespace mobula::bench {
namespace {

using ecs::Entity;
using engine::Transform;
using server::Layer;
using server::Viewer;

constexpr float radius = 50;
constexpr float pi = 3.14159265f;

// range(0) entities, so dense that 100 are in a circle of the radius.
struct Crowd {
  explicit Crowd(const benchmark::State& state, std::span<const Layer> layers)
      : interest(registry, layers), entities(static_cast<std::size_t>(state.range(0))) {
    static_cast<void>(reflect::register_components(registry, **reflect::Schema::load(engine::schema_bytes())));
    registry.create(std::span(entities), Transform{});
    for (const Entity entity : entities) {
      registry.get<Transform>(entity).position = {random.uniform(-half, half), random.uniform(0, 2),
                                                  random.uniform(-half, half)};
      interest.add(entity.index);
    }
    end_tick();
  }
  // Spreads the entities over interest groups, numbered from 1.
  void divide(std::uint32_t groups) {
    for (std::size_t i = 0; i < entities.size(); ++i)
      registry.add<server::Relevance>(entities[i], {.interest_group = group_of(i, groups)});
    end_tick();
  }
  [[nodiscard]] static std::uint32_t group_of(std::size_t entity, std::uint32_t groups) {
    return static_cast<std::uint32_t>(1 + entity % groups);
  }
  // Moves an entity at 1 to 10 m/s at 20 Hz, with changes of direction. At an edge it turns back.
  void walk(std::size_t i) {
    if (random.chance(1, 20)) walks[i] = {random.uniform(-0.5f, 0.5f), 0, random.uniform(-0.5f, 0.5f)};
    auto& position = registry.get<Transform>(entities[i]).position;
    if (std::abs(position.x + walks[i].x) > half) walks[i].x = -walks[i].x;
    if (std::abs(position.z + walks[i].z) > half) walks[i].z = -walks[i].z;
    position.x += walks[i].x;
    position.z += walks[i].z;
  }
  // Moves one entity in `share`, others each time.
  void move_one_in(std::uint32_t share) {
    const auto count = static_cast<std::uint32_t>(entities.size());
    if (share == 1) {
      for (std::uint32_t i = 0; i < count; ++i) walk(i);
    } else {
      for (std::uint32_t i = 0; i < count / share; ++i) walk(random.below(count));
    }
  }
  void end_tick() {
    hierarchy.update();
    interest.update();
    next_tick();
  }
  void next_tick() {
    registry.clear_journal();
    registry.set_tick(registry.tick() + 1);
  }

  core::Random random{1};
  ecs::Registry registry;
  hierarchy::Hierarchy hierarchy{registry};
  server::Interest interest;
  std::vector<Entity> entities;
  std::vector<engine::Vec3> walks = std::vector<engine::Vec3>(entities.size());
  float half = std::sqrt(static_cast<float>(entities.size()) / 100 * pi) * radius / 2;  // half the width of the world
};

struct Client {
  Viewer viewer;
  std::vector<std::uint32_t> seen;
};

// 5,000 viewers around entities of the crowd, all of which move. In each tick a quarter of the viewers are updated.
// With groups each viewer is in that of its entity.
void query(benchmark::State& state, std::span<const Layer> layers, std::uint32_t groups = 0) {
  constexpr std::size_t viewers = 5000;
  constexpr std::size_t turns = 4;
  Crowd crowd(state, layers);
  if (groups > 0) crowd.divide(groups);
  std::vector<Client> clients(viewers);
  for (std::size_t i = 0; i < viewers; ++i) {
    const std::size_t entity = i % crowd.entities.size();
    clients[i].viewer = Viewer(static_cast<std::uint32_t>(i + 1), crowd.entities[entity]);
    if (groups > 0) clients[i].viewer.join_group(Crowd::group_of(entity, groups));
  }
  std::vector<std::uint32_t> gained;
  std::vector<std::uint32_t> lost;
  std::size_t queries = 0;
  std::size_t seen = 0;
  std::size_t changes = 0;
  const auto query_for = [&](Client& client) {
    gained.clear();
    lost.clear();
    crowd.interest.query_visibility(client.viewer, client.seen, gained, lost);
  };
  const auto apply = [&](Client& client) {
    for (const std::uint32_t index : lost) std::erase(client.seen, index);
    client.seen.insert(client.seen.end(), gained.begin(), gained.end());
  };
  for (Client& client : clients) {
    query_for(client);
    apply(client);
  }
  std::size_t turn = 0;
  for (auto _ : state) {
    state.PauseTiming();
    crowd.move_one_in(1);
    crowd.end_tick();
    state.ResumeTiming();
    for (std::size_t i = turn; i < viewers; i += turns) {
      query_for(clients[i]);
      ++queries;
      seen += clients[i].seen.size();
      changes += gained.size() + lost.size();
      if (!gained.empty() || !lost.empty()) apply(clients[i]);
    }
    turn = (turn + 1) % turns;
  }
  const auto per_query = [queries](std::size_t sum) { return static_cast<double>(sum) / static_cast<double>(queries); };
  state.counters["seen"] = per_query(seen);
  state.counters["changes"] = per_query(changes);
  state.counters["ns_per_query"] = benchmark::Counter(static_cast<double>(queries) * 1e-9,
                                                      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void query_near(benchmark::State& state) {
  const Layer layer{"creatures", radius};
  query(state, {&layer, 1});
}
// Without layers: every viewer sees everything.
void query_everything(benchmark::State& state) { query(state, {}); }
// Without layers, in range(1) interest groups.
void query_groups(benchmark::State& state) { query(state, {}, static_cast<std::uint32_t>(state.range(1))); }

// One entity in range(1) moves. The time of the hierarchy is excluded.
void update_interest(benchmark::State& state) {
  const Layer layer{"creatures", radius};
  Crowd crowd(state, {&layer, 1});
  for (auto _ : state) {
    state.PauseTiming();
    crowd.move_one_in(static_cast<std::uint32_t>(state.range(1)));
    crowd.hierarchy.update();
    state.ResumeTiming();
    crowd.interest.update();
    state.PauseTiming();
    crowd.next_tick();
    state.ResumeTiming();
  }
  report(state);
}

// Importance of all entities of the crowd, in random order, for one viewer.
void importance(benchmark::State& state) {
  const Layer layer{"creatures", radius};
  Crowd crowd(state, {&layer, 1});
  shuffle(crowd.entities);
  const Viewer viewer(1, crowd.entities[0]);
  for (auto _ : state) {
    const server::Interest::Observer observer = crowd.interest.observer(viewer);
    float sum = 0;
    for (const Entity entity : crowd.entities) sum += crowd.interest.importance(observer, entity.index);
    benchmark::DoNotOptimize(sum);
  }
  report(state);
}

BENCHMARK(query_near)->Name("interest/query")->Arg(1000)->Arg(100000)->Unit(benchmark::kMicrosecond);
BENCHMARK(query_everything)->Name("interest/query_everything")->Arg(1000)->Unit(benchmark::kMicrosecond);
BENCHMARK(query_groups)
    ->Name("interest/query_groups")
    ->Args({3000, 1000})
    ->Args({30000, 10000})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(update_interest)
    ->Name("interest/update")
    ->Args({1000, 1})
    ->Args({100000, 1})
    ->Args({100000, 100})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(importance)->Name("interest/importance")->Arg(1000)->Arg(100000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace mobula::bench
