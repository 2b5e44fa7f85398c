#include <execinfo.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mobula/core/failure.hpp>
#include <mobula/core/format.hpp>
#include <mobula/process/failure_report.hpp>
#include <mobula/process/log_output.hpp>
#include <mutex>
#include <vector>

namespace mobula::process {
namespace {

constexpr int frames_max = 64;
constexpr int report_seconds = 3;

// Never destroyed, so that destructors of other statics can fail.
struct Listeners {
  std::mutex mutex;
  std::vector<FailureListener*> all;
};
Listeners& listeners() {
  static auto* const instance = new Listeners;
  return *instance;
}

// Memory for the report of a process that has used up its own.
constexpr std::size_t reserve_bytes = 512 * 1024;
std::atomic<void*> reserve = std::malloc(reserve_bytes);
void release_reserve() { std::free(reserve.exchange(nullptr)); }

std::atomic<int> no_exits = 0;  // NoExit objects

std::atomic<bool> failing = false;
thread_local bool failing_here = false;

// Nothing that the report waits for, such as the reader of standard error, keeps the process from its end.
void bound_the_report() {
  sigevent abort_signal{};
  abort_signal.sigev_notify = SIGEV_SIGNAL;
  abort_signal.sigev_signo = SIGABRT;
  itimerspec end{};
  end.it_value.tv_sec = report_seconds;
  timer_t timer{};
  if (::timer_create(CLOCK_MONOTONIC, &abort_signal, &timer) == 0) ::timer_settime(timer, 0, &end, nullptr);
}

// A failure of the report itself ends the process at once. One of another thread waits.
void begin_report() {
  if (failing_here) std::abort();
  failing_here = true;
  ::signal(SIGABRT, SIG_DFL);  // the end of the report, and of its time
  sigset_t abort_signal;
  ::sigemptyset(&abort_signal);
  ::sigaddset(&abort_signal, SIGABRT);
  ::pthread_sigmask(SIG_UNBLOCK, &abort_signal, nullptr);  // for a thread that blocks all signals
  while (failing.exchange(true)) ::pause();
  release_reserve();
  bound_the_report();
}

void write_backtrace() {
  std::array<void*, frames_max> frames;
  backtrace_symbols_fd(frames.data(), backtrace(frames.data(), frames_max), STDERR_FILENO);
}

void finish_report(std::string_view text) {
  const std::string line = log_failure(text);
  if (listeners().mutex.try_lock())
    for (const FailureListener* listener : listeners().all) listener->call(line);
  write_backtrace();
}

void write_report(std::string_view text) {
  begin_report();
  finish_report(text);
}

constexpr std::array faults{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// After it, the fault happens again and ends the process. A signal that was sent by kill() needs the second call.
void on_fault(int signal) {
  ::signal(signal, SIG_DFL);
  begin_report();  // before the first allocation, as the heap may be locked
  finish_report(core::format("signal {} ({})", signal, ::sigdescr_np(signal)));
  ::raise(signal);
}

}  // namespace

void report_signals() {
  static std::array<std::byte, 64 * 1024> stack;  // for an overflow of the main thread's own
  const stack_t alternate{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  ::sigaltstack(&alternate, nullptr);
  for (const int signal : faults) {
    struct sigaction now{};
    if (::sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
    now.sa_handler = on_fault;
    now.sa_flags = SA_ONSTACK | SA_NODEFER;
    ::sigaction(signal, &now, nullptr);
  }
}

FailureListener::FailureListener(Function function) : function_(std::move(function)) {
  const std::lock_guard lock(listeners().mutex);
  listeners().all.push_back(this);
}

FailureListener::~FailureListener() {
  const std::lock_guard lock(listeners().mutex);
  std::erase(listeners().all, this);
}

NoExit::NoExit() {
  static const int registered = std::atexit([] {
    if (no_exits > 0) core::fail("the program has called exit() while its work goes on");
  });
  static_cast<void>(registered);
  ++no_exits;
}

NoExit::~NoExit() { --no_exits; }

void report_failure(std::string_view text) {
  write_report(text);
  std::abort();
}

void report_uncaught() {
  release_reserve();
  const std::exception_ptr thrown = std::current_exception();
  if (thrown == nullptr) core::fail("the program has called std::terminate");
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    core::fail(core::format("uncaught exception: {}", error.what()));
  } catch (...) {
    core::fail("uncaught exception, which is no std::exception");
  }
}

}  // namespace mobula::process
