// Topic "map" of the cluster's live feed: a world of many zones as one map. Frames have the form of a node's topic of
// that name (docs/live.md). The prototype of an entity is the number of its zone, and `unread` has the numbers of zones
// whose nodes do not send their entities.
#pragma once

#include <atomic>
#include <cluster/map_watch.hpp>
#include <mobula/server/admin/topic.hpp>

namespace mobula::cluster {

class MapTopic {
 public:
  /// `context` must outlive it.
  explicit MapTopic(const MapWatch::Context& context) : context_(context) {}

  /// Returns the topic. It refers to this object.
  server::admin::Topic topic();
  /// Updates what is watched. Called on the thread of the control, as all further functions.
  void update(core::Nanoseconds now);
  [[nodiscard]] std::size_t watches() const { return watches_.size(); }

 private:
  // Shared with a feed, which ends on the thread of the HTTP server.
  struct Subscription {
    MapRequest request{};
    std::atomic<bool> over = false;
  };
  struct Watched {
    std::shared_ptr<Subscription> subscription{};
    std::unique_ptr<MapWatch> watch{};
    Revision map = 0;  // that is watched
  };
  class Feed;

  core::Result<std::string> frame(const std::shared_ptr<Subscription>& subscription);

  const MapWatch::Context& context_;
  std::vector<Watched> watches_;
};

}  // namespace mobula::cluster
