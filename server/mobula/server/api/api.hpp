// JSON API of the admin port (openapi.json, docs/live.md): reads and controls a process and its worlds. Each file
// serves one kind of resource. A query collects values on the simulation thread in bounded time; long lists are paged.
// Text is made of the values on the admin thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mobula/server/admin/http.hpp>
#include <mobula/server/admin/topic.hpp>
#include <mobula/server/api/inspection.hpp>
#include <string>
#include <vector>

namespace mobula::server::api {

/// State that is readable without a query, kept up to date by the simulation thread.
struct Pulse {
  std::atomic<core::Nanoseconds> ticked_at = 0;  // end of the last tick of any world; 0 before the first
  std::atomic<bool> draining = false;            // new clients are refused, the server will end
  std::atomic<const char*> not_ready = nullptr;  // why it takes no clients otherwise, a static text; null if it does
};

struct Api {
  /// Returns the current worlds, the oldest first. Called on the simulation thread for each query.
  std::function<std::vector<Inspection*>()> worlds;
  std::shared_ptr<Pulse> pulse = std::make_shared<Pulse>();
  bool hands_out_tokens = false;
  core::Nanoseconds started_at = core::monotonic_now();
  double started_unix_seconds = 0;
};
using ApiPtr = std::shared_ptr<const Api>;

/// Returns all routes except those built into the admin server.
std::vector<admin::Route> routes(const ApiPtr& api);
std::vector<admin::Topic> topics(const ApiPtr& api);
/// Returns the first message of a live connection.
std::string welcome(const ApiPtr& api);

}  // namespace mobula::server::api
