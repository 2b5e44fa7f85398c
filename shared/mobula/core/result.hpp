// Result: a value or an error. Returned by functions that can fail at run time; no exception leaves a folder.
#pragma once

#include <mobula/core/assert.hpp>
#include <string>
#include <utility>
#include <variant>

namespace mobula::core {

/// `reason` is a short fixed name that programs compare and count, for example "truncated". `message` is a sentence for
/// people.
struct Error {
  const char* reason = "";
  std::string message;
};

/// A value or an error. Accessing the other one is an assertion failure.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() {
    MOBULA_ASSERT(ok(), "value of a failed Result: " + std::get<1>(state_).message);
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] const T& value() const {
    MOBULA_ASSERT(ok(), "value of a failed Result: " + std::get<1>(state_).message);
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] const Error& error() const {
    MOBULA_ASSERT(!ok(), "error of a Result that holds a value");
    return *std::get_if<1>(&state_);
  }

  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Error> state_;
};

/// Value of a Status that succeeded.
struct Done {};
using Status = Result<Done>;

}  // namespace mobula::core
