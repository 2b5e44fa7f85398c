// Topics of the live feed (docs/live.md). A connection that subscribes to a topic has its own Feed. While it reads, it
// requests the next frame per_second times per second, and receives every frame that it requested.
#pragma once

#include <functional>
#include <memory>
#include <mobula/core/result.hpp>
#include <string>
#include <string_view>

namespace mobula::server::admin {

class Feed {
 public:
  /// Returns a JSON object without its topic, as text that begins with '{'. An error ends the subscription.
  using Frame = std::function<core::Result<std::string>()>;

  virtual ~Feed() = default;
  /// Collects the next frame on the simulation thread, one call at a time. The result is called once, on the admin
  /// thread.
  virtual Frame next() = 0;
};

struct Topic {
  std::string_view name;
  double per_second = 1;  // frames, unless the client requests another rate
  // Makes a feed on the admin thread. `request` is the client's JSON object, with "subscribe" and optionally a checked
  // "per_second". The topic checks everything else.
  std::function<core::Result<std::shared_ptr<Feed>>(std::string_view request)> subscribe;
};

}  // namespace mobula::server::admin
