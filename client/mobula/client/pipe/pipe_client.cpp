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
constexpr core::Nanoseconds token_interval = 20 * core::millisecond;  // between two questions for a requested token
constexpr core::Nanoseconds simulated_step = core::millisecond;       // shortest sleep with a simulated network

void log_reconnect(const Connection& connection, const std::string& world) {
  if (!connection.moved_to().empty()) return core::log_info("client", "the player is in world {}; joining it", world);
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
  const core::Nanoseconds now = core::monotonic_now();
  client->connection_ = std::make_unique<Connection>(config, now);
  if (recording != nullptr)
    client->recorded_ = std::make_unique<RecordedConnection>(*client->connection_, *recording, now);
  if (const core::Status opened = client->open_pipe(); !opened) return opened.error();
  return client;
}

// Fetches tokens on a thread: the admin address may not answer for seconds.
TokenSource PipeClient::fetch_aside(const Access& access) {
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

core::Status PipeClient::open_pipe() {
  core::Result<std::unique_ptr<net::ClientPipe>> pipe =
      net::ClientPipe::open(loop_, access_.destination, {.ca_file = access_.options.ca_file, .stream = {}});
  if (!pipe) return pipe.error();
  former_pipes_ = counters();
  simulated_.reset();
  pipe_ = std::move(*pipe);
  pipe_end_.clear();
  const auto receive = [this](const transport::Address& from, core::ByteView datagram) {
    const core::Nanoseconds now = core::monotonic_now();
    input().receive(from, datagram, now);
    if (received_) received_(now);
  };
  pipe_->on_closed([this](std::string_view why) { pipe_end_ = why; });
  if (access_.simulated == transport::NetworkConditions{}) {
    pipe_->on_datagram(receive);
    return core::Done{};
  }
  simulated_ = std::make_unique<transport::SimulatedPipe>(*pipe_, seed_, access_.simulated, core::monotonic_now());
  simulated_->on_datagram(receive);
  pipe_->on_datagram([this](const transport::Address& from, core::ByteView datagram) {
    simulated_->receive(from, datagram, core::monotonic_now());
  });
  return core::Done{};
}

net::ClientPipeCounters PipeClient::counters() const {
  if (pipe_ == nullptr) return former_pipes_;
  const net::ClientPipeCounters now = pipe_->counters();
  return {former_pipes_.datagrams_sent + now.datagrams_sent, former_pipes_.bytes_sent + now.bytes_sent,
          former_pipes_.datagrams_received + now.datagrams_received, former_pipes_.bytes_received + now.bytes_received,
          former_pipes_.dropped + now.dropped};
}

transport::Output& PipeClient::output() {
  if (simulated_ != nullptr) return *simulated_;
  return *pipe_;
}

ConnectionInput& PipeClient::input() {
  if (recorded_ != nullptr) return *recorded_;
  return *connection_;
}

void PipeClient::predict(const prediction::Rules& rules, const PredictionConfig& config) {
  prediction_ = std::make_unique<Prediction>(rules, config, *connection_);
}

void PipeClient::update() {
  const core::Nanoseconds now = core::monotonic_now();
  if (!pipe_end_.empty()) input().pipe_closed(pipe_end_, now);
  input().update(now, output());
  if (prediction_ != nullptr) prediction_->update(now);
  if (simulated_ != nullptr) simulated_->deliver(now);
  pipe_->flush();
  if (connection_->state() != Connection::State::closed) {
    if (connection_->state() == Connection::State::playing) lost_at_ = rejoins_ = 0;
    return;
  }
  on_lost(now);
}

void PipeClient::on_lost(core::Nanoseconds now) {
  const bool has_played = lost_at_ == 0;
  if (has_played) lost_at_ = now;
  if (!lost_) {
    ++losses_;
    last_loss_ = connection_->reason();
    if (!connection_->moved_to().empty()) {
      world_ = connection_->moved_to();
      if (has_played) next_try_ = 0;  // the interval is for servers that do not answer
    }
    lost_ = true;
  }
  const bool has_moved = !connection_->moved_to().empty();
  const bool has_tokens = more_tokens_ != nullptr && (follows_ || !has_moved);
  const bool can_try = connection_->can_rejoin() || ((connection_->can_reconnect() || has_moved) && has_tokens);
  over_ = over_ || !can_try || now - lost_at_ > std::max(resume_within_least, connection_->rejoin_grace());
  if (over_ || now < next_try_) return;
  next_try_ = now + try_interval;
  resume(now);
}

// A restarted server does not answer the rejoin tokens of its former run. A server that cannot be reached does not
// answer either, and then no new token can be had: so attempts with new tokens and with rejoin tokens alternate.
void PipeClient::resume(core::Nanoseconds now) {
  const bool unanswered = connection_->has_sent() && is_rejoin_in_vain(now);
  requested_token_ = !connection_->can_rejoin() || (unanswered && !requested_token_ && more_tokens_ != nullptr);
  if (requested_token_) return reconnect(now);
  core::log_info("client", "connection lost ({}), rejoining", to_string(connection_->reason()));
  // The pipe itself may be broken.
  if (const core::Status opened = open_pipe(); !opened) return core::log_warn("client", "{}", opened.error().message);
  tried_at_ = now;
  ++rejoins_;
  input().rejoin(now);
  lost_ = false;
}

// A stream that is closed at once proves less than one without an answer: a proxy closes it whose server is not there.
bool PipeClient::is_rejoin_in_vain(core::Nanoseconds now) const {
  if (connection_->reason().code == transport::ReasonCode::no_answer) return true;
  return !connection_->answered() && (now - tried_at_ >= answer_time || rejoins_ >= rejoins_max);
}

void PipeClient::reconnect(core::Nanoseconds now) {
  core::Result<std::optional<WorldToken>> requested = more_tokens_(world_);
  if (!requested) {
    core::log_info("client", "connection lost ({}); {}", to_string(connection_->reason()), requested.error().message);
    return;
  }
  std::optional<WorldToken>& to = *requested;
  if (!to) {
    next_try_ = now + token_interval;
    requested_token_ = false;  // not an attempt yet
    return;
  }
  log_reconnect(*connection_, world_);
  if (!world_.empty() || is_in_cluster(access_)) aim(*to);
  if (const core::Status opened = open_pipe(); !opened) return core::log_warn("client", "{}", opened.error().message);
  input().reconnect(to->token, now);
  lost_ = false;
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

// Bypasses the simulated network: nobody delivers what would be in flight.
void PipeClient::close() {
  input().close(*pipe_);
  pipe_->flush();
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
      if (client->simulated_ == nullptr) continue;
      client->simulated_->deliver(now);
      next = std::min(next, client->simulated_->next_due());
    }
    next = std::max(next, now + simulated_step);
    last = next >= deadline;
    loop.run_until(last ? deadline : next);
  }
}

}  // namespace mobula::client
