// Report of a failure, core::fail, in a process.
//
//   log line (text, and the fields of the thread: world, tick, session, entity, running)
//     -> listeners, such as a store that notes the failure for the next start
//     -> backtrace on standard error -> abort, or the signal that was the failure
//
// All of it takes at most three seconds: then a timer aborts. So nobody has to read standard error, and a signal may
// interrupt code that has locked the heap.
#pragma once

#include <functional>
#include <string_view>

namespace mobula::process {

/// Reports the failure and aborts. A failure during the report aborts at once; one of another thread waits. The report
/// of core/failure.hpp in each program that links this room; see started.cpp.
void report_failure(std::string_view text);

/// Reports the exception that nobody has caught, or that has left a destructor. The terminate handler of each program
/// that links this room.
[[noreturn]] void report_uncaught();

/// Reports the signals of a faulting program (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) as failures, also when the
/// stack is full. The signal then ends the process. Called at the start of each program that links this room. A signal
/// that has a handler already, as under a sanitizer, keeps it.
void report_signals();

/// Makes std::exit() a failure, during its lifetime: the work that goes on would not be ended in good order.
class NoExit {
 public:
  NoExit();
  ~NoExit();
  NoExit(const NoExit&) = delete;
  NoExit& operator=(const NoExit&) = delete;
};

/// Receives a failure, during its lifetime. The function runs on the failed thread and must not wait for a lock.
class FailureListener {
 public:
  using Function = std::function<void(std::string_view line)>;

  explicit FailureListener(Function function);
  ~FailureListener();
  FailureListener(const FailureListener&) = delete;
  FailureListener& operator=(const FailureListener&) = delete;

  void call(std::string_view line) const { function_(line); }

 private:
  Function function_;
};

}  // namespace mobula::process
