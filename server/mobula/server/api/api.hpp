// The admin port's JSON: what it tells of a process and its worlds, and what it lets people do (openapi.json, live.md).
// Each file answers for one thing. A query is read into values on the simulation's thread, in a bounded time:
// long lists are paged. All text comes of that on the admin server's thread.
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

// What can be told without asking the simulation's thread, which keeps it up to date.
struct Pulse {
  std::atomic<core::Nanoseconds> ticked_at = 0;  // when the last tick of any world ended; 0: none has
  std::atomic<bool> draining = false;            // lets nobody in any more, and will end
};

struct Api {
  // On the simulation's thread, at each query: those that there are, the oldest first.
  std::function<std::vector<Inspection*>()> worlds;
  std::shared_ptr<Pulse> pulse = std::make_shared<Pulse>();
  bool hands_out_tokens = false;
  core::Nanoseconds started_at = core::monotonic_now();
  double started_unix_seconds = 0;
};
using ApiPtr = std::shared_ptr<const Api>;

// All but those that the admin folder has itself.
std::vector<admin::Route> routes(const ApiPtr& api);
std::vector<admin::Topic> topics(const ApiPtr& api);
// What a live connection is told first.
std::string welcome(const ApiPtr& api);

}  // namespace mobula::server::api
