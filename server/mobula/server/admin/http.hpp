// Requests and responses of the admin port as handlers see them: text and a status, no sockets.
// A response is made in up to three steps. A handler parses the request on the admin thread. If it needs the world, it
// returns a Query, whose work runs on the simulation thread between ticks. The work's result is converted to text on
// the admin thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mobula/core/result.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace mobula::server::admin {

struct Request {
  std::string method;
  std::string path;   // without the query
  std::string query;  // the part after '?'
  std::string body;
  std::string host;             // header, or X-Forwarded-Host of a trusted proxy; empty unless there is exactly one
  bool without_host = false;    // HTTP/1.0 without a host, as health checks send it and browsers never do
  std::string authorization;    // the same as host
  std::string if_none_match;    // the same
  std::string accept_encoding;  // the same
  std::optional<std::string> origin;  // header, sent by pages in a browser; "null" if there is more than one
  std::string fetch_site;             // header Sec-Fetch-Site; empty unless there is exactly one
  std::string fetch_dest;             // header Sec-Fetch-Dest, likewise
  bool by_proxy = false;              // has a header of proxies, or is of HTTP/1.0, as nginx sends it by default
  bool asks_for_method = false;       // has the header Access-Control-Request-Method
  // Decoded parameters of path and query, by name.
  std::map<std::string, std::string, std::less<>> parameters;

  /// Returns a parameter, empty if it was not given.
  [[nodiscard]] std::string_view parameter(std::string_view name) const {
    const auto found = parameters.find(name);
    return found == parameters.end() ? std::string_view() : std::string_view(found->second);
  }
};

struct Response {
  unsigned status = 200;
  std::string body;
  std::string_view type = "application/json";
  // Additional headers. Without a Cache-Control the response is not cached.
  std::vector<std::pair<std::string_view, std::string>> headers = {};
  // Body in place of `body`, of which connections make no copies. Null if there is none.
  std::shared_ptr<const std::string> shared_body = nullptr;
};

/// Makes the response on the admin thread from values that it owns.
using Finish = std::function<Response()>;

struct Query {
  std::function<Finish()> work;  // runs on the simulation thread
  Finish otherwise = {};         // response if the simulation does not answer in time; empty for an error
};

using Reply = std::variant<Response, Query>;

/// Called on the admin thread.
using Handler = std::function<Reply(const Request&)>;

enum class Access : std::uint8_t {
  everyone,  // every peer that reaches the address
  bearer,    // peers that send the token, if there is one
};

/// Path of a route for all paths that no other route has. It stands last.
inline constexpr std::string_view every_other_path = "*";

struct Route {
  std::string_view method;  // "GET"
  std::string path;         // "/api/sessions/{player}"
  Handler handler;
  std::vector<std::string_view> query = {};  // permitted parameters; others are refused
  Access access = Access::bearer;
  std::vector<std::string> origins = {};  // other origins whose pages are answered; see origin.hpp
  bool ignores_query = false;             // any parameters are permitted and not read
};

/// Returns {"error":{"code":"…","message":"…"}}. Invalid UTF-8 in the message is replaced.
Response error_response(unsigned status, std::string_view code, std::string_view message);
/// Status of the errors with a reason.
struct ReasonStatus {
  std::string_view reason;
  unsigned status;
};
/// Returns an error response whose code is the reason with underscores. Reasons that `statuses` lacks are those of bad
/// requests: 400.
Response error_response(const core::Error& error, std::span<const ReasonStatus> statuses);
/// Does the same with the statuses of the admin port.
Response error_response(const core::Error& error);

}  // namespace mobula::server::admin
