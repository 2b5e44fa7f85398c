// A question to the admin address and its answer, as handlers see them: text and a status, no sockets.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace mobula::server::admin {

// What the strings show lives during the call.
struct Request {
  std::string_view method;
  std::string_view path;   // without the query
  std::string_view query;  // what follows '?'
  std::string_view body;
  std::string_view host;    // the header; empty unless there is exactly one
  bool has_origin = false;  // a page in a browser asks
};

struct Response {
  unsigned status = 200;
  std::string json;
  std::string allow = {};  // the header, if not empty
};

// Called on the admin server's thread.
using Handler = std::function<Response(const Request&)>;

struct Route {
  std::string_view method;  // "GET"
  std::string_view path;    // "/live"
  Handler handler;
};

// {"error":{"code":"…","message":"…"}}; what is no UTF-8 in the message is replaced.
Response error_response(unsigned status, std::string_view code, std::string_view message);

}  // namespace mobula::server::admin
