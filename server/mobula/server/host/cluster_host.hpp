// The worlds of a process that is a node of a cluster: opened and closed as the cluster has them. World n of the
// process has the configured ports plus n. Each owner of a world saves it in a file of its own (store/epoch_files.hpp).
#pragma once

#include <functional>
#include <memory>
#include <mobula/server/cluster/node_thread.hpp>
#include <mobula/server/game/game.hpp>
#include <mobula/server/host/application.hpp>
#include <mobula/server/host/worlds.hpp>

namespace mobula::server {

class ClusterHost final : public Supervisor {
 public:
  /// Refuses settings that a node cannot have: "bad configuration". Accepts any configuration without a cluster.
  static core::Status check(const HostConfig& config);
  /// Joins the cluster of a configuration, which has passed check(). `worlds` must be destroyed before the host.
  /// Errors: those of the game's schema.
  static core::Result<std::unique_ptr<ClusterHost>> start(Worlds& worlds, const HostConfig& config, MakeGame make_game);

  [[nodiscard]] bool may_serve() const override;
  void update() override;
  void drain() override { node_->drain(); }

 private:
  // A world of this process. Its place decides its ports.
  struct Hosted {
    std::string name{};
    std::uint64_t epoch = 0;
    bool closing = false;     // on behalf of the cluster
    bool has_backup = false;  // former files are removed
    HostedWorld* world = nullptr;
    std::unique_ptr<Game> game{};
  };

  ClusterHost(Worlds& worlds, HostConfig config, MakeGame make_game, cluster::NodeConfig node);
  void handle(const cluster::NodeTask& task);
  void open(const cluster::NodeTask& task);
  void close(Hosted& hosted);
  core::Status open_world(const cluster::NodeTask& task, std::size_t place);
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
  core::Nanoseconds report_due_ = 0;
  std::uint64_t ended_ = 0;  // worlds that had ended at the last update
  std::unique_ptr<cluster::NodeThread> node_;
};

}  // namespace mobula::server
