#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cluster/answers.hpp>
#include <cluster/map_watch.hpp>
#include <cluster/metrics.hpp>
#include <cluster/orders.hpp>
#include <cluster/service.hpp>
#include <cluster/world_token.hpp>
#include <memory>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>

namespace mobula::cluster {
namespace {

namespace admin = server::admin;
using admin::Finish;
using admin::Request;
using admin::Response;

using Status = admin::ReasonStatus;

constexpr std::array statuses{
    Status{"bad address", 502},    Status{"bad answer", 502},   Status{"bad record", 409},
    Status{"busy", 503},           Status{"failed", 500},       Status{"foreign", 503},
    Status{"name taken", 409},     Status{"no majority", 503},  Status{"no rectangle", 409},
    Status{"no spare zone", 409},  Status{"no such zone", 404}, Status{"other change", 409},
    Status{"no space", 503},       Status{"no such map", 404},  Status{"no such node", 404},
    Status{"no such world", 404},  Status{"no tokens", 404},    Status{"not open", 409},
    Status{"no such player", 404}, Status{"on the way", 409},   Status{"unanswered", 503},
    Status{"other game", 409},     Status{"refused", 502},      Status{"unfinished", 504},
    Status{"unknown host", 502},   Status{"unreachable", 503},
};

Response refusal(const core::Error& error) { return admin::error_response(error, statuses); }

Response json_response(const Json& body, unsigned status = 200) { return {status, text_of(body)}; }

Response not_open(const core::Error& error, const WorldRecord& world) {
  Json body = Json::parse(refusal(error).body);
  body["state"] = to_string(world.state);
  body["trouble"] = world.trouble;
  Response response = json_response(body, 409);
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

core::Error no_such_world(std::string_view name) {
  constexpr std::size_t shown_max = 100;
  return {"no such world", core::format("there is no world '{}'", name.substr(0, shown_max))};
}

// Work on the control's thread that makes a response, or a function that makes it on the thread of the HTTP server.
using Work = std::function<core::Result<Finish>()>;

admin::Query on_control(Work work) {
  const auto begun = std::make_shared<std::atomic<bool>>(false);
  return {.work = [begun, work = std::move(work)]() -> Finish {
            *begun = true;
            core::Result<Finish> finish = work();
            if (finish) return std::move(*finish);
            return [error = finish.error()] { return refusal(error); };
          },
          .otherwise =
              [begun] {
                return *begun ? refusal({"unfinished", "there is no outcome in time; it may still take effect"})
                              : refusal({"busy", "others wait for etcd; nothing was changed, try again later"});
              }};
}

Finish answered(Response response) {
  return [response = std::move(response)] { return response; };
}

class Service {
 public:
  Service(Control& control, NodeFigures& figures, PlayerSender& sender, const std::optional<core::SecretKey>& key)
      : control_(control), figures_(figures), sender_(sender), key_(key) {}

  admin::Reply nodes(const Request& request) const {
    return list(request, [this](const Page& page) { return nodes_json(control_.directory(), page); });
  }
  admin::Reply worlds(const Request& request) const {
    return list(request, [this](const Page& page) { return worlds_json(control_, page); });
  }
  admin::Reply world(const Request& request) const {
    return on_control([this, name = std::string(request.parameter("world"))]() -> core::Result<Finish> {
      if (const core::Status known = control_.known(); !known) return known.error();
      const std::optional<WorldRecord> found = control_.world(name);
      if (!found) return no_such_world(name);
      return answered(json_response(world_json(name, *found)));
    });
  }
  admin::Reply create(const Request& request) const {
    const core::Result<Order> order = parse_world_order(request.body);
    if (!order) return refusal(order.error());
    return on_control([this, order = *order]() -> core::Result<Finish> {
      if (const core::Status created = control_.create(order.world, order.game); !created) return created.error();
      core::log_info("cluster", "world '{}' was created", order.world);
      const WorldRecord shown = control_.world(order.world).value_or(WorldRecord{.game = order.game});
      return answered(json_response(world_json(order.world, shown), 201));
    });
  }
  admin::Reply create_map(const Request& request) const {
    const core::Result<Order> order = parse_map_order(request.body);
    if (!order) return refusal(order.error());
    core::Result<server::ZoneMap> zones = server::ZoneMap::parse(order->zones);
    if (!zones) return refusal(zones.error());
    return on_control([this, order = *order, zones = *zones]() -> core::Result<Finish> {
      if (const core::Status created = control_.create_map(order.map, zones, order.game); !created)
        return created.error();
      core::log_info("cluster", "map '{}' with {} zones was created", order.map, zones.zones().size());
      return answered(json_response(map_json(order.map, zones), 201));
    });
  }
  admin::Reply split(const Request& request) const {
    const core::Result<Order> order = parse_split_order(request.body);
    if (!order) return refusal(order.error());
    return change_map(request,
                      [order = *order](const server::ZoneMap& map) { return map.split(order.zone, order.cut); });
  }
  admin::Reply merge(const Request& request) const {
    const core::Result<Order> order = parse_merge_order(request.body);
    if (!order) return refusal(order.error());
    return change_map(request,
                      [order = *order](const server::ZoneMap& map) { return map.merge(order.zone, order.into); });
  }
  admin::Reply maps(const Request& request) const {
    return list(request, [this](const Page& page) { return maps_json(control_.directory(), page); });
  }
  admin::Reply map(const Request& request) const {
    return on_control([this, name = std::string(request.parameter("map"))]() -> core::Result<Finish> {
      if (const core::Status known = control_.known(); !known) return known.error();
      const core::Result<server::ZoneMap> zones = find_map(control_.directory(), name);
      if (!zones) return zones.error();
      return answered(json_response(zones_json(control_, figures_, name, *zones)));
    });
  }
  admin::Reply drain(const Request& request) const {
    if (const core::Status empty = check_empty(request.body); !empty) return refusal(empty.error());
    return on_control([this, name = std::string(request.parameter("node"))]() -> core::Result<Finish> {
      if (const core::Status drained = control_.drain(name); !drained) return drained.error();
      core::log_info("cluster", "node '{}' drains", name);
      return answered(json_response(Json{{"node", name}, {"draining", true}}));
    });
  }
  admin::Reply send(const Request& request) const {
    const core::Result<Order> order = parse_player_order(request.body);
    if (!order) return refusal(order.error());
    return on_control([this, order = *order]() -> core::Result<Finish> {
      const core::Result<std::string> from = sender_.send(order.account, order.world);
      if (!from) return from.error();
      return answered(json_response(sent_json(order.account, *from, order.world)));
    });
  }
  admin::Reply tokens(const Request& request) const {
    if (!key_) return refusal({"no tokens", "this program makes no tokens, because it was started without --key-file"});
    const core::Result<Order> order = parse_token_order(request.body);
    if (!order) return refusal(order.error());
    return on_control([this, key = *key_, order = *order] { return token_for(order, key); });
  }
  admin::Reply health(const Request& /*request*/) const {
    admin::Query query = on_control([this]() -> core::Result<Finish> {
      const bool good = !control_.trouble();
      return answered(json_response(Json{{"status", good ? "ok" : "no contact with etcd"}}, good ? 200 : 503));
    });
    query.otherwise = [] { return json_response(Json{{"status", "busy"}}, 503); };
    return query;
  }
  admin::Reply metrics(const Request& /*request*/) const {
    return on_control(
        [this]() -> core::Result<Finish> { return answered({200, metrics_text(control_), metrics_type}); });
  }

 private:
  admin::Reply list(const Request& request, std::function<Json(const Page&)> make) const {
    Page page{.after = std::string(request.parameter("after")), .limit = page_default};
    if (request.parameters.contains("limit")) {
      const std::string_view text = request.parameter("limit");
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), page.limit);
      if (error != std::errc() || end != text.data() + text.size() || page.limit < 1 || page.limit > page_max)
        return refusal({"bad request", core::format("limit: expected a whole number from 1 to {}", page_max)});
    }
    return on_control([this, page = std::move(page), make = std::move(make)]() -> core::Result<Finish> {
      if (const core::Status known = control_.known(); !known) return known.error();
      return answered(json_response(make(page)));
    });
  }

