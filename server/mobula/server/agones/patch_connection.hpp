// HTTP/1.1 connection for PATCH requests, on the thread of an event loop. net::HttpConnection has no PATCH, and the
// sidecar's counters have no other method. The connection is kept open for the next request.
#pragma once

#include <memory>
#include <mobula/net/http_connection.hpp>

namespace mobula::agones {

class PatchConnection {
 public:
  using OnAnswer = net::HttpConnection::OnAnswer;

  /// `url` is "http://ADDRESS:PORT" with a numeric address. The loop must outlive the connection.
  PatchConnection(net::EventLoop& events, std::string url, net::HttpOptions options = {});
  /// No handler is called afterwards.
  ~PatchConnection();
  PatchConnection(const PatchConnection&) = delete;
  PatchConnection& operator=(const PatchConnection&) = delete;

  /// Requests a path below the address. The previous request must have its answer. The handler is called by the loop,
  /// never by this call. Errors are those of HttpConnection::get.
  void patch(std::string_view path, std::string_view json, OnAnswer on_answer);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace mobula::agones
