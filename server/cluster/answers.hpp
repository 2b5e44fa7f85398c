// Nodes and worlds of a cluster as JSON, as the HTTP interface and the commands give them.
#pragma once

#include <cluster/control.hpp>
#include <cluster/node_figures.hpp>
#include <nlohmann/json.hpp>

namespace mobula::cluster {

using Json = nlohmann::ordered_json;

Json world_json(std::string_view name, const WorldRecord& world);
/// Returns a node. Null if the directory has none of this name.
Json node_json(const Directory& directory, std::string_view name);

/// Part of a list by name.
struct Page {
  std::string after{};  // last name of the page before
  std::size_t limit = 0;
};
/// Returns {"nodes": […], "next": NAME or null}: the value of `after` for the next page, if there is one.
Json nodes_json(const Directory& directory, const Page& page);
/// Returns {"map": NAME, "zones": [worlds]}.
Json map_json(const std::string& map, const server::ZoneMap& zones);
Json worlds_json(const Control& control, const Page& page);
/// Returns {"maps": [names], "next": …}.
Json maps_json(const Directory& directory, const Page& page);
/// Returns a map with its zones: where each is, and the figures that its node gives. Those are null if they are not
/// known.
Json zones_json(const Control& control, NodeFigures& figures, const std::string& map, const server::ZoneMap& zones);

/// Returns {"account": …, "from": WORLD, "world": WORLD} for a player who was sent.
Json sent_json(std::string_view account, std::string_view from, std::string_view world);
/// Returns text on one line. Bytes that are not UTF-8 are replaced.
std::string text_of(const Json& json);

}  // namespace mobula::cluster
