// A client without a picture: mirrors a server, prints a summary once per second, and ends with a line of JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mobula/client/pipe/access.hpp>
#include <mobula/prediction/rules.hpp>
#include <mobula/reflect/schema.hpp>
#include <string>

namespace mobula::client {

struct HeadlessOptions {
  Access access;
  std::uint64_t ticks = 0;  ///< Ends after this many mirrored ticks; 0 runs until it is stopped.
  bool json_only = false;   ///< Prints the last line only.
  bool events = false;      ///< Prints received events.
  std::string name = "headless";
  bool spectate = false;
  /// Folder in which the server's resources are kept; empty requests none. While recording they are received anew into
  /// a temporary folder, so that the recording contains them, and this folder is not used.
  std::string resources;
  std::string recording;                          ///< File to record to; empty records nothing.
  std::shared_ptr<const reflect::Schema> schema;  ///< Schema that the server must have; null accepts any.
  /// Rules to predict by, which are compiled with `schema`. Null predicts nothing. With rules the server's resources
  /// are received before the client joins, into memory unless there is a folder, as a step reads the level.
  const prediction::Rules* rules = nullptr;
  /// Returns the command to give now, or nothing. Called with each update while the client plays.
  std::function<core::Bytes(core::Nanoseconds now)> play;
};

/// Runs the client. Returns the exit status: 0 if at least one tick was verified, none mismatched, and all requested
/// ticks were received; else 1. With rules it is 1 also if nothing was predicted.
int run_headless(const HeadlessOptions& options);

}  // namespace mobula::client
