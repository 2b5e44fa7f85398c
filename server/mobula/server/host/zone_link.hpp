// Connection of a zone to a neighbouring one, for its ghosts. It begins anew when it is lost, or when the neighbour has
// another owner.
#pragma once

#include <functional>
#include <memory>
#include <mobula/core/secret_key.hpp>
#include <mobula/net/client_pipe.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/server/cluster/records.hpp>
#include <mobula/server/zones/neighbour.hpp>
#include <optional>
#include <string>

namespace mobula::server {

/// Ticks whose hash was compared with the mirror.
struct MirrorChecks {
  std::uint64_t compared = 0;
  std::uint64_t different = 0;
};

/// Sockets and clocks of the process. A simulation has others.
struct LinkNetwork {
  std::function<core::Result<std::unique_ptr<net::ClientPipe>>(const net::Destination& server)> open;
  std::function<core::Nanoseconds()> now;   ///< when a datagram has arrived
  std::function<std::uint64_t()> unix_now;  ///< date of connect tokens, in seconds
};

class ZoneLink {
 public:
  struct Config {
    std::uint32_t zone = 0;  // the one that connects
    std::uint32_t neighbour = 0;
    std::string name{};  // world of `zone`
    std::shared_ptr<const reflect::Schema> schema{};
    core::SecretKey key{};  // seals connect tokens
  };

  /// The registry must outlive it.
  ZoneLink(LinkNetwork network, ecs::Registry& registry, Config config);

  /// Connects to the neighbour, as the cluster has it, and brings its ghosts up to date. Between ticks. `world` is null
  /// if the cluster has none.
  void update(const std::optional<cluster::WorldRecord>& world, core::Nanoseconds now);
  /// Makes ghosts of entities that the neighbour shows and this world does not have. Between ticks.
  void show(std::span<const ecs::Entity> entities) {
    if (connection_ != nullptr) neighbour_.show(*connection_, entities);
  }
  /// Sends the neighbour a Visit, or a Forward. Returns false without a connection, or while it takes no more.
  bool send(const wire::Message& message) { return connection_ != nullptr && connection_->send_to_zone(message); }
  /// Returns the events that the last update() has received.
  [[nodiscard]] std::span<const client::ReceivedEvent> events() const {
    return connection_ != nullptr ? connection_->events() : std::span<const client::ReceivedEvent>();
  }
  [[nodiscard]] Neighbour& neighbour() { return neighbour_; }
  [[nodiscard]] const Neighbour& neighbour() const { return neighbour_; }
  /// Returns how many ticks were compared by hash on all its connections, and how many differed.
  [[nodiscard]] MirrorChecks checks() const;

 private:
  static constexpr core::Nanoseconds retry_interval = core::second / 2;

  core::Status connect(const cluster::WorldRecord& world, core::Nanoseconds now);
  void log(const core::Status& connected);

  LinkNetwork network_;
  Config config_;
  Neighbour neighbour_;
  std::unique_ptr<net::ClientPipe> pipe_;
  std::unique_ptr<client::Connection> connection_;
  std::uint64_t epoch_ = 0;  // the neighbour's owner has it
  core::Nanoseconds retry_at_ = 0;
  MirrorChecks former_{};  // on connections before this one
  std::string trouble_;    // as logged
};

}  // namespace mobula::server
