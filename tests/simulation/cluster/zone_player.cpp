#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/net/destination.hpp>
#include <mobula/server/cluster/world_servers.hpp>
#include <server/hamlet.hpp>
#include <simulation/cluster/walker_game.hpp>
#include <simulation/cluster/zone_player.hpp>

namespace mobula::sim {
namespace {

using client::Connection;
using client::ZoneFollower;

constexpr core::Nanoseconds try_interval = core::second;

transport::UserData account_of(const std::string& name) {
  transport::UserData account{};
  std::ranges::copy(core::as_bytes(name.data(), name.size()), account.begin());
  return account;
}

}  // namespace

ZonePlayer::ZonePlayer(Wires& wires, Find find, Note note, std::uint32_t number, std::string world, bool light)
    : wires_(wires),
      find_(std::move(find)),
      note_(std::move(note)),
      number_(number),
      world_(std::move(world)),
      light_(light) {}

std::unique_ptr<WirePipe> ZonePlayer::open_pipe(Connection& connection) {
  auto pipe = std::make_unique<WirePipe>(wires_, Wires::address(machine(), ++ports_));
  pipe->on_datagram([&wires = wires_, &connection](const transport::Address& from, core::ByteView datagram) {
    connection.receive(from, datagram, wires.now);
  });
  return pipe;
}

void ZonePlayer::update(core::Nanoseconds now) {
  if (connection_ == nullptr) return join(now);
  take_over();
  connection_->update(now, *pipe_);
  update_second(now);
  if (is_complete()) {
    seen_in_ = connection_->mirror_number();
  } else if (plays() && connection_->mirror() != nullptr && connection_->mirror_number() == seen_in_) {
    const ecs::Entity own = connection_->player_entity();
    unseen += own && !connection_->mirror()->registry().valid(own) ? 1 : 0;
  }
  if (connection_->state() != Connection::State::closed) return;
  const bool player_is_there = second_ != nullptr && follower_.has_moved();
  if (!player_is_there) on_lost(now);
}

std::string ZonePlayer::status() const {
  const auto text = [](const Connection* connection) {
    if (connection == nullptr) return std::string("none");
    return core::format("state {}, server {}, reason {}, next command {}, {} of them waiting",
                        static_cast<int>(connection->state()), to_string(connection->server()),
                        to_string(connection->reason()), connection->commands().next(), connection->commands().size());
  };
  return core::format("in {}; {}; second: {}; {}", world_, text(connection_.get()), text(second_.get()),
                      follower_.has_moved() ? "has moved" : "has not moved");
}

std::uint32_t ZonePlayer::send_command() {
  connection_->set_command(WalkerGame::command(++commands_));
  delays.on_given(wires_.now);
  return commands_;
}

void ZonePlayer::restart() {
  note_("vanishes");
  drop_second();
  former_mismatched_ = mismatched();
  connection_.reset();
  pipe_.reset();
  follower_ = {};
}

void ZonePlayer::take_over() {
  if (second_ == nullptr || !ZoneFollower::is_complete(*second_)) return;
  connection_->close(*pipe_);
  connection_->follow(std::move(*second_));
  second_.reset();
  pipe_ = std::move(second_pipe_);
  pipe_->on_datagram([this](const transport::Address& from, core::ByteView datagram) {
    connection_->receive(from, datagram, wires_.now);
  });
  follower_.on_arrived();
  world_ = follower_.zone().world;
  ++zone_changes;
  delays.on_zone_changed(wires_.now);
  note_("has followed its player to " + world_);
}

void ZonePlayer::update_second(core::Nanoseconds now) {
  if (second_ != nullptr) second_->update(now, *second_pipe_);
  ZoneFollower::Step step = follower_.update(*connection_, second_.get());
  if (follower_.has_moved()) world_ = follower_.zone().world;
  transport::Reason reason;
  if (step == ZoneFollower::Step::open) {
    drop_second();
    step = open_second(now) ? ZoneFollower::Step::none : follower_.on_refused();
  } else if (second_ != nullptr) {
    reason = second_->reason();
  }
  if (step == ZoneFollower::Step::drop) drop_second();
  if (step != ZoneFollower::Step::give_up) return;
  world_ = follower_.world_after(reason);
  drop_second();
  note_("cannot follow its player to " + world_ + ": " + to_string(reason));
  connection_->close(*pipe_);
  connection_->set_moved(world_);
}

void ZonePlayer::drop_second() {
  if (second_ == nullptr) return;
  second_->drop(*second_pipe_);
  second_.reset();
  second_pipe_.reset();
}

core::Status ZonePlayer::open_second(core::Nanoseconds now) {
  const core::Result<net::Destination> to = net::parse_destination(follower_.zone().addresses.front());
  if (!to) return to.error();
  const core::Result<client::ConnectionConfig> config = follower_.settings(*connection_, to->address);
  if (!config) return config.error();
  second_ = std::make_unique<Connection>(*config, now);
  second_->prepare_for(*connection_);
  second_pipe_ = open_pipe(*second_);
  note_((follower_.has_moved() ? "follows to " : "visits ") + follower_.zone().world);
  return core::Done{};
}

// Nothing while the world is not open.
std::optional<transport::ConnectToken> ZonePlayer::token_of_world() const {
  const std::optional<cluster::WorldRecord> record = find_(world_);
  if (!record || record->state != cluster::WorldState::open) return std::nullopt;
  const core::Result<cluster::WorldServers> servers = cluster::servers_of(record->addresses);
  if (!servers) return std::nullopt;
  const core::Result<core::Bytes> bytes = cluster::make_world_token(
      test::test_transport().private_key, *servers, cluster::new_identity(account_of(name())), date_at(wires_.now));
  transport::ConnectToken token = *transport::read_token(*bytes);
  token.servers = {servers->addresses.front()};
  return token;
}

// A token names the place where its world is now. The client rejoins there, or joins anew if the server does not know
// it any more.
void ZonePlayer::on_lost(core::Nanoseconds now) {
  if (now < next_try_) return;
  next_try_ = now + try_interval;
  if (!connection_->moved_to().empty()) {
    world_ = connection_->moved_to();
    if (follower_.on_moved(world_) == ZoneFollower::Step::drop) drop_second();
  }
  const std::optional<transport::ConnectToken> token = token_of_world();
  if (!token) return;
  ++rejoins;
  const bool is_here = token->servers.front() == connection_->server();
  const bool unanswered = connection_->reason().code == transport::ReasonCode::no_answer;
  if (connection_->can_rejoin() && is_here && !unanswered) {
    note_("rejoins " + world_ + ": " + to_string(connection_->reason()));
    return connection_->rejoin(now);
  }
  note_("joins " + world_ + " again: " + to_string(connection_->reason()));
  pipe_ = open_pipe(*connection_);
  connection_->reconnect(*token, now);
  follower_.on_arrived();
}

void ZonePlayer::join(core::Nanoseconds now) {
  if (now < next_try_) return;
  next_try_ = now + try_interval;
  const std::optional<transport::ConnectToken> token = token_of_world();
  if (!token) return;
  client::ConnectionConfig config;
  config.name = name();
  config.follows = true;
  config.decode = !light_;
  config.verify = !light_;
  config.transport.token = *token;
  note_("joins " + world_);
  connection_ = std::make_unique<Connection>(config, now);
  pipe_ = open_pipe(*connection_);
}

}  // namespace mobula::sim
