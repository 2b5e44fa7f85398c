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

void MapTopic::update(core::Nanoseconds now) {
  std::erase_if(watches_, [](const Watched& each) { return each.subscription->over.load(); });
  for (const Watched& each : watches_) each.watch->update(now);
}

core::Result<std::string> MapTopic::frame(const std::shared_ptr<Subscription>& subscription) {
  auto found = std::ranges::find(watches_, subscription, &Watched::subscription);
  if (found == watches_.end()) {
    const core::Result<server::ZoneMap> map = find_map(context_.control.directory(), subscription->request.map);
    if (!map) return map.error();
    watches_.push_back({subscription, std::make_unique<MapWatch>(context_, subscription->request, *map)});
    found = std::prev(watches_.end());
    found->watch->update(context_.control.now());
  }
  return found->watch->take().dump();
}

}  // namespace mobula::cluster
