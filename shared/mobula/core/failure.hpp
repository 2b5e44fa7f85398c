// Failure: the end of a process whose program has a mistake.
//
//   log line (text, and the fields of the thread: world, tick, session, entity, running)
//     -> listeners, such as a store that notes the failure for the next start
//     -> backtrace on standard error -> abort
//
// All of it takes at most three seconds, also if nobody reads standard error: then a timer aborts.
#pragma once

#include <functional>
#include <string_view>

namespace mobula::core {

/// Reports the failure and aborts. A failure during the report aborts at once; one of another thread waits.
[[noreturn, gnu::cold]] void fail(std::string_view text);

/// Receives a failure, during its lifetime. The function runs on the failed thread and must not wait for a lock.
class FailureListener {
 public:
  using Function = std::function<void(std::string_view line)>;

  explicit FailureListener(Function function);
  ~FailureListener();
  FailureListener(const FailureListener&) = delete;
  FailureListener& operator=(const FailureListener&) = delete;

 private:
  friend void fail(std::string_view text);

  Function function_;
};

}  // namespace mobula::core
