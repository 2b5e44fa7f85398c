// What the files of this folder have in common: how a world is asked, and what may stand in a query. For the sources
// of this folder alone.
#pragma once

#include <mobula/core/format.hpp>
#include <mobula/server/api/api.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

namespace mobula::server::api {

using admin::Request;
using nlohmann::json;

// Text of the game's or the clients' may be no UTF-8: it is replaced.
std::string text_of(const json& value);
admin::Response answer_of(const json& value);
std::string hex(std::uint64_t value);
double unix_seconds();
inline double seconds(core::Nanoseconds time) { return static_cast<double>(time) / core::second; }
inline double seconds(double nanoseconds) { return nanoseconds / core::second; }

// Empty name: the oldest. Reason: "no such world".
core::Result<Inspection*> find_world(const Api& api, std::string_view name);

// Questions of one world, which ?world= names. A route has what `read` gives as its answer.
using Read = std::function<core::Result<json>(Inspection& world, const Request& request)>;
admin::Handler ask_world(const ApiPtr& api, Read read);
// The same where writing takes longer than reading: `read` gives what then makes the answer, on the admin's thread.
using ReadApart = std::function<core::Result<std::function<json()>>(Inspection& world, const Request& request)>;
admin::Handler ask_world_apart(const ApiPtr& api, ReadApart read);
// A feed that tells of one world what a query of it would be told.
std::shared_ptr<admin::Feed> repeat(const ApiPtr& api, Read read, Request request);

// Whole numbers in paths and queries. Nothing if it was not given. Reason: "bad request".
core::Result<std::optional<std::uint64_t>> number(const Request& request, std::string_view name, std::uint64_t low,
                                                  std::uint64_t high);
core::Result<std::uint64_t> number_or(const Request& request, std::string_view name, std::uint64_t low,
                                      std::uint64_t high, std::uint64_t otherwise);

// Of a list that goes on.
struct Page {
  std::uint32_t cursor = 0;  // where it begins
  std::uint32_t limit = 0;
};
inline constexpr std::uint32_t limit_default = 100;
inline constexpr std::uint32_t limit_max = 500;
core::Result<Page> page(const Request& request);
// As the answer says it: null if there is nothing behind.
json next_page(std::uint64_t cursor, bool more);

// What a live client said: the world's name, empty if it said none. There may be no members but these and those that
// every subscription may have. Reason: "bad request".
core::Result<std::string> world_in(const json& wish, std::span<const std::string_view> others);
core::Result<std::uint64_t> number_in(const json& wish, std::string_view name, std::uint64_t low, std::uint64_t high,
                                      std::uint64_t otherwise);

// A JSON object with no other members than these. Reason: "bad request".
core::Result<json> body(const Request& request, std::initializer_list<std::string_view> members);

// Its member "reason", which may be missing. Reason: "bad request".
core::Result<std::string> reason_in(const json& said);

// The routes of each file.
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
