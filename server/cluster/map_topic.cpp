#include <algorithm>
#include <cluster/map_topic.hpp>

namespace mobula::cluster {

class MapTopic::Feed final : public server::admin::Feed {
 public:
  Feed(MapTopic& topic, MapRequest request) : topic_(topic), subscription_(std::make_shared<Subscription>()) {
    subscription_->request = std::move(request);
  }
  ~Feed() override { subscription_->over = true; }
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  Frame next() override {
    return [frame = topic_.frame(subscription_)] { return frame; };
  }

 private:
  MapTopic& topic_;
  std::shared_ptr<Subscription> subscription_;
};

server::admin::Topic MapTopic::topic() {
  return {"map", 5, [this](std::string_view request) -> core::Result<std::shared_ptr<server::admin::Feed>> {
            core::Result<MapRequest> parsed = parse_map_request(request);
            if (!parsed) return parsed.error();
            return std::shared_ptr<server::admin::Feed>(std::make_shared<Feed>(*this, std::move(*parsed)));
          }};
}

// A watch of a map that has changed is made anew with the next frame.
void MapTopic::update(core::Nanoseconds now) {
  const Directory& directory = context_.control.directory();
  std::erase_if(watches_, [&](const Watched& each) {
    const KeyValue* const map = directory.find(std::string(maps_prefix) + each.subscription->request.map);
    return each.subscription->over.load() || (map != nullptr && map->modified != each.map);
  });
  for (const Watched& each : watches_) each.watch->update(now);
}

core::Result<std::string> MapTopic::frame(const std::shared_ptr<Subscription>& subscription) {
  auto found = std::ranges::find(watches_, subscription, &Watched::subscription);
  if (found == watches_.end()) {
    const core::Result<server::ZoneMap> map = find_map(context_.control.directory(), subscription->request.map);
    if (!map) return map.error();
    const Revision revision =
        context_.control.directory().find(std::string(maps_prefix) + subscription->request.map)->modified;
    watches_.push_back({subscription, std::make_unique<MapWatch>(context_, subscription->request, *map), revision});
    found = std::prev(watches_.end());
    found->watch->update(context_.control.now());
  }
  return found->watch->take().dump();
}

}  // namespace mobula::cluster