  admin::Reply change_map(const Request& request, Control::MapChange change) const {
    return on_control(
        [this, map = std::string(request.parameter("map")), change = std::move(change)]() -> core::Result<Finish> {
          const core::Result<server::ZoneMap> changed = control_.change_map(map, change);
          if (!changed) return changed.error();
          core::log_info("cluster", "map '{}' was changed: {}", map, changed->to_json());
          return answered(json_response(map_json(map, *changed)));
        });
  }

  core::Result<Finish> token_for(const Order& order, const core::SecretKey& key) const {
    if (const core::Status known = control_.known(); !known) return known.error();
    if (order.create && !control_.world(order.world)) {
      const core::Status created = control_.create(order.world, order.game);
      const bool taken = !created && std::string_view(created.error().reason) == "name taken";  // by another request
      if (!created && !taken) return created.error();
      if (created) core::log_info("cluster", "world '{}' was created", order.world);
    }
    std::optional<WorldRecord> world = control_.world(order.world);
    if (!world && !order.create) return no_such_world(order.world);
    if (!world) world = WorldRecord{.game = order.game};  // the directory will have it soon
    if (order.create && world->game != order.game)
      return core::Error{"other game", core::format("world '{}' is of game {}", order.world, world->game)};
    if (const core::Status admits = control_.admits(order.world, *world); !admits)
      return answered(not_open(admits.error(), *world));
    // Host names are resolved on the thread of the HTTP server.
    return Finish([key, addresses = world->addresses, account = order.account]() -> Response {
      core::Result<std::string> token = world_token_json(key, addresses, account);
      return token ? Response{200, std::move(*token)} : refusal(token.error());
    });
  }

