// Tells what events came, a line each, for whoever watches a client: not more per second than can be read.
#pragma once

#include <mobula/client/connection/connection.hpp>
#include <mobula/core/log_limit.hpp>

namespace mobula::client {

// "event of tick 123 about 12.1: 4 bytes 0a0b0c0d"; of long ones the first 64 bytes.
std::string event_line(const ReceivedEvent& event);

class EventLines {
 public:
  static constexpr std::uint32_t lines_per_second = 20;

  // On standard output what came with the last update. After each update; more often does no harm.
  void tell(const Connection& connection, core::Nanoseconds now);

 private:
  core::LogLimit limit_{lines_per_second};
  std::uint64_t told_ = 0;  // of all that ever came
};

}  // namespace mobula::client
