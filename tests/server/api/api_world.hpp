// A world on a simulated network, and queries to it through the admin port's own routes, without sockets or threads.
#pragma once

#include <examples/demo/demo_game.hpp>
#include <mobula/server/admin/router.hpp>
#include <mobula/server/api/api.hpp>
#include <nlohmann/json.hpp>
#include <server/hamlet.hpp>
#include <stdexcept>

namespace mobula::test {

struct Answer {
  unsigned status = 0;
  std::string text;
  nlohmann::json json;

  // Return code and message of an error response.
  [[nodiscard]] std::string code() const { return json.at("error").at("code"); }
  [[nodiscard]] std::string message() const { return json.at("error").at("message"); }
};

class ApiWorld {
 public:
  // Saves the world in the store unless it is null. The caller finishes the store before the world is destroyed.
  explicit ApiWorld(store::Store* store = nullptr)
      : ApiWorld(std::make_unique<demo::DemoGame>(), {.level = hamlet(), .store = store}) {}
  ApiWorld(std::unique_ptr<server::Game> given_game, server::ServerConfig config)
      : game(std::move(given_game)),
        village(*game, config),
        inspection("world", {*village.server, pacer, nullptr,
                             [this] { return village.server->reload_level(rebuilt_hamlet()); }, config.store}) {
    server::api::Api api;
    api.worlds = [this] { return std::vector<server::Inspection*>{&inspection}; };
    api.hands_out_tokens = true;
    api_ = std::make_shared<const server::api::Api>(std::move(api));
    router_ = std::make_unique<server::admin::Router>(server::api::routes(api_));
  }

  void tick() {
    pacer.begin(village.now);
    village.tick();
    pacer.end(village.now);
    inspection.note_tick();
    api_->pulse->ticked_at = core::monotonic_now();
  }
  void ticks(int count) {
    for (int i = 0; i < count; ++i) tick();
  }

  // Answers a request. The target may have a query.
  Answer send(const std::string& method, const std::string& target, const std::string& body = {}) {
    server::admin::Request request;
    request.method = method;
    request.path = target.substr(0, target.find('?'));
    if (request.path.size() < target.size()) request.query = target.substr(request.path.size() + 1);
    request.body = body;
    request.host = "localhost";
    server::admin::Reply reply = router_->answer(request);
    if (auto* query = std::get_if<server::admin::Query>(&reply)) reply = query->work()();
    const auto& response = std::get<server::admin::Response>(reply);
    return {response.status, response.body, nlohmann::json::parse(response.body, nullptr, false)};
  }
  nlohmann::json get(const std::string& target) {
    Answer answer = send("GET", target);
    if (answer.status != 200) throw std::runtime_error(target + ": " + answer.text);
    return std::move(answer.json);
  }
  // Returns a feed of the topic that a subscription names.
  core::Result<std::shared_ptr<server::admin::Feed>> subscribe(const nlohmann::json& subscription) {
    for (const server::admin::Topic& topic : server::api::topics(api_))
      if (subscription.at("subscribe") == nlohmann::json(topic.name)) return topic.subscribe(subscription.dump());
    return core::Error{"no such topic", "none"};
  }
  static nlohmann::json frame(server::admin::Feed& feed) { return nlohmann::json::parse(feed.next()().value()); }

  ecs::Registry& registry() { return village.server->world().registry(); }
  [[nodiscard]] std::span<const server::admin::Route> routes() const { return router_->routes(); }
  [[nodiscard]] const server::api::ApiPtr& api() const { return api_; }

  std::unique_ptr<server::Game> game;
  Village village;
  server::TickPacer pacer{{}, 0};
  server::Inspection inspection;

 private:
  server::api::ApiPtr api_;
  std::unique_ptr<server::admin::Router> router_;
};

}  // namespace mobula::test
