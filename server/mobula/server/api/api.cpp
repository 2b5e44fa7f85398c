#include <algorithm>
#include <mobula/core/did_you_mean.hpp>
#include <mobula/server/api/process_facts.hpp>
#include <mobula/server/api/query_impl.hpp>

namespace mobula::server::api {
namespace {

// Returns a topic whose frames are the answers of a query. `parameters` names members of the subscription that become
// query parameters of the same name.
admin::Topic repeating(const ApiPtr& api, std::string_view name, double per_second, const Read& read,
                       const std::vector<std::string_view>& parameters, std::string_view limit = {}) {
  return {name, per_second, [=](std::string_view text) -> core::Result<std::shared_ptr<admin::Feed>> {
            const json body = json::parse(text);
            core::Result<std::string> world = world_in(body, parameters);
            if (!world) return world.error();
            Request request;
            if (!world->empty()) request.parameters.emplace("world", *world);
            if (!limit.empty()) request.parameters.emplace("limit", limit);
            for (const std::string_view parameter : parameters) {
              const auto found = body.find(parameter);
              if (found == body.end()) return core::Error{"bad request", core::format("{} is missing", parameter)};
              request.parameters.emplace(parameter, found->is_string() ? found->get<std::string>() : found->dump());
            }
            return repeat(api, read, std::move(request));
          }};
}

}  // namespace

std::vector<admin::Route> routes(const ApiPtr& api) {
  std::vector<admin::Route> all;
  for (const auto& some : {process_routes, metrics_routes, session_routes, ban_routes, entity_routes, prototype_routes,
                           pool_routes, system_routes, resource_routes})
    for (admin::Route& route : some(api)) all.push_back(std::move(route));
  return all;
}

std::vector<admin::Topic> topics(const ApiPtr& api) {
  return {overview_topic(api),
          map_topic(api),
          repeating(api, "systems", 2, read_systems, {}),
          repeating(api, "sessions", 1, read_sessions, {}, "200"),
          repeating(api, "session", 2, read_session, {"player"}),
          repeating(api, "entity", 5, read_entity, {"handle"})};
}

std::string welcome(const ApiPtr& api) {
  json names = json::array();
  for (const admin::Topic& topic : topics(api)) names.push_back(topic.name);
  return text_of({{"version", version()}, {"topics", std::move(names)}});
}

core::Result<std::string> world_in(const json& request, std::span<const std::string_view> others) {
  std::vector<std::string_view> known(others.begin(), others.end());
  for (const std::string_view name : {"subscribe", "world", "per_second"}) known.push_back(name);
  for (const auto& [name, value] : request.items())
    if (std::ranges::find(known, name) == known.end())
      return core::Error{"bad request", core::format("there is no '{:.100}'{}", name,
                                                     core::did_you_mean(std::string_view(name).substr(0, 100), known))};
  const auto world = request.find("world");
  if (world == request.end()) return std::string();
  if (!world->is_string()) return core::Error{"bad request", "world: expected a name"};
  return world->get<std::string>();
}

core::Result<std::uint64_t> number_in(const json& request, std::string_view name, std::uint64_t low, std::uint64_t high,
                                      std::uint64_t otherwise) {
  const auto found = request.find(name);
  if (found == request.end()) return otherwise;
  if (!found->is_number_unsigned() || *found < low || *found > high)
    return core::Error{"bad request", core::format("{}: expected a whole number from {} to {}", name, low, high)};
  return found->get<std::uint64_t>();
}

}  // namespace mobula::server::api
