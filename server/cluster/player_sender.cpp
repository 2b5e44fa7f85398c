#include <algorithm>
#include <cluster/player_sender.hpp>
#include <cluster/shallow_json.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/net/http_connection.hpp>

namespace mobula::cluster {
namespace {

constexpr std::size_t sent_bytes_max = 4096;
constexpr std::size_t account_bytes_shown = 100;

}  // namespace

struct PlayerSender::Search {
  std::string body{};
  std::map<std::string, std::string> unasked{};  // admin URLs, by node
  std::map<std::string, std::string> trouble{};  // by node that has not answered
  std::vector<std::unique_ptr<net::HttpConnection>> connections{};
  std::string world{};  // that has the player
};

// Again later, while the host is looked up.
void PlayerSender::ask(Search& search, const std::string& node, const std::string& admin) {
  const std::string url = addresses_.url_of(admin);
  if (url.empty()) return;
  search.unasked.erase(node);
  search.trouble[node] = "no answer";
  search.connections.push_back(std::make_unique<net::HttpConnection>(
      events_, url, net::HttpOptions{.timeout = patience, .answer_bytes_max = sent_bytes_max, .bearer = bearer_}));
  search.connections.back()->post(
      "/api/players/send", search.body, [this, &search, node, admin](const core::Result<std::string>& answer) {
        if (!answer) addresses_.forget(admin);  // its host may have another address by now
        const nlohmann::json found = answer ? parse_shallow(*answer) : nlohmann::json();
        const auto world = found.is_object() ? found.find("world") : found.end();
        if (world != found.end() && world->is_string()) search.world = world->get<std::string>();
        if (world != found.end() && (world->is_string() || world->is_null()))
          search.trouble.erase(node);
        else
          search.trouble[node] = answer ? "its answer has another form" : answer.error().message;
      });
}

core::Result<std::string> PlayerSender::send(const std::string& account, const std::string& world) {
  if (core::Status known = control_.known(); !known) return known.error();
  if (!control_.world(world)) return core::Error{"no such world", core::format("there is no world '{}'", world)};
  Search search{.body = nlohmann::json{{"account", account}, {"target", world}}.dump(
                    -1, ' ', false, nlohmann::json::error_handler_t::replace)};
  for (const auto& [name, node] : control_.directory().nodes()) {
    search.unasked[name] = node.record.admin;
    search.trouble[name] = "its admin port cannot be reached";
  }
  control_.wait(patience, [&] {
    for (const auto& [name, admin] : std::map(search.unasked)) ask(search, name, admin);
    return !search.world.empty() || search.trouble.empty();
  });
  if (search.world.empty()) return not_found(search, account);
  return search.world;
}

core::Error PlayerSender::not_found(const Search& search, const std::string& account) const {
  const std::string shown = core::shown(account, account_bytes_shown);
  if (!search.trouble.empty()) {
    const auto& [node, why] = *search.trouble.begin();
    return {"unanswered", core::format("no other node has a player of account '{}', and {} nodes have not answered, "
                                       "such as '{}': {}",
                                       shown, search.trouble.size(), node, why)};
  }
  for (const auto& [id, crossing] : control_.directory().crossings())
    if (crossing.record.account == account)
      return {"on the way", core::format("account '{}' goes from world '{}' to world '{}'; try again later", shown,
                                         crossing.record.source, crossing.record.target)};
  return {"no such player", core::format("no world has a player of account '{}'", shown)};
}

}  // namespace mobula::cluster
