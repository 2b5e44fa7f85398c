#include <algorithm>
#include <mobula/core/log.hpp>
#include <mobula/net/destination.hpp>
#include <mobula/server/cluster/world_servers.hpp>
#include <mobula/server/host/zone_link.hpp>
#include <mobula/server/zones/zone_pass.hpp>
#include <utility>

namespace mobula::server {
namespace {

constexpr std::string_view udp = "udp://";

core::Result<transport::ConnectToken> make_pass(std::uint32_t zone, const transport::Address& server,
                                                const core::SecretKey& key, std::uint64_t unix_time) {
  const std::uint64_t client_id = cluster::new_identity({}).client_id;
  const transport::TokenRequest request{
      .client_id = client_id, .user_data = zone_pass(zone, client_id, key), .servers = {server}};
  const core::Result<core::Bytes> token =
      transport::mint_token(request, key, transport::random_token_secrets(), unix_time);
  if (!token) return token.error();
  return transport::read_token(*token);
}

}  // namespace

ZoneLink::ZoneLink(LinkNetwork network, ecs::Registry& registry, Config config)
    : network_(std::move(network)), config_(std::move(config)), neighbour_(registry, config_.neighbour) {}

void ZoneLink::update(const std::optional<cluster::WorldRecord>& world, core::Nanoseconds now) {
  const bool is_open = world && world->state == cluster::WorldState::open;
  const bool has_moved = is_open && world->epoch != epoch_;
  const bool is_over = connection_ == nullptr || connection_->state() == client::Connection::State::closed;
  if (is_open && (has_moved || (is_over && now >= retry_at_))) {
    retry_at_ = now + retry_interval;
    log(connect(*world, now));
  }
  if (connection_ == nullptr) return;
  connection_->update(now, *pipe_);
  pipe_->flush();
  neighbour_.update(*connection_, now);
}

core::Status ZoneLink::connect(const cluster::WorldRecord& world, core::Nanoseconds now) {
  const auto address = std::ranges::find_if(world.addresses, [](const auto& each) { return each.starts_with(udp); });
  if (address == world.addresses.end()) return core::Error{"no address", "the neighbour has no address of UDP"};
  const core::Result<net::Destination> server = net::parse_destination(*address);
  if (!server) return server.error();
  core::Result<transport::ConnectToken> token =
      make_pass(config_.zone, server->address, config_.key, network_.unix_now());
  if (!token) return token.error();
  core::Result<std::unique_ptr<net::ClientPipe>> pipe = network_.open(*server);
  if (!pipe) return pipe.error();
  former_ = checks();
  epoch_ = world.epoch;
  pipe_ = std::move(*pipe);
  connection_ = std::make_unique<client::Connection>(
      client::ConnectionConfig{.transport = {.token = std::move(*token), .servers = {server->address}},
                               .name = config_.name.substr(0, client::player_name_bytes_max),
                               .schema = config_.schema,
                               .spectate = true},
      now);
  neighbour_.begin();
  pipe_->on_datagram([this](const transport::Address& from, core::ByteView datagram) {
    connection_->receive(from, datagram, network_.now());
  });
  return core::Done{};
}

MirrorChecks ZoneLink::checks() const {
  if (connection_ == nullptr) return former_;
  const client::ConnectionStats& stats = connection_->stats();
  return {former_.compared + stats.verified_ticks + stats.mismatched_ticks, former_.different + stats.mismatched_ticks};
}

void ZoneLink::log(const core::Status& connected) {
  const std::string trouble = connected ? std::string() : connected.error().message;
  if (std::exchange(trouble_, trouble) != trouble && !trouble.empty())
    core::log_error("cluster", "no connection to the neighbouring zone {}: {}", config_.neighbour, trouble);
}

}  // namespace mobula::server
