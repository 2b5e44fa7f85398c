#include <mobula/net/event_loop.hpp>
#include <mobula/net/http_client.hpp>
#include <optional>

namespace mobula::net {
namespace {

// Sends a request by `send`, and waits for its answer.
template <class Send>
core::Result<std::string> answer_of(const std::string& url, const HttpOptions& options, Send send) {
  EventLoop events;
  HttpConnection connection(events, url, options);
  std::optional<core::Result<std::string>> answer;
  send(connection, [&](core::Result<std::string> result) {
    answer = std::move(result);
    events.stop();
  });
  while (!answer) events.run_until(core::monotonic_now() + options.timeout);
  return std::move(*answer);
}

}  // namespace

std::string url_below(std::string_view address, std::string_view path) {
  while (address.ends_with('/')) address.remove_suffix(1);
  return std::string(address).append(path);
}

core::Result<std::string> http_get(const std::string& url, const HttpOptions& options) {
  return answer_of(url, options, [](HttpConnection& connection, HttpConnection::OnAnswer on_answer) {
    connection.get("", std::move(on_answer));
  });
}

core::Result<std::string> http_post(const std::string& url, std::string_view json, const HttpOptions& options) {
  return answer_of(url, options, [json](HttpConnection& connection, HttpConnection::OnAnswer on_answer) {
    connection.post("", json, std::move(on_answer));
  });
}

}  // namespace mobula::net
