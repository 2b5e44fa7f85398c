// Model of Agones' sidecar, without sockets. It follows Agones 1.56: sdk.swagger.json and beta.swagger.json list the
// requests, pkg/sdkserver/sdkserver.go carries them out, and the gateway of cmd/sdk-server/main.go sets the status of
// an error. Agones' controller acts at once, so "RequestReady" is never seen.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::agones::test {

struct ModelRequest {
  std::string method;
  std::string path;
  std::string body;
};

struct ModelAnswer {
  int status = 200;
  std::string body = "{}";
};

struct ModelCounter {
  std::int64_t count = 0;
  std::int64_t capacity = 0;
  bool operator==(const ModelCounter&) const = default;
};

class SidecarModel {
 public:
  ModelAnswer answer(const ModelRequest& request);
  // Does what a GameServerAllocation does. Returns false if the game server is not ready.
  bool allocate_by_agones();

  std::string state = "Scheduled";
  bool deleted = false;
  std::string address = "203.0.113.5";
  int port = 7412;
  std::int64_t reserved_seconds = -1;  // duration of the last reservation; -1 before it
  std::uint64_t pings = 0;
  std::uint64_t ready_requests = 0;
  bool allocated_by_agones = false;              // since the last request for a state
  std::uint64_t undone_allocations = 0;          // allocations by Agones that a request ended
  std::map<std::string, ModelCounter> counters;  // those that the resource declares

 private:
  ModelAnswer ready(const ModelRequest& request);
  ModelAnswer health(const ModelRequest& request);
  ModelAnswer allocate(const ModelRequest& request);
  ModelAnswer reserve(const ModelRequest& request);
  ModelAnswer shut_down(const ModelRequest& request);
  ModelAnswer game_server(const ModelRequest& request);
  ModelAnswer counter(const ModelRequest& request);
  void enter(std::string_view next);
};

}  // namespace mobula::agones::test
