#include <algorithm>
#include <chrono>
#include <future>
#include <mobula/client/pipe/pipe_client.hpp>
#include <mobula/core/log.hpp>

namespace mobula::client {
namespace {

// So long it goes on trying to come back; the server keeps the player for less.
constexpr core::Nanoseconds come_back_within = 60 * core::second;
constexpr core::Nanoseconds try_interval = core::second;
constexpr core::Nanoseconds token_interval = 20 * core::millisecond;  // to look whether one has come
constexpr core::Nanoseconds simulated_step = core::millisecond;  // a loop does not wake more often for a simulation

}  // namespace

core::Result<std::unique_ptr<PipeClient>> PipeClient::open(net::EventLoop& loop, const Access& access,
                                                           ConnectionConfig config, std::uint64_t seed) {
  std::unique_ptr<PipeClient> client(new PipeClient(loop, access, seed));
  config.transport.servers = {access.destination.address};
  client->connection_ = std::make_unique<Connection>(config, core::monotonic_now());
  if (const core::Status opened = client->open_pipe(); !opened) return opened.error();
  return client;
}

// The admin address may be slow, or answer nothing for seconds.
TokenSource PipeClient::fetch_aside(const Access& access) {
  using Tokens = core::Result<std::vector<transport::ConnectToken>>;
  using Token = std::optional<transport::ConnectToken>;
  return [access, fetched = std::make_shared<std::future<Tokens>>()]() -> core::Result<Token> {
    if (!fetched->valid()) *fetched = std::async(std::launch::async, [access] { return get_tokens(access, 1); });
    if (fetched->wait_for(std::chrono::seconds(0)) != std::future_status::ready) return Token();
    Tokens tokens = fetched->get();
    if (!tokens) return tokens.error();
    return Token(std::move(tokens->front()));
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
  const auto take = [this](const transport::Address& from, core::ByteView datagram) {
    const core::Nanoseconds now = core::monotonic_now();
    connection_->receive(from, datagram, now);
    if (received_) received_(now);
  };
  pipe_->on_closed([this](std::string_view why) { pipe_end_ = why; });
  if (access_.simulated == transport::NetworkConditions{}) {
    pipe_->on_datagram(take);
    return core::Done{};
  }
  simulated_ = std::make_unique<transport::SimulatedPipe>(*pipe_, seed_, access_.simulated, core::monotonic_now());
  simulated_->on_datagram(take);
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

void PipeClient::update() {
  const core::Nanoseconds now = core::monotonic_now();
  if (simulated_ != nullptr) simulated_->deliver(now);
  if (!pipe_end_.empty()) connection_->pipe_closed(pipe_end_, now);
  connection_->update(now, output());
  if (Mirror* mirror = connection_->mirror(); mirror != nullptr) mirror->changes().clear();
  if (simulated_ != nullptr) simulated_->deliver(now);
  pipe_->flush();
  if (connection_->state() != Connection::State::closed) {
    if (connection_->state() == Connection::State::playing) lost_at_ = 0;
    return;
  }
  come_back(now);
}

// Tries again for a while.
void PipeClient::come_back(core::Nanoseconds now) {
  if (lost_at_ == 0) lost_at_ = now;
  if (!lost_) {
    ++losses_;
    last_loss_ = connection_->reason();
    lost_ = true;
  }
  const bool can_try = connection_->can_rejoin() || (connection_->lost() && gives_more_tokens(access_));
  over_ = over_ || !can_try || now - lost_at_ > come_back_within;
  if (over_ || now < next_try_) return;
  next_try_ = now + try_interval;
  try_again(now);
}

// A server does not answer the tokens of another run. Nor does one that cannot be reached: then there is no token
// either, and the next try is with one that is left.
void PipeClient::try_again(core::Nanoseconds now) {
  const bool unanswered = connection_->reason().code == transport::ReasonCode::no_answer;
  asked_ = !connection_->can_rejoin() || (unanswered && !asked_ && gives_more_tokens(access_));
  if (asked_) return enter_again(now);
  core::log_info("client", "lost the server ({}), coming back", to_string(connection_->reason()));
  // The old pipe may be what is broken.
  if (const core::Status opened = open_pipe(); !opened) return core::log_warn("client", "{}", opened.error().message);
  connection_->rejoin(now);
  lost_ = false;
}

void PipeClient::enter_again(core::Nanoseconds now) {
  const core::Result<std::optional<transport::ConnectToken>> asked = more_tokens_();
  if (!asked) {
    core::log_info("client", "lost the server ({}); {}", to_string(connection_->reason()), asked.error().message);
    return;
  }
  const std::optional<transport::ConnectToken>& token = *asked;
  if (!token) {
    next_try_ = now + token_interval;
    asked_ = false;  // this was none
    return;
  }
  core::log_warn("client",
                 "the server does not answer the tokens by which this player would come back: it was restarted, or "
                 "cannot be reached; coming in anew");
  if (const core::Status opened = open_pipe(); !opened) return core::log_warn("client", "{}", opened.error().message);
  connection_->enter_again(*token, now);
  lost_ = false;
}

// Past the simulated network: nobody waits for what would be in flight.
void PipeClient::close() {
  connection_->close(*pipe_);
  pipe_->flush();
  over_ = true;
}

core::Result<std::unique_ptr<PipeClient>> enter(net::EventLoop& loop, const Access& access, ConnectionConfig config) {
  core::Result<std::vector<transport::ConnectToken>> tokens = get_tokens(access, 1);
  if (!tokens) return tokens.error();
  config.transport.token = std::move(tokens->front());
  return PipeClient::open(loop, access, std::move(config));
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
