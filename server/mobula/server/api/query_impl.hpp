// Shared by the files of this folder: queries of a world, and their parameters. Private to this folder.
#pragma once

#include <mobula/core/format.hpp>
#include <mobula/server/api/api.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

namespace mobula::server::api {

using admin::Request;
using nlohmann::json;

// Returns the entity that the Parent of an entity names, null without one.
ecs::Entity parent_of(const ecs::Registry& registry, ecs::Entity entity);

// Returns JSON text. Invalid UTF-8 from games or clients is replaced.
std::string text_of(const json& value);
admin::Response answer_of(const json& value);
std::string hex(std::uint64_t value);
double unix_seconds();
// Returns the shortest decimal form: 4.6, not 4.599999904632568. Null for what is no number or infinite.
json shortest(float value);

// Returns a world by name, the oldest if the name is empty. Errors: "no such world".
core::Result<Inspection*> find_world(const Api& api, std::string_view name);

// Returns a handler that answers with the result of `read` for the world named by ?world=.
using Read = std::function<core::Result<json>(Inspection& world, const Request& request)>;
admin::Handler query_world(const ApiPtr& api, Read read);
// Like query_world, for large answers: the function returned by `read` makes the answer on the admin thread.
using ReadApart = std::function<core::Result<std::function<json()>>(Inspection& world, const Request& request)>;
admin::Handler query_world_apart(const ApiPtr& api, ReadApart read);
// Returns a feed whose frames are the answers of a query.
std::shared_ptr<admin::Feed> repeat(const ApiPtr& api, Read read, Request request);

// Returns a whole number from a path or query, nothing if it was not given. Errors: "bad request".
core::Result<std::optional<std::uint64_t>> number(const Request& request, std::string_view name, std::uint64_t low,
                                                  std::uint64_t high);
core::Result<std::uint64_t> number_or(const Request& request, std::string_view name, std::uint64_t low,
                                      std::uint64_t high, std::uint64_t otherwise);

// Page of a list.
struct Page {
  std::uint32_t cursor = 0;  // first element
  std::uint32_t limit = 0;
};
inline constexpr std::uint32_t limit_default = 100;
inline constexpr std::uint32_t limit_max = 500;
core::Result<Page> page(const Request& request);
// Returns the cursor of the next page as JSON, null if there is none.
json next_page(std::uint64_t cursor, bool more);

// Returns the world's name in a subscription, empty if it has none. Members other than `others` and those of every
// subscription are refused. Errors: "bad request".
core::Result<std::string> world_in(const json& request, std::span<const std::string_view> others);
core::Result<std::uint64_t> number_in(const json& request, std::string_view name, std::uint64_t low, std::uint64_t high,
                                      std::uint64_t otherwise);

// Returns the body, a JSON object with no other members than `members`. Errors: "bad request".
core::Result<json> parse_body(const Request& request, std::initializer_list<std::string_view> members);

// Returns the optional member "reason". Errors: "bad request".
core::Result<std::string> reason_in(const json& body);

// Routes of each file.
std::vector<admin::Route> process_routes(const ApiPtr& api);
std::vector<admin::Route> session_routes(const ApiPtr& api);
std::vector<admin::Route> ban_routes(const ApiPtr& api);
std::vector<admin::Route> entity_routes(const ApiPtr& api);
std::vector<admin::Route> prototype_routes(const ApiPtr& api);
std::vector<admin::Route> pool_routes(const ApiPtr& api);
std::vector<admin::Route> system_routes(const ApiPtr& api);
std::vector<admin::Route> resource_routes(const ApiPtr& api);
std::vector<admin::Route> metrics_routes(const ApiPtr& api);

admin::Topic overview_topic(const ApiPtr& api);
admin::Topic map_topic(const ApiPtr& api);

core::Result<json> read_systems(Inspection& world, const Request& request);
core::Result<json> read_sessions(Inspection& world, const Request& request);
core::Result<json> read_session(Inspection& world, const Request& request);
core::Result<json> read_entity(Inspection& world, const Request& request);

}  // namespace mobula::server::api
