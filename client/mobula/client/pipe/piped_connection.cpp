#include <mobula/client/pipe/piped_connection.hpp>

namespace mobula::client {

PipedConnection::PipedConnection(net::EventLoop& loop, const Access& access, const ConnectionConfig& config,
                                 std::uint64_t seed, RecordingWriter* recording)
    : loop_(loop),
      access_(access),
      seed_(seed),
      connection_(std::make_unique<Connection>(config, core::monotonic_now())) {
  if (recording != nullptr)
    recorded_ = std::make_unique<RecordedConnection>(*connection_, *recording, core::monotonic_now());
}

core::Status PipedConnection::open_pipe(const net::Destination& destination) {
  core::Result<std::unique_ptr<net::ClientPipe>> pipe =
      net::ClientPipe::open(loop_, destination, {.ca_file = access_.options.ca_file, .stream = {}});
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

void PipedConnection::update(core::Nanoseconds now) {
  // The end comes after what was received before it.
  if (!pipe_end_.empty() && (simulated_ == nullptr || !simulated_->is_receiving())) input().pipe_closed(pipe_end_, now);
  input().update(now, output());
}

void PipedConnection::flush(core::Nanoseconds now) {
  if (simulated_ != nullptr) simulated_->deliver(now);
  pipe_->flush();
}

// Bypasses the simulated network: nobody delivers what would be in flight.
void PipedConnection::close() {
  input().close(*pipe_);
  pipe_->flush();
}

void PipedConnection::drop() {
  connection_->drop(*pipe_);
  pipe_->flush();
}

void PipedConnection::take_over(PipedConnection& first) {
  first.connection_->follow(std::move(*connection_));
  connection_ = std::move(first.connection_);
}

core::Nanoseconds PipedConnection::deliver(core::Nanoseconds now, core::Nanoseconds none) {
  if (simulated_ == nullptr) return none;
  simulated_->deliver(now);
  return simulated_->next_due();
}

ConnectionInput& PipedConnection::input() {
  if (recorded_ != nullptr) return *recorded_;
  return *connection_;
}

transport::Output& PipedConnection::output() {
  if (simulated_ != nullptr) return *simulated_;
  return *pipe_;
}

net::ClientPipeCounters PipedConnection::counters() const {
  return pipe_ == nullptr ? former_pipes_ : sum(former_pipes_, pipe_->counters());
}

net::ClientPipeCounters sum(const net::ClientPipeCounters& a, const net::ClientPipeCounters& b) {
  return {a.datagrams_sent + b.datagrams_sent, a.bytes_sent + b.bytes_sent, a.datagrams_received + b.datagrams_received,
          a.bytes_received + b.bytes_received, a.dropped + b.dropped};
}

}  // namespace mobula::client
