// What the live feed tells of (live.md). A connection that subscribes to a topic has a Feed of its own; as long as it
// reads, it asks that for the next frame so many times per second, and gets each frame it asked for.
#pragma once

#include <functional>
#include <memory>
#include <mobula/core/result.hpp>
#include <string>
#include <string_view>

namespace mobula::server::admin {

class Feed {
 public:
  // A JSON object, without its topic, as text that begins with '{'. What fails ends the subscription.
  using Frame = std::function<core::Result<std::string>()>;

  virtual ~Feed() = default;
  // On the simulation's thread, one call at a time. What it gives is called on the admin server's thread, once.
  virtual Frame next() = 0;
};

struct Topic {
  std::string_view name;
  double per_second = 1;  // frames, if the client does not say
  // On the admin server's thread. `wish` is what the client said: a JSON object, with "subscribe" and perhaps a good
  // "per_second"; all else is the topic's to check.
  std::function<core::Result<std::shared_ptr<Feed>>(std::string_view wish)> subscribe;
};

}  // namespace mobula::server::admin
