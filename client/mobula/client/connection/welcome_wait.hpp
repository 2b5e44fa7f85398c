// Patience of a client that has sent Hello and waits for the parts of Welcome.
//
// Keep-alives and acknowledgements keep a session alive on a path that carries nothing larger. A server that many
// clients join at once acknowledges Hello, lets the client wait, and sends keep-alives meanwhile. One whose Welcome
// does not arrive sends nothing else.
#pragma once

#include <mobula/transport/session.hpp>

namespace mobula::client {

class WelcomeWait final {
 public:
  explicit WelcomeWait(core::Nanoseconds now = 0) : checked_at_(now) {}

  /// Returns why waiting is over; null while it is not. A long time between two calls is a pause of this client, of
  /// which only the first 500 ms count.
  [[nodiscard]] const char* check(const transport::Session& session, core::Nanoseconds now);

 private:
  core::Nanoseconds checked_at_;
  core::Nanoseconds waited_ = 0;       // without pauses of this client
  core::Nanoseconds received_at_ = 0;  // waited_ when datagrams_ grew the last time
  core::Nanoseconds progress_at_ = 0;  // the same of content_bytes_
  std::uint64_t content_bytes_ = 0;    // without headers
  std::uint64_t datagrams_ = 0;
};

}  // namespace mobula::client
