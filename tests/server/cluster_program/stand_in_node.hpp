// The admin port of a node: a status, and a live feed of the map with one entity that has moved since the last frame.
#pragma once

#include <atomic>
#include <mobula/server/admin/http_server.hpp>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

namespace mobula::test {

class StandInNode {
 public:
  // The entity's index tells the nodes apart.
  explicit StandInNode(int index, std::string token = {}) : index_(index) {
    namespace admin = server::admin;
    admin::HttpServerConfig config{.listen = transport::Address::v4(127, 0, 0, 1, 0),
                                   .bearer_token = std::move(token),
                                   .timeout = core::second / 4};
    config.routes = {{"GET", "/api/status",
                      [this](const admin::Request&) -> admin::Reply {
                        ++asked;
                        return admin::Response{200, text(status)};
                      }},
                     {"POST", "/api/players/send", [this](const admin::Request& request) -> admin::Reply {
                        set(order, request.body);
                        return admin::Response{200, text(sent)};
                      }}};
    config.topics = {{"map", 20, [this](std::string_view request) -> core::Result<std::shared_ptr<admin::Feed>> {
                        set(ordered, std::string(request));
                        return std::shared_ptr<admin::Feed>(std::make_shared<Feed>(index_));
                      }}};
    server_ = std::move(admin::HttpServer::start(std::move(config)).value());
    thread_ = std::thread([this] {
      for (; !stop_; std::this_thread::sleep_for(std::chrono::milliseconds(1))) server_->serve(core::millisecond);
    });
  }
  ~StandInNode() {
    stop_ = true;
    thread_.join();
  }

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(server_->local_port()); }
  void set(std::string& what, std::string value) {
    const std::lock_guard lock(mutex_);
    what = std::move(value);
  }
  std::string text(const std::string& what) {
    const std::lock_guard lock(mutex_);
    return what;
  }

  std::string status = R"({"worlds": [{"name": "land.w", "tick": 7, "entities": 3, "players": 1, "sessions": 2,
      "load": 0.5, "secret": "x", "zone": {"ghosts": 1}}]})";
  std::string ordered;                      // the last subscription
  std::string sent = R"({"world": null})";  // answer about a player
  std::string order;                        // the last one about a player
  std::atomic<int> asked = 0;

 private:
  class Feed final : public server::admin::Feed {
   public:
    explicit Feed(int index) : index_(index) {}
    Frame next() override {
      const nlohmann::json moved = frames_ == 0 ? nlohmann::json::array() : nlohmann::json{index_, frames_, 0, 0};
      const nlohmann::json came = frames_ == 0 ? nlohmann::json{index_, 1, 0, 0, 0, 0, 0} : nlohmann::json::array();
      const nlohmann::json frame{{"reset", frames_ == 0},
                                 {"complete", true},
                                 {"truncated", false},
                                 {"came", came},
                                 {"moved", moved},
                                 {"cut", nlohmann::json::array()},
                                 {"went", nlohmann::json::array()}};
      ++frames_;
      return [text = frame.dump()]() -> core::Result<std::string> { return text; };
    }

   private:
    int index_;
    int frames_ = 0;
  };

  int index_;
  std::mutex mutex_;
  std::unique_ptr<server::admin::HttpServer> server_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace mobula::test
