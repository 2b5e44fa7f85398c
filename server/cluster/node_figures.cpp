#include <algorithm>
#include <array>
#include <cluster/node_figures.hpp>
#include <cluster/shallow_json.hpp>

namespace mobula::cluster {
namespace {

using nlohmann::json;

constexpr std::size_t answer_bytes_max = std::size_t{1} << 20;
constexpr std::array<const char*, 6> passed{"tick", "entities", "players", "sessions", "load", "zone"};

// Returns the figures of all worlds by name. Other members, and worlds of another form, are left out.
json figures_of(const json& status) {
  json worlds = json::object();
  if (!status.is_object() || !status.contains("worlds") || !status["worlds"].is_array()) return worlds;
  for (const json& each : status["worlds"]) {
    if (!each.is_object() || !each.contains("name") || !each["name"].is_string()) continue;
    json& world = worlds[each["name"].get_ref<const std::string&>()];
    for (const char* const name : passed)
      if (const auto found = each.find(name); found != each.end()) world[name] = *found;
  }
  return worlds;
}

}  // namespace

void NodeFigures::update(core::Nanoseconds now) {
  std::erase_if(nodes_, [now](const auto& each) { return now - each.second.wanted_at > wanted_for; });
  for (auto& [admin, node] : nodes_)
    if (!node.asked && now >= node.due) ask(admin, node, now);
}

void NodeFigures::ask(const std::string& admin, Node& node, core::Nanoseconds now) {
  if (!node.connection) {
    const std::string url = addresses_.url_of(admin);
    if (url.empty()) return;
    node.connection = std::make_unique<net::HttpConnection>(
        events_, url, net::HttpOptions{.timeout = patience, .answer_bytes_max = answer_bytes_max, .bearer = bearer_});
  }
  node.asked = true;
  node.due = now + interval;
  node.connection->get("/api/status", [this, admin, &node, now](const core::Result<std::string>& answer) {
    node.asked = false;
    node.trouble = answer ? "" : answer.error().message;
    if (!answer) {  // its host may have another address by now
      addresses_.forget(admin);
      return node.connection.reset();
    }
    node.answered_at = now;
    node.worlds = figures_of(parse_shallow(*answer));
  });
}

json NodeFigures::world(const std::string& admin, const std::string& world, core::Nanoseconds now) {
  if (admin.empty()) return nullptr;
  Node& node = nodes_[admin];
  node.wanted_at = now;
  const auto found = node.worlds.find(world);
  return found == node.worlds.end() || now - node.answered_at > valid_for ? json(nullptr) : *found;
}

std::string NodeFigures::trouble(const std::string& admin) const {
  const auto found = nodes_.find(admin);
  return found == nodes_.end() ? std::string() : found->second.trouble;
}

}  // namespace mobula::cluster
