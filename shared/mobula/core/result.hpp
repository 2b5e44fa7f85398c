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

namespace detail {
// Fail a check. They are apart from the access, which then has a jump and no message.
[[noreturn, gnu::cold]] void result_has_no_value(const Error& error);
[[noreturn, gnu::cold]] void result_has_no_error();
}  // namespace detail

/// A value or an error. Accessing the other one fails a check, in release builds too.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() {
    if (!ok()) [[unlikely]]
      detail::result_has_no_value(*std::get_if<1>(&state_));
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] const T& value() const {
    if (!ok()) [[unlikely]]
      detail::result_has_no_value(*std::get_if<1>(&state_));
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] const Error& error() const {
    if (ok()) [[unlikely]]
      detail::result_has_no_error();
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
