// A question to the admin address and its answer, as handlers see them: text and a status, no sockets.
//
// An answer is made in up to three steps. A handler reads what was asked, on the admin server's thread; what needs the
// world it puts into a Question, whose work is done on the simulation's thread, between ticks; what that gives is then
// written down, on the admin server's thread again.
#pragma once

#include <functional>
#include <map>
#include <mobula/core/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace mobula::server::admin {

struct Request {
  std::string method;
  std::string path;   // without the query
  std::string query;  // what follows '?'
  std::string body;
  std::string host;                   // the header; empty unless there is exactly one
  std::string authorization;          // the same
  std::string if_none_match;          // the same
  std::optional<std::string> origin;  // the header: a page in a browser asks. More than one: "null"
  std::string fetch_site;             // Sec-Fetch-Site, as browsers say it; empty unless there is exactly one
  std::string fetch_dest;             // Sec-Fetch-Dest, the same
  // What the route found in the path and in the query, by name, decoded.
  std::map<std::string, std::string, std::less<>> parameters;

  // Empty: it was not given.
  [[nodiscard]] std::string_view parameter(std::string_view name) const {
    const auto found = parameters.find(name);
    return found == parameters.end() ? std::string_view() : std::string_view(found->second);
  }
};

struct Response {
  unsigned status = 200;
  std::string body;
  std::string_view type = "application/json";
  // Besides those that all have. Without a Cache-Control nobody keeps the answer.
  std::vector<std::pair<std::string_view, std::string>> headers = {};
};

// On the admin server's thread. Keeps what it needs.
using Finish = std::function<Response()>;

struct Question {
  std::function<Finish()> work;  // on the simulation's thread
  Finish otherwise = {};         // the answer if the simulation gives none in time; empty: a refusal says so
};

using Reply = std::variant<Response, Question>;

// Called on the admin server's thread.
using Handler = std::function<Reply(const Request&)>;

enum class Access : std::uint8_t {
  everyone,  // who can reach the address
  bearer,    // of the token, where one is asked for
};

struct Route {
  std::string_view method;  // "GET"
  std::string path;         // "/api/sessions/{player}"
  Handler handler;
  std::vector<std::string_view> query = {};  // parameters that it may have; another one is refused
  Access access = Access::bearer;
};

// {"error":{"code":"…","message":"…"}}; what is no UTF-8 in the message is replaced.
Response error_response(unsigned status, std::string_view code, std::string_view message);
// The code is the reason, with low lines; the status follows from it, and is 400 if nothing else is known of it.
Response error_response(const core::Error& error);

}  // namespace mobula::server::admin
