// Order of components in memory, and defragmentation.
#include <algorithm>
#include <array>
#include <limits>
#include <mobula/core/base64.hpp>
#include <mobula/ecs/locality.hpp>
#include <mobula/schema/engine.hpp>
#include <mobula/server/api/courses.hpp>
#include <mobula/server/api/query_impl.hpp>

namespace mobula::server::api {
namespace {

constexpr std::uint32_t size_default = 256;
constexpr std::uint32_t moves_default = 10'000;
constexpr std::uint32_t moves_max = 20'000;
// Maximum number of components in a picture, which copies 16 MB between two ticks.
constexpr std::size_t positions_max = std::size_t{1} << 22;

std::string_view name_of(ecs::OrderOwner owner) {
  constexpr std::array<std::string_view, 4> names{"nobody", "sort", "group", "hierarchy"};
  return names[static_cast<std::size_t>(owner)];
}

json pool_json(Inspection& world, const ecs::Pool& pool) {
  return {{"id", pool.id()},
          {"name", pool.instance_name()},
          {"type", pool.type().name},
          {"schema", pool.is_schema()},
          {"components", pool.size()},
          {"component_bytes", pool.type().size},
          {"used_bytes", std::uint64_t{pool.size()} * pool.type().size},
          {"order_owner", name_of(pool.order_owner())},
          {"courses", courses_json(world, pool.id())}};
}

core::Result<json> read_pools(Inspection& world, const Request& request) {
  const core::Result<Page> page = api::page(request);
  if (!page) return page.error();
  const ecs::Registry& registry = world.registry();
  json pools = json::array();
  ecs::PoolId id = page->cursor;
  for (; id < registry.pool_count() && pools.size() < page->limit; ++id)
    pools.push_back(pool_json(world, registry.pool(id)));
  return json{{"world", world.name()},
              {"total", registry.pool_count()},
              {"pools", std::move(pools)},
              {"next", next_page(id, id < registry.pool_count())}};
}

core::Error no_such_pool(std::uint64_t id, const ecs::Registry& registry) {
  return {"no such pool", core::format("there is no pool {}; the number of pools is {}", id, registry.pool_count())};
}

struct Pair {
  ecs::PoolId pool;
  ecs::PoolId lead;
};

// Returns the default lead pool: Transform, or the pool itself if there is none.
ecs::PoolId default_lead(const ecs::Registry& registry, ecs::PoolId pool) {
  const core::StringId32 transform(engine::Transform::component_name);
  const ecs::PoolId found = registry.find_pool(transform, transform);
  return found == ecs::no_pool ? pool : found;
}

core::Result<Pair> pair_of(const ecs::Registry& registry, const Request& request, std::optional<std::uint64_t> lead) {
  const core::Result<std::uint64_t> pool = number_or(request, "pool", 0, std::numeric_limits<ecs::PoolId>::max(), 0);
  if (!pool) return pool.error();
  if (*pool >= registry.pool_count()) return no_such_pool(*pool, registry);
  const auto id = static_cast<ecs::PoolId>(*pool);
  if (lead && *lead >= registry.pool_count()) return no_such_pool(*lead, registry);
  return Pair{id, lead ? static_cast<ecs::PoolId>(*lead) : default_lead(registry, id)};
}

// Pictures -----------------------------------------------------------------------------------------------------------

// Copy of two pools in a registry of its own, defragmented to show the result.
class Copy {
 public:
  Copy(std::span<const std::uint32_t> lead, std::span<const std::uint32_t> follower)
      : lead_(fill("lead", lead)), follower_(fill("follower", follower)) {}

  // Defragments completely. Returns the number of moves.
  std::uint64_t defragment() {
    ecs::Defragmenter defragmenter(registry_, lead_, {follower_});
    std::uint64_t moves = 0;
    while (defragmenter.rounds() == 0) moves += defragmenter.defragment(1u << 20);
    return moves;
  }
  [[nodiscard]] json order_json(std::uint32_t size) {
    const ecs::SparseSet& lead = registry_.pool(lead_).set();
    const ecs::Pool& follower = registry_.pool(follower_);
    const std::vector<std::uint32_t> order = ecs::iteration_order(lead, follower);
    const core::Bytes picture = ecs::draw_iteration(order, size, size);
    const core::ByteView dots = core::ByteView(picture).last(std::size_t{size} * size);
    return {{"locality", ecs::locality(lead, follower)},
            {"aligned", aligned(order.size())},
            {"picture", {{"width", size}, {"height", size}, {"pixels", core::to_base64(dots)}}}};
  }
  // Returns the share of common entities that have the same position in both pools. Iteration is fastest over these.
  [[nodiscard]] double aligned(std::size_t both) {
    const std::span<const std::uint32_t> lead = registry_.pool(lead_).indices();
    const std::span<const std::uint32_t> follower = registry_.pool(follower_).indices();
    std::size_t same = 0;
    for (std::size_t i = 0; i < std::min(lead.size(), follower.size()); ++i) same += lead[i] == follower[i] ? 1 : 0;
    return both == 0 ? 1 : static_cast<double>(same) / static_cast<double>(both);
  }
  // Returns the number of steps of an iteration over both.
  [[nodiscard]] std::size_t steps() {
    return ecs::iteration_order(registry_.pool(lead_).set(), registry_.pool(follower_)).size();
  }

