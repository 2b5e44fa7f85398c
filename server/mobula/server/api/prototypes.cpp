// Prototypes as a tree.
#include <algorithm>
#include <mobula/server/api/query_impl.hpp>

namespace mobula::server::api {
namespace {

using Chain = std::vector<ecs::PoolId>;

// Values of one prototype. Bases are found separately.
struct Seen {
  ecs::PrototypeId id;
  std::uint32_t entities;
  Chain chain;
};
struct Pools {
  std::vector<std::string> names;
  std::vector<ecs::PrototypeTable::SortKey> keys;
};
using Ids = std::map<Chain, ecs::PrototypeId>;

json find(const Ids& ids, const Chain& chain) {
  const auto found = ids.find(chain);
  return found == ids.end() ? json(nullptr) : json(found->second);
}

json prototype_json(const Seen& seen, const Ids& ids, const Pools& pools) {
  json components = json::array();
  for (const ecs::PoolId pool : seen.chain) components.push_back(pools.names[pool]);
  json base = nullptr;
  json added = nullptr;
  json pool = nullptr;
  if (!seen.chain.empty()) {
    base = find(ids, Chain(seen.chain.begin(), seen.chain.end() - 1));
    pool = seen.chain.back();
    added = pools.names[seen.chain.back()];
  }
  Chain canonical = seen.chain;
  std::ranges::sort(canonical, {}, [&](ecs::PoolId each) { return pools.keys[each]; });
  return {{"id", seen.id},
          {"base", std::move(base)},
          {"canonical", find(ids, canonical)},
          {"component", std::move(added)},
          {"pool", std::move(pool)},
          {"components", std::move(components)},
          {"entities", seen.entities}};
}

// Bases and canonical forms are looked up by composition. The lookup interns no new prototype.
core::Result<std::function<json()>> read_prototypes(Inspection& world, const Request& request) {
  const core::Result<Page> page = api::page(request);
  if (!page) return page.error();
  const ecs::PrototypeTable& table = std::as_const(world.registry()).prototypes();
  auto all = std::make_shared<std::vector<Seen>>();
  for (ecs::PrototypeId id = 0; id < table.size(); ++id) {
    if (!table.exists(id)) continue;
    const std::span<const ecs::PoolId> pools = table.pools(id);
    all->push_back({id, table.uses(id), Chain(pools.begin(), pools.end())});
  }
  auto pools = std::make_shared<Pools>();
  for (ecs::PoolId pool = 0; pool < world.registry().pool_count(); ++pool) {
    pools->names.push_back(world.registry().pool(pool).instance_name());
    pools->keys.push_back(table.key(pool));
  }
  return std::function<json()>([all, pools, page = *page, name = world.name()] {
    Ids ids;
    for (const Seen& each : *all) ids.emplace(each.chain, each.id);
    json prototypes = json::array();
    auto at = std::ranges::lower_bound(*all, page.cursor, {}, &Seen::id);
    for (; at != all->end() && prototypes.size() < page.limit; ++at)
      prototypes.push_back(prototype_json(*at, ids, *pools));
    const bool more = at != all->end();
    return json{{"world", name},
                {"total", all->size()},
                {"prototypes", std::move(prototypes)},
                {"next", next_page(more ? at->id : 0, more)}};
  });
}

}  // namespace

std::vector<admin::Route> prototype_routes(const ApiPtr& api) {
  return {{"GET", "/api/prototypes", query_world_apart(api, read_prototypes), {"world", "cursor", "limit"}}};
}

}  // namespace mobula::server::api
