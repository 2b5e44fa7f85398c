#include "replication/bots_thread.hpp"

#include <algorithm>

namespace mobula::bench {
namespace {

constexpr std::uint32_t joins_per_slice = 8;

}  // namespace

BotsThread::BotsThread(const ReplicationOptions& options, const transport::Address& server)
    : options_(options), server_(server) {
  for (std::size_t i = 0; i < slice_count; ++i) slices_.push_back(std::make_unique<Slice>(i + 1, options.loss_percent));
  thread_ = std::thread([this] { run(); });
}

void BotsThread::stop() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

void BotsThread::run() {
  const core::Nanoseconds interval =
      core::second / options_.walkers.ticks_per_second / static_cast<core::Nanoseconds>(slice_count);
  core::Nanoseconds next = core::monotonic_now();
  for (std::size_t turn = 0; !stopping_ && status_; turn = (turn + 1) % slice_count) {
    loop_.run_until(next);
    next += interval;
    step(*slices_[turn]);
    if (turn == 0 && !all_play_) all_play_ = find_out_whether_all_play();
  }
}

void BotsThread::step(Slice& slice) {
  for (std::uint32_t i = 0; i < joins_per_slice && bots_ < options_.clients && status_; ++i) status_ = add_bot(slice);
  const core::Nanoseconds now = core::monotonic_now();
  slice.down.deliver(
      [&](std::uint32_t place, core::ByteView datagram) { slice.bots[place]->client.receive(server_, datagram, now); });
  for (std::uint32_t place = 0; place < slice.bots.size(); ++place) {
    ToServer output(slice.up, place, way_of(slice.bots[place]->number));
    slice.bots[place]->client.update(now, output);
  }
  slice.up.deliver([&](std::uint32_t place, core::ByteView datagram) {
    slice.bots[place]->socket->send(server_, datagram);
    slice.bots[place]->socket->flush();
  });
  slice.down.next_step();
  slice.up.next_step();
}

core::Status BotsThread::add_bot(Slice& slice) {
  auto socket = net::UdpSocket::open(loop_, transport::Address::v4(127, 0, 0, 1, 0));
  if (!socket) return socket.error();
  const auto place = static_cast<std::uint32_t>(slice.bots.size());
  const std::uint32_t number = bots_++;
  slice.bots.push_back(
      std::make_unique<Bot>(Bot{number, BenchClient(number, server_, core::monotonic_now()), std::move(*socket)}));
  slice.bots.back()->socket->on_datagram([&slice, place, number](const transport::Address&, core::ByteView datagram) {
    slice.down.send(place, datagram, way_of(number).there);
  });
  return core::Done{};
}

bool BotsThread::find_out_whether_all_play() const {
  return bots_ == options_.clients && std::ranges::all_of(slices_, [](const auto& slice) {
           return std::ranges::all_of(slice->bots, [](const auto& bot) { return bot->client.plays(); });
         });
}

std::uint64_t BotsThread::mismatched_ticks() const {
  std::uint64_t sum = 0;
  for (const auto& slice : slices_)
    for (const auto& bot : slice->bots) sum += bot->client.mismatched_ticks();
  return sum;
}

std::uint64_t BotsThread::verified_ticks() const {
  std::uint64_t sum = 0;
  for (const auto& slice : slices_)
    for (const auto& bot : slice->bots) sum += bot->client.verified_ticks();
  return sum;
}

}  // namespace mobula::bench
