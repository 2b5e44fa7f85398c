// Bans: list, add, remove.
#include <mobula/core/log.hpp>
#include <mobula/server/api/query_impl.hpp>

namespace mobula::server::api {
namespace {

constexpr std::uint64_t seconds_max = 100ull * 365 * 86'400;

json ban_json(const Ban& ban) {
  return {{"account", ban.account},
          {"reason", ban.reason},
          {"until_unix_seconds", ban.until == 0 ? json(nullptr) : json(ban.until)}};
}

core::Result<json> read_bans(Inspection& world, const Request& request) {
  const core::Result<Page> page = api::page(request);
  if (!page) return page.error();
  // Reads one more than the page to see whether another page follows.
  const std::vector<Ban> some = world.server().bans(page->cursor, page->limit + 1);
  json bans = json::array();
  for (const Ban& ban : some)
    if (bans.size() < page->limit) bans.push_back(ban_json(ban));
  const std::uint64_t next = page->cursor + bans.size();
  return json{{"world", world.name()}, {"bans", std::move(bans)}, {"next", next_page(next, some.size() > page->limit)}};
}

core::Result<json> ban(Inspection& world, const Request& request) {
  const core::Result<json> body = parse_body(request, {"reason", "seconds"});
  if (!body) return body.error();
  const core::Result<std::string> reason = reason_in(*body);
  if (!reason) return reason.error();
  const core::Result<std::uint64_t> seconds = number_in(*body, "seconds", 0, seconds_max, 0);
  if (!seconds) return seconds.error();
  const std::string account(request.parameter("account"));
  if (const core::Status added = world.server().ban(account, *reason, *seconds); !added) return added.error();
  return ban_json(*world.server().find_ban(account));
}

core::Result<json> unban(Inspection& world, const Request& request) {
  const std::string account(request.parameter("account"));
  if (const core::Status removed = world.server().unban(account); !removed) return removed.error();
  core::log_info("admin", "account {} is no longer banned", account);
  return json{{"account", account}};
}

}  // namespace

std::vector<admin::Route> ban_routes(const ApiPtr& api) {
  return {{"GET", "/api/bans", query_world(api, read_bans), {"world", "cursor", "limit"}},
          {"PUT", "/api/bans/{account}", query_world(api, ban), {"world"}},
          {"DELETE", "/api/bans/{account}", query_world(api, unban), {"world"}}};
}

}  // namespace mobula::server::api
