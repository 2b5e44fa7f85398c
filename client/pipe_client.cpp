#include <algorithm>
#include <mobula/client/pipe_client.hpp>
#include <mobula/core/log.hpp>

namespace mobula::client {
namespace {

// So long it goes on trying to come back; the server keeps the player for less.
constexpr core::Nanoseconds come_back_within = 60 * core::second;
constexpr core::Nanoseconds try_interval = core::second;
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

core::Status PipeClient::open_pipe() {
  core::Result<std::unique_ptr<net::ClientPipe>> pipe =
      net::ClientPipe::open(loop_, access_.destination, {.ca_file = access_.options.ca_file, .stream = {}});
  if (!pipe) return pipe.error();
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

// Tries again for a while, each time on a pipe of its own: the old one may be what is broken.
void PipeClient::come_back(core::Nanoseconds now) {
  if (lost_at_ == 0) lost_at_ = now;
  over_ = over_ || !connection_->can_rejoin() || now - lost_at_ > come_back_within;
  if (over_ || now < next_try_) return;
  next_try_ = now + try_interval;
  core::log_info("client", "lost the server ({}), coming back", to_string(connection_->reason()));
  if (const core::Status opened = open_pipe(); !opened) {
    core::log_warn("client", "{}", opened.error().message);
    return;
  }
  connection_->rejoin(now);
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
