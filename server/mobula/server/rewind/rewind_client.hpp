// The client of a player, as far as its views depend on it.
#pragma once

#include <mobula/server/replication/client_view.hpp>
#include <mobula/server/rewind/view_claims.hpp>
#include <mobula/transport/link_estimates.hpp>

namespace mobula::server {

struct RewindClient {
  ClientView* view = nullptr;  // null if it has none
  ViewClaims* claims = nullptr;
  transport::LinkEstimates path{};
};

}  // namespace mobula::server
