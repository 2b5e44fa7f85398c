// The worlds of a process that is a node of a cluster: opened and closed as the cluster has them. World n of the
// process has the configured ports plus n. Each owner of a world saves it in a file of its own (store/epoch_files.hpp).
#pragma once

#include <deque>
#include <future>
#include <memory>
#include <mobula/server/cluster/node_thread.hpp>
#include <mobula/server/game/game.hpp>
#include <mobula/server/host/application.hpp>
#include <mobula/server/host/world_crossings.hpp>
#include <mobula/server/host/worlds.hpp>
#include <mobula/server/store/epoch_files.hpp>

namespace mobula::server {

class ClusterHost final : public Supervisor {
 public:
  /// Makes the host of a configuration, which has passed check_node_settings(). It joins the cluster at the first
  /// update. `worlds` must be destroyed before the host. Errors: those of the game's schema.
  static core::Result<std::unique_ptr<ClusterHost>> start(Worlds& worlds, const HostConfig& config, MakeGame make_game);

  [[nodiscard]] bool may_serve() const override;
  void update() override;
  void admin_listens(std::uint16_t port) override { config_.admin_port = port; }
  void drain() override;
  void progress() override;
  [[nodiscard]] const char* not_ready() const override { return not_ready_; }

 private:
  // A world that is to be opened. Its file is taken over on a thread of its own: copies take time, and other worlds
  // tick meanwhile. One is taken over at a time.
  struct Opening {
    cluster::NodeTask task{};
    std::future<core::Result<store::EpochFile>> file{};  // not valid before its turn
    std::vector<cluster::CrossingEvent> crossings{};     // since the task was given
    bool dropped = false;
  };
  // A world of this process. Its place decides its ports.
  struct Hosted {
    std::string name{};
    std::uint64_t epoch = 0;
    bool closing = false;     // on behalf of the cluster
    bool refused = false;     // could not begin, as the cluster knows
    bool has_backup = false;  // former files are removed
    HostedWorld* world = nullptr;
    std::unique_ptr<Game> game{};
    std::unique_ptr<ZoneHost> zone{};             // null unless it is one
    std::unique_ptr<WorldCrossings> crossings{};  // the world uses it
  };

  ClusterHost(Worlds& worlds, HostConfig config, MakeGame make_game, cluster::NodeConfig node);
  void join();
  void handle(const cluster::NodeTask& task);
  void open_next();
  void finish(const cluster::NodeTask& task, const core::Result<store::EpochFile>& file);
  void refuse(const cluster::NodeTask& task, const core::Error& error);
  core::Status open_world(const cluster::NodeTask& task, const std::string& file);
  core::Status open_at(std::size_t place, const cluster::NodeTask& task, const std::string& file);
  void close(Hosted& hosted);
  void update_crossings(core::Nanoseconds now);
  void on_crossing(const cluster::CrossingEvent& event);
  void run(const Hosted& hosted, const std::function<void()>& code);
  void end_closed();
  void note_saved();
  void report_load();
  [[nodiscard]] HostConfig config_at(std::size_t place) const;
  [[nodiscard]] bool is_open(const Hosted& hosted) const;
  void give_back(Hosted& hosted);

  Worlds& worlds_;
  HostConfig config_;
  MakeGame make_game_;
  std::vector<Hosted> places_;  // an empty name is a free place
  std::deque<Opening> openings_;
  const char* not_ready_ = "the node has not joined its cluster yet";
  core::Nanoseconds report_due_ = 0;
  std::uint64_t ended_ = 0;  // worlds that had ended at the last update
  cluster::NodeConfig joins_as_;
  bool drained_ = false;
  std::unique_ptr<cluster::NodeThread> node_;  // null before the first update
};

}  // namespace mobula::server