  Control& control_;
  NodeFigures& figures_;
  PlayerSender& sender_;
  std::optional<core::SecretKey> key_;
};

struct Entry {
  std::string_view method;
  const char* path;
  admin::Reply (Service::*answer)(const Request& request) const;
  std::vector<std::string_view> query = {};
  admin::Access access = admin::Access::bearer;
};

}  // namespace

std::vector<admin::Route> service_routes(Control& control, NodeFigures& figures, PlayerSender& sender,
                                         const std::optional<core::SecretKey>& key) {
  const Entry entries[] = {
      {"GET", "/nodes", &Service::nodes, {"after", "limit"}},
      {"POST", "/nodes/{node}/drain", &Service::drain},
      {"GET", "/worlds", &Service::worlds, {"after", "limit"}},
      {"POST", "/worlds", &Service::create},
      {"GET", "/maps", &Service::maps, {"after", "limit"}},
      {"POST", "/maps", &Service::create_map},
      {"GET", "/maps/{map}", &Service::map},
      {"POST", "/maps/{map}/split", &Service::split},
      {"POST", "/maps/{map}/merge", &Service::merge},
      {"GET", "/worlds/{world}", &Service::world},
      {"POST", "/players", &Service::send},
      {"POST", "/tokens", &Service::tokens},
      {"GET", "/metrics", &Service::metrics},
      {"GET", "/health", &Service::health, {}, admin::Access::everyone},
  };
  const auto service = std::make_shared<const Service>(control, figures, sender, key);
  std::vector<admin::Route> routes;
  for (const Entry& each : entries) {
    const auto handler = [service, answer = each.answer](const Request& request) {
      return ((*service).*answer)(request);
    };
    routes.push_back({each.method, each.path, handler, each.query, each.access});
  }
  return routes;
}

}  // namespace mobula::cluster
