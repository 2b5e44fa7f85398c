// Prints received events, one line each, at a rate that can be read.
#pragma once

#include <mobula/client/connection/connection.hpp>
#include <mobula/core/log_limit.hpp>

namespace mobula::client {

/// Returns "event of tick 123 about 12.1: 4 bytes 0a0b0c0d". After the handle follows "(removed)" or "(unknown)" if the
/// mirror does not have the entity. A longer event is cut after 64 bytes.
std::string event_line(const ReceivedEvent& event);

class EventLines {
 public:
  static constexpr std::uint32_t lines_per_second = 20;

  /// Prints the events of the last update to stdout. Call it after each update; further calls print nothing.
  void print(const Connection& connection, core::Nanoseconds now);

 private:
  core::LogLimit limit_{lines_per_second};
  std::uint64_t printed_ = 0;  // events received when it last printed
};

}  // namespace mobula::client
