#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <mobula/core/assert.hpp>
#include <mobula/net/event_loop_impl.hpp>
#include <mobula/net/open_files.hpp>
#include <span>
#include <string_view>

namespace mobula::net {
namespace {

// Time budget of a run_until whose deadline has passed. It suffices for the datagrams of thousands of clients per tick.
// A late server that skipped them would get acknowledgements late, send more data, and fall further behind.
constexpr core::Nanoseconds late_budget = 10 * core::millisecond;

// Maximum time for which the end of a loop waits for peers that do not read.
constexpr core::Nanoseconds last_writes_max = 250 * core::millisecond;

void wait_for(EventLoop::Impl::Signals& signals) {
  signals.set.async_wait([&signals](const boost::system::error_code& error, int) {
    if (error) return;
    signals.handler();
    wait_for(signals);
  });
}

void handle(EventLoop::Impl::Signals& signals, std::span<const int> numbers, std::function<void()> handler) {
  MOBULA_ASSERT(!signals.handler, "a loop has one handler per kind of signal");
  signals.handler = std::move(handler);
  boost::system::error_code ignored;  // these signals can be caught
  for (const int number : numbers) signals.set.add(number, ignored);
  wait_for(signals);
}

// Those that would end the process unsaved, and that something other than a fault of the program sends.
constexpr std::array stop_signals{SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGXCPU, SIGPWR};
constexpr std::array reload_signals{SIGHUP};

// A person who gives up waiting interrupts again at least this long after the first time.
constexpr core::Nanoseconds impatience = core::second;
constexpr std::string_view last_words = "ended at once by a second Ctrl-C; what was not saved is lost\n";

// State of the process, since signals belong to it.
std::atomic<bool> stop_requested = false;
std::atomic<core::Nanoseconds> interrupted_at = 0;  // time of the first SIGINT; 0 before it
void (*asio_handler)(int) = nullptr;

// Calls only what is safe in a signal handler.
void handle_stop_signal(int number) {
  if (!stop_requested.exchange(true)) asio_handler(number);
  if (number != SIGINT) return;
  core::Nanoseconds first = 0;
  const core::Nanoseconds now = core::monotonic_now();
  if (interrupted_at.compare_exchange_strong(first, now) || now - first < impatience) return;
  pollfd room{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};  // nobody may read the log
  if (::poll(&room, 1, 0) == 1) [[maybe_unused]]
    const ssize_t written = ::write(STDERR_FILENO, last_words.data(), last_words.size());
  std::_Exit(128 + number);
}

void install_before_asio(int number) {
  struct sigaction action{};
  ::sigaction(number, nullptr, &action);
  if (action.sa_handler != handle_stop_signal) asio_handler = action.sa_handler;
  action.sa_handler = handle_stop_signal;
  ::sigaction(number, &action, nullptr);
}

}  // namespace

EventLoop::EventLoop() : impl_(std::make_unique<Impl>()) { static_cast<void>(raise_open_files_limit()); }
EventLoop::~EventLoop() { impl_->write_last(); }

void EventLoop::set_pause(core::Nanoseconds pause) { impl_->pause = pause; }
core::Nanoseconds EventLoop::pause() const { return impl_->pause; }

void EventLoop::run_until(core::Nanoseconds deadline) {
  impl_->send_batch.flush();  // before the wait
  const bool late = deadline <= core::monotonic_now();
  if (!late) impl_->wait(deadline);
  if (late || impl_->pause > 0) impl_->handle_ready(core::monotonic_now() + (late ? late_budget : impl_->pause));
}

// Calls handlers when sockets are ready, until a later time.
void EventLoop::Impl::wait(core::Nanoseconds until) {
  read_until = until;
  // Not run_one_until: it waits in whole milliseconds.
  deadline.expires_at(std::chrono::steady_clock::time_point{std::chrono::nanoseconds(until)});
  deadline.async_wait([](const boost::system::error_code&) {});
  while (!stopped && core::monotonic_now() < until) {
    io.run_one();
    if (pause == 0) continue;
    handle_ready(until);
    rest(until);
  }
}

// Calls the handlers of sockets that are ready now. Ends at a time although more are ready.
void EventLoop::Impl::handle_ready(core::Nanoseconds until) {
  read_until = until;
  while (!stopped && io.poll_one() > 0 && core::monotonic_now() < until) continue;
}

// Sleeps for the pause. A signal ends it early.
void EventLoop::Impl::rest(core::Nanoseconds until) const {
  if (stopped) return;
  const core::Nanoseconds end = std::min(until, core::monotonic_now() + pause);
  const timespec time{.tv_sec = end / core::second, .tv_nsec = end % core::second};
  ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
}

// Writes what abandoned streams have queued, such as the last datagrams of a session. No owner is left, and signals
// would call handlers whose objects no longer exist.
void EventLoop::Impl::write_last() {
  if (abandoned == 0) return;
  boost::system::error_code ignored;
  stop_signals.set.cancel(ignored);
  reload_signals.set.cancel(ignored);
  io.restart();
  const core::Nanoseconds end = core::monotonic_now() + last_writes_max;
  while (abandoned > 0 && core::monotonic_now() < end)
    io.run_one_until(std::chrono::steady_clock::time_point{std::chrono::nanoseconds(end)});
}

void EventLoop::stop() {
  impl_->stopped = true;
  impl_->io.stop();
}

bool EventLoop::stopped() const { return impl_->stopped; }

void EventLoop::on_stop_signal(std::function<void()> handler) {
  stop_requested = false;
  interrupted_at = 0;
  handle(impl_->stop_signals, stop_signals, std::move(handler));
  std::ranges::for_each(stop_signals, install_before_asio);
}

void EventLoop::on_reload_signal(std::function<void()> handler) {
  handle(impl_->reload_signals, reload_signals, std::move(handler));
}

}  // namespace mobula::net
