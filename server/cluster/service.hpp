// HTTP interface of a cluster, described in docs/cluster.md. Handlers parse requests on the thread of the HTTP server.
// Their work runs on the thread of the control, which calls HttpServer::serve().
#pragma once

#include <cluster/control.hpp>
#include <cluster/node_figures.hpp>
#include <cluster/player_sender.hpp>
#include <mobula/core/content_hash.hpp>
#include <mobula/server/admin/http.hpp>
#include <optional>

namespace mobula::cluster {

inline constexpr std::size_t page_default = 100;
inline constexpr std::size_t page_max = 500;
inline constexpr core::Nanoseconds change_patience = 1500 * core::millisecond;  // for an outcome of a request
inline constexpr core::Nanoseconds answer_patience = 4 * core::second;          // and for those before it

/// Returns the routes. Without a key every request for a token is refused with "no tokens". The references
/// must outlive them.
std::vector<server::admin::Route> service_routes(Control& control, NodeFigures& figures, PlayerSender& sender,
                                                 const std::optional<core::SecretKey>& key);

}  // namespace mobula::cluster
