// Undoes what was begun, if a function is left before its end: by an exception or an early return. A catch block would
// do for exceptions, but does not compile without them.
#pragma once

#include <utility>

namespace mobula::core {

/// Calls a function at its end, unless it was dismissed. The function must not throw.
template <class Function>
class Undo {
 public:
  explicit Undo(Function function) : function_(std::move(function)) {}
  ~Undo() {
    if (!dismissed_) function_();
  }
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;

  /// Keeps what was begun: the destructor does nothing.
  void dismiss() { dismissed_ = true; }

 private:
  Function function_;
  bool dismissed_ = false;
};

}  // namespace mobula::core
