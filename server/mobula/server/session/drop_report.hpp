// Logs why datagrams were dropped: at once, and then at most once per interval. The netcode standard gives a client
// that cannot connect no answer, so an operator finds the cause only in the log.
#pragma once

#include <mobula/core/clock.hpp>
#include <mobula/transport/server_endpoint.hpp>

namespace mobula::server {

class DropReport {
 public:
  /// The endpoint outlives this.
  explicit DropReport(const transport::ServerEndpoint& endpoint) : endpoint_(endpoint) {}

  /// Logs the drops since the last report, if a report is due and there are any.
  void update(core::Nanoseconds now);

 private:
  const transport::ServerEndpoint& endpoint_;
  core::Nanoseconds next_report_ = 0;
  transport::DropCounters reported_;
};

}  // namespace mobula::server
