// Positions of the entities of a map's zones for one subscriber: a live feed of each zone's node, merged.
#pragma once

#include <cluster/control.hpp>
#include <cluster/merged_map.hpp>
#include <cluster/node_addresses.hpp>
#include <mobula/net/text_socket.hpp>

namespace mobula::cluster {

/// Part of a map that is watched, in metres.
struct MapRequest {
  std::string map{};
  float x[2] = {-std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity()};
  float z[2] = {-std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity()};
  std::uint32_t entities_max = 0;
};

/// Parses the message of a subscriber, a JSON object. Errors: "bad request".
core::Result<MapRequest> parse_map_request(std::string_view json);

class MapWatch {
 public:
  static constexpr core::Nanoseconds retry_interval = core::second;

  struct Context {
    net::EventLoop& events;
    Control& control;
    NodeAddresses& addresses;
    std::string bearer{};  // token of the nodes' admin ports; empty for none
  };

  /// `context` must outlive it.
  MapWatch(const Context& context, MapRequest request, const server::ZoneMap& zones);

  /// Connects to the nodes that have the zones now.
  void update(core::Nanoseconds now);
  /// Returns what has changed since the last call. `unread` has the numbers of zones whose nodes do not send theirs.
  nlohmann::json take();

 private:
  struct Link {
    std::string world{};
    std::string admin{};  // admin URL of the zone's node; empty without one
    core::Nanoseconds retry_at = 0;
    bool failed = false;  // since the last frame
    std::unique_ptr<net::TextSocket> socket{};
  };

  void connect(std::uint32_t zone);
  void on_text(std::uint32_t zone, std::string_view text);
  void fail(std::uint32_t zone);
  [[nodiscard]] std::string admin_of(const std::string& world) const;
  [[nodiscard]] bool wants(const server::Region& region) const;

  const Context& context_;
  MapRequest request_;
  MergedMap merged_;
  std::vector<Link> links_;  // by zone; without a world if the zone is not in the part
  core::Nanoseconds now_ = 0;
};

}  // namespace mobula::cluster