 private:
  ecs::PoolId fill(std::string_view name, std::span<const std::uint32_t> indices) {
    const core::StringId32 type(name);
    (void)registry_.register_type({.id = type,
                                   .name = std::string(name),
                                   .size = 1,
                                   .alignment = 1,
                                   .schema = true,
                                   .default_value = core::Bytes(1)});
    const ecs::PoolId id = registry_.open_pool(type, name).value();
    registry_.pool(id).assign(indices, core::Bytes(indices.size()).data());
    return id;
  }

  ecs::Registry registry_;
  ecs::PoolId lead_ = 0;
  ecs::PoolId follower_ = 0;
};

struct Orders {
  Pair pair;
  ecs::OrderOwner owner;
  std::vector<std::uint32_t> lead;
  std::vector<std::uint32_t> follower;
};

json orders_json(const Orders& orders, std::uint32_t size, const std::string& world) {
  Copy copy(orders.lead, orders.follower);
  json reply = {{"world", world},
                {"pool", orders.pair.pool},
                {"lead", orders.pair.lead},
                {"walked", copy.steps()},
                {"order_owner", name_of(orders.owner)},
                {"now", copy.order_json(size)},
                {"mended", nullptr},
                {"mended_moves", 0}};
  if (orders.owner != ecs::OrderOwner::nobody || orders.pair.pool == orders.pair.lead) return reply;
  reply["mended_moves"] = copy.defragment();
  reply["mended"] = copy.order_json(size);
  return reply;
}

std::vector<std::uint32_t> copy_of(const ecs::Pool& pool) {
  const std::span<const std::uint32_t> indices = pool.indices();
  return {indices.begin(), indices.end()};
}

core::Result<std::function<json()>> read_order(Inspection& world, const Request& request) {
  const auto lead = number(request, "lead", 0, std::numeric_limits<ecs::PoolId>::max());
  if (!lead) return lead.error();
  const core::Result<std::uint64_t> size = number_or(request, "size", 16, 512, size_default);
  if (!size) return size.error();
  const core::Result<Pair> pair = pair_of(world.registry(), request, *lead);
  if (!pair) return pair.error();
  const ecs::Pool& pool = world.registry().pool(pair->pool);
  const ecs::Pool& first = world.registry().pool(pair->lead);
  if (std::size_t{pool.size()} + first.size() > positions_max)
    return core::Error{"too large", core::format("these pools have {} components; the maximum is {}",
                                                 std::size_t{pool.size()} + first.size(), positions_max)};
  const auto orders = std::make_shared<const Orders>(Orders{*pair, pool.order_owner(), copy_of(first), copy_of(pool)});
  return std::function<json()>([orders, size = static_cast<std::uint32_t>(*size), name = world.name()] {
    return orders_json(*orders, size, name);
  });
}

// Defragmentation ----------------------------------------------------------------------------------------------------

struct Defragmentation {
  std::optional<std::uint64_t> lead;
  std::uint32_t moves = moves_default;
};

core::Result<Defragmentation> defragmentation_in(const Request& request) {
  const core::Result<json> body = parse_body(request, {"lead", "moves"});
  if (!body) return body.error();
  Defragmentation wanted;
  if (const auto lead = body->find("lead"); lead != body->end()) {
    if (!lead->is_number_unsigned()) return core::Error{"bad request", "lead: expected the id of a pool"};
    wanted.lead = lead->get<std::uint64_t>();
  }
  if (const auto moves = body->find("moves"); moves != body->end()) {
    if (!moves->is_number_unsigned() || *moves < 2u || *moves > moves_max)
      return core::Error{"bad request", core::format("moves: expected a whole number from 2 to {}", moves_max)};
    wanted.moves = moves->get<std::uint32_t>();
  }
  return wanted;
}

core::Result<json> defragment(Inspection& world, const Request& request) {
  const core::Result<Defragmentation> wanted = defragmentation_in(request);
  if (!wanted) return wanted.error();
  const core::Result<Pair> pair = pair_of(world.registry(), request, wanted->lead);
  if (!pair) return pair.error();
  const ecs::Pool& pool = world.registry().pool(pair->pool);
  if (pair->pool == pair->lead) return core::Error{"bad request", "lead must be another pool"};
  if (pool.order_owner() != ecs::OrderOwner::nobody)
    return core::Error{"order owned", core::format("the order of {} is owned by a {}", pool.instance_name(),
                                                   name_of(pool.order_owner()))};
  ecs::Defragmenter& defragmenter = world.defragmenter(pair->lead, pair->pool);
  const std::uint64_t rounds = defragmenter.rounds();
  const std::uint32_t moves = defragmenter.defragment(wanted->moves);
  return json{{"world", world.name()},
              {"pool", pair->pool},
              {"lead", pair->lead},
              {"moves", moves},
              {"round_ended", defragmenter.rounds() != rounds}};
}

}  // namespace

std::vector<admin::Route> pool_routes(const ApiPtr& api) {
  return {{"GET", "/api/pools", query_world(api, read_pools), {"world", "cursor", "limit"}},
          {"GET", "/api/pools/{pool}/order", query_world_apart(api, read_order), {"world", "lead", "size"}},
          {"POST", "/api/pools/{pool}/mend", query_world(api, defragment), {"world"}}};
}

}  // namespace mobula::server::api
