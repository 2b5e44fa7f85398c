#include <algorithm>
#include <bots/loop_watch.hpp>
#include <ctime>

namespace mobula::client {

core::Result<std::unique_ptr<LoopWatch>> LoopWatch::open(net::EventLoop& loop) {
  core::Result<std::unique_ptr<net::UdpSocket>> socket =
      net::UdpSocket::open(loop, transport::Address::v4(127, 0, 0, 1, 0));
  if (!socket) return socket.error();
  std::unique_ptr<LoopWatch> watch(new LoopWatch(std::move(*socket)));
  watch->self_ = transport::Address::v4(127, 0, 0, 1, watch->socket_->local_port());
  watch->socket_->on_datagram([watch = watch.get()](const transport::Address& from, core::ByteView datagram) {
    if (from != watch->self_ || datagram.size() != sizeof(core::Nanoseconds)) return;
    const core::Nanoseconds lag = core::monotonic_now() - core::load<core::Nanoseconds>(datagram.data());
    ++watch->received_;
    watch->lags_us_.add(static_cast<std::uint64_t>(std::max<core::Nanoseconds>(lag, 0) / core::microsecond));
  });
  return watch;
}

void LoopWatch::probe() {
  std::array<std::byte, sizeof(core::Nanoseconds)> now{};
  core::store(now.data(), core::monotonic_now());
  ++sent_;
  socket_->send(self_, now);
  socket_->flush();
}

core::Nanoseconds LoopWatch::cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * core::second + time.tv_nsec;
}

}  // namespace mobula::client
