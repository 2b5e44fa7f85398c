// Exceptions of a game's code, caught at the border to the server's.
#pragma once

#include <exception>
#include <mobula/core/format.hpp>
#include <mobula/core/result.hpp>
#include <mobula/core/thrown_fields.hpp>
#include <new>
#include <optional>
#include <string>

namespace mobula::server {

/// An exception of the game, and the tick and hook that threw it. The texts of the fields are those of the log's
/// scopes.
struct Thrown {
  std::string what;
  core::LogFields fields;
};

/// Runs code that calls a game. Returns what the game threw, if anything.
template <class Code>
std::optional<Thrown> thrown_by(Code&& code) {
  try {
    code();
  } catch (const std::bad_alloc&) {
    return Thrown{"not enough memory", core::thrown_log_fields()};
  } catch (const std::exception& error) {
    return Thrown{error.what(), core::thrown_log_fields()};
  } catch (...) {
    return Thrown{"an unknown exception", core::thrown_log_fields()};
  }
  return std::nullopt;
}

inline core::Error error_of(const Thrown& thrown) {
  if (thrown.fields.running.empty()) return {"failed", "the game threw an exception: " + thrown.what};
  return {"failed", core::format("the game threw an exception in {}: {}", thrown.fields.running, thrown.what)};
}

}  // namespace mobula::server
