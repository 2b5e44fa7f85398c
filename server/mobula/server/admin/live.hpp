// GET /live: liveness probe; the process runs and answers.
#pragma once

#include <mobula/server/admin/http.hpp>

namespace mobula::server::admin {

Route live_route();

}  // namespace mobula::server::admin
