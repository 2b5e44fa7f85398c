#include <algorithm>
#include <chrono>
#include <future>
#include <mobula/client/pipe/pipe_client.hpp>
#include <mobula/core/log.hpp>

namespace mobula::client {
namespace {

// Time during which a lost connection is retried, if the server does not keep the player for longer. A client that the
// server keeps for less joins as a new player.
constexpr core::Nanoseconds resume_within_least = 60 * core::second;
constexpr core::Nanoseconds try_interval = core::second;
constexpr core::Nanoseconds answer_time =
    2 * core::second;                     // within which a server answers a rejoin token that it knows
constexpr std::uint32_t rejoins_max = 2;  // before a new token, if streams are closed at once
constexpr core::Nanoseconds token_patience = 5 * core::second;        // without a token in a cluster, before a rejoin
constexpr core::Nanoseconds token_interval = 20 * core::millisecond;  // between two questions for a requested token
constexpr core::Nanoseconds simulated_step = core::millisecond;       // shortest sleep with a simulated network

void log_reconnect(const Connection& connection, bool has_moved, const std::string& world, bool in_cluster) {
  if (has_moved) return core::log_info("client", "the player is in world {}; joining it", world);
  if (in_cluster)
    return core::log_info("client", "connection lost ({}); joining the world where it is now",
                          to_string(connection.reason()));
  core::log_warn("client", "{}; reconnecting with a new token",
                 connection.lost() ? "the server does not answer this player's rejoin tokens: it was restarted or "
                                     "cannot be reached"
                                   : "the server no longer has this player");
}

}  // namespace

core::Result<std::unique_ptr<PipeClient>> PipeClient::open(net::EventLoop& loop, const Access& access,
                                                           ConnectionConfig config, std::uint64_t seed,
                                                           RecordingWriter* recording) {
  std::unique_ptr<PipeClient> client(new PipeClient(loop, access, seed));
  if (is_in_cluster(access)) {
    MOBULA_CHECK(!config.transport.token.servers.empty(), "a token names a server");
    config.transport.token.servers.resize(1);
    client->access_.destination = net::destination_of(config.transport.token.servers.front());
  } else {
    config.transport.servers = {access.destination.address};
  }
  config.follows = recording == nullptr;
  client->present_ = std::make_unique<PipedConnection>(loop, client->access_, config, seed, recording);
  if (const core::Status opened = client->present_->open_pipe(client->access_.destination); !opened)
    return opened.error();
  return client;
}

// Fetches tokens on a thread: the admin address may not answer for seconds.
TokenSource token_source_of(const Access& access) {
  using Fetched = core::Result<std::vector<transport::ConnectToken>>;
  using Token = std::optional<WorldToken>;
  return [access, fetched = std::make_shared<std::future<Fetched>>()](const std::string& world) -> core::Result<Token> {
    if (!fetched->valid()) {
      *fetched = std::async(std::launch::async, [access = Access(access), world]() mutable {
        if (!world.empty()) access.options.world = world;
        return get_tokens(access, 1);
      });
    }
    if (fetched->wait_for(std::chrono::seconds(0)) != std::future_status::ready) return Token();
    Fetched tokens = fetched->get();
    if (!tokens) return tokens.error();
    return Token(WorldToken{std::move(tokens->front())});
  };
}

net::ClientPipeCounters PipeClient::counters() const {
  const net::ClientPipeCounters all = sum(former_, present_->counters());
  return second_ == nullptr ? all : sum(all, second_->counters());
}

void PipeClient::on_received(PipedConnection::Handler handler) {
  received_ = std::move(handler);
  present_->on_received(received_);
}

void PipeClient::predict(const prediction::Rules& rules, const PredictionConfig& config) {
  prediction_ = std::make_unique<Prediction>(rules, config, present());
}

void PipeClient::update() {
  const core::Nanoseconds now = core::monotonic_now();
  if (second_ != nullptr && ZoneFollower::is_complete(second_->connection())) switch_to_second();
  present_->update(now);
  if (prediction_ != nullptr) prediction_->update(now);
  present_->flush(now);
  update_second(now);
  if (present().state() != Connection::State::closed) {
    if (present().state() == Connection::State::playing) lost_at_ = rejoins_ = 0;
    return;
  }
  const bool player_is_there = second_ != nullptr && follower_.has_moved();
  if (!player_is_there) on_lost(now);
}

// --- Another zone --------------------------------------------------------------------------------------------------

void PipeClient::update_second(core::Nanoseconds now) {
  using Step = ZoneFollower::Step;
  if (second_ != nullptr) {
    second_->update(now);
    second_->flush(now);
  }
  Step step = follower_.update(present(), second_ != nullptr ? &second_->connection() : nullptr);
  if (follower_.has_moved()) world_ = follower_.zone().world;
  transport::Reason reason;
  if (step == Step::open) {
    drop_second();
    const core::Status opened = open_second();
    step = opened ? Step::none : follower_.on_refused();
    if (!opened) reason = {transport::ReasonCode::refused, opened.error().message};
  } else if (second_ != nullptr) {
    reason = second_->connection().reason();
  }
  if (step == Step::drop) drop_second();
  if (step == Step::give_up) give_up_second(reason);
}

void PipeClient::drop_second() {
  if (second_ == nullptr) return;
  second_->drop();  // the player may be there already
  former_ = sum(former_, second_->counters());
  second_.reset();
}

// Uses the kind of pipe that the present connection has.
core::Status PipeClient::open_second() {
  std::optional<net::Destination> to;
  for (const std::string& address : follower_.zone().addresses) {
    const core::Result<net::Destination> each = net::parse_destination(address);
    if (each && each->pipe() == access_.destination.pipe()) to = *each;
    if (to) break;
  }
  if (!to) return core::Error{"no address", "no address of the zone has the kind of pipe that this client uses"};
  const core::Result<ConnectionConfig> config = follower_.settings(present(), to->address);
  if (!config) return config.error();
  auto second = std::make_unique<PipedConnection>(loop_, access_, *config, ++seed_);
  second->connection().prepare_for(present());
  second->on_received(received_);
  if (const core::Status opened = second->open_pipe(*to); !opened) return opened.error();
  second_ = std::move(second);
  second_destination_ = *to;
  return core::Done{};
}

// The client joins the zone with a token of its source.
void PipeClient::give_up_second(const transport::Reason& reason) {
  core::log_warn("client", "the client could not follow its player to zone {}: {}", world_, to_string(reason));
  world_ = follower_.world_after(reason);
  drop_second();
  present_->close();
  present().set_moved(world_);
}

void PipeClient::switch_to_second() {
  present_->close();  // its state stays
  former_ = sum(former_, present_->counters());
  second_->take_over(*present_);
  present_ = std::move(second_);
  access_.destination = second_destination_;
  if (prediction_ != nullptr) prediction_->restart();
  follower_.on_arrived();
  lost_ = false;
  lost_at_ = 0;
  ++zone_changes_;
  world_ = follower_.zone().world;
  core::log_info("client", "the player is in zone {}", world_);
}

// --- Lost connections ----------------------------------------------------------------------------------------------

void PipeClient::on_lost(core::Nanoseconds now) {
  const bool has_played = lost_at_ == 0;
  if (has_played) lost_at_ = now;
  if (!lost_) note_loss(has_played);
  const bool has_tokens = more_tokens_ != nullptr && (follows_ || !follower_.has_moved());
  // A world whose node ends goes on at another one.
  const bool goes_on = is_in_cluster(access_) && present().reason().code == transport::ReasonCode::shutting_down;
  const bool can_try =
      present().can_rejoin() || ((present().can_reconnect() || follower_.has_moved() || goes_on) && has_tokens);
  over_ = over_ || !can_try || now - lost_at_ > std::max(resume_within_least, present().rejoin_grace());
  if (over_ || now < next_try_) return;
  next_try_ = now + try_interval;
  resume(now);
}

void PipeClient::note_loss(bool has_played) {
  lost_ = true;
  ++losses_;
  last_loss_ = present().reason();
  if (!present().moved_to().empty()) {
    world_ = present().moved_to();
    if (follower_.on_moved(world_) == ZoneFollower::Step::drop) drop_second();  // a visit elsewhere
  }
  if (follower_.has_moved() && has_played) next_try_ = 0;  // the interval is for servers that do not answer
}

// A restarted server does not answer the rejoin tokens of its former run. A server that cannot be reached does not
// answer either, and then no new token can be had: so attempts with new tokens and with rejoin tokens alternate. In a
// cluster a new token also names the place of the world, which may be another one now.
void PipeClient::resume(core::Nanoseconds now) {
  const bool unanswered = present().has_sent() && is_rejoin_in_vain(now);
  const bool wants_token = is_in_cluster(access_) || (unanswered && !requested_token_);
  requested_token_ = !present().can_rejoin() || (wants_token && more_tokens_ != nullptr);
  requested_token_ ? reconnect(now, !unanswered) : rejoin(now);
}

void PipeClient::rejoin(core::Nanoseconds now) {
  core::log_info("client", "connection lost ({}), rejoining", to_string(present().reason()));
  // The pipe itself may be broken.
  if (const core::Status opened = present_->open_pipe(access_.destination); !opened)
    return core::log_warn("client", "{}", opened.error().message);
  tried_at_ = now;
  ++rejoins_;
  present_->input().rejoin(now);
  lost_ = false;
}

// A stream that is closed at once proves less than one without an answer: a proxy closes it whose server is not there.
bool PipeClient::is_rejoin_in_vain(core::Nanoseconds now) const {
  if (connection().reason().code == transport::ReasonCode::no_answer) return true;
  return !connection().answered() && (now - tried_at_ >= answer_time || rejoins_ >= rejoins_max);
}

void PipeClient::reconnect(core::Nanoseconds now, bool may_rejoin) {
  core::Result<std::optional<WorldToken>> requested = more_tokens_(world_);
  if (!requested) {
    core::log_info("client", "connection lost ({}); {}", to_string(present().reason()), requested.error().message);
    if (present().can_rejoin() && may_rejoin && now - lost_at_ > token_patience) rejoin(now);
    return;
  }
  std::optional<WorldToken>& to = *requested;
  if (!to) {
    next_try_ = now + token_interval;
    requested_token_ = false;  // not an attempt yet
    return;
  }
  if (may_rejoin && present().can_rejoin() && is_here(*to)) return rejoin(now);
  log_reconnect(present(), follower_.has_moved(), world_, is_in_cluster(access_));
  if (!world_.empty() || is_in_cluster(access_)) aim(*to);
  if (const core::Status opened = present_->open_pipe(access_.destination); !opened)
    return core::log_warn("client", "{}", opened.error().message);
  present_->input().reconnect(to->token, now);
  follower_.on_arrived();
  lost_ = false;
}

bool PipeClient::is_here(const WorldToken& to) const {
  return !to.server && access_.destination.pipe() == transport::Pipe::udp &&
         to.token.servers.front() == access_.destination.address;
}

// A world may be on another node with each token.
void PipeClient::aim(WorldToken& to) {
  if (to.server) {
    access_.destination = *to.server;
  } else if (access_.destination.pipe() == transport::Pipe::udp) {
    access_.destination = net::destination_of(to.token.servers.front());
  }
  to.token.servers = {access_.destination.address};
}

void PipeClient::close() {
  if (second_ != nullptr) follower_.has_moved() ? second_->close() : second_->drop();
  present_->close();
  over_ = true;
}

core::Result<std::unique_ptr<PipeClient>> enter(net::EventLoop& loop, const Access& access, ConnectionConfig config,
                                                RecordingWriter* recording) {
  core::Result<std::vector<transport::ConnectToken>> tokens = get_tokens(access, 1);
  if (!tokens) return tokens.error();
  config.transport.token = std::move(tokens->front());
  return PipeClient::open(loop, access, std::move(config), 1, recording);
}

void run_until(net::EventLoop& loop, core::Nanoseconds deadline, std::span<PipeClient* const> clients) {
  for (bool last = false; !last && !loop.stopped();) {
    const core::Nanoseconds now = core::monotonic_now();
    core::Nanoseconds next = deadline;
    for (PipeClient* client : clients) {
      next = std::min(next, client->present_->deliver(now, next));
      if (client->second_ != nullptr) next = std::min(next, client->second_->deliver(now, next));
    }
    next = std::max(next, now + simulated_step);
    last = next >= deadline;
    loop.run_until(last ? deadline : next);
  }
}

}  // namespace mobula::client
