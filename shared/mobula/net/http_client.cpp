#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/net/event_loop_impl.hpp>
#include <mobula/net/http_client.hpp>
#include <mobula/net/resolve.hpp>
#include <nlohmann/json.hpp>

namespace mobula::net {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::uint32_t header_bytes_max = 16 * 1024;
constexpr std::size_t server_message_bytes_max = 400;  // part of the error message

struct Url {
  std::string host_port;
  std::string target;
};

core::Result<Url> parse_url(const std::string& url) {
  constexpr std::string_view scheme = "http://";
  const bool plain = std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (!plain || !url.starts_with(scheme) || url.find_first_of("@#") != std::string::npos)
    return core::Error{"bad address", core::format("'{}' is not an address: expected http://HOST:PORT/path", url)};
  const std::string rest = url.substr(scheme.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  return Url{rest.substr(0, slash), slash < rest.size() ? rest.substr(slash) : "/"};
}

// Returns the message in {"error":{"message":"…"}}, or the body. Empty if it is too long or not printable.
std::string server_message(const std::string& body) {
  const nlohmann::json json = nlohmann::json::parse(body, nullptr, false);
  const nlohmann::json::json_pointer message("/error/message");
  std::string text = body;
  if (json.is_object() && json.contains(message) && json.at(message).is_string()) text = json.at(message);
  text = core::trimmed(text);
  return text.size() <= server_message_bytes_max && core::is_printable(text) ? text : "";
}

// One HTTP exchange; runs once, with one deadline for all steps.
class Exchange {
 public:
  Exchange(const std::string& url, const HttpOptions& options) : url_(url), options_(options) {
    parser_.header_limit(header_bytes_max);
    parser_.body_limit(options.answer_bytes_max);
  }

  core::Result<std::string> run(const transport::Address& address, http::request<http::string_body> request) {
    request_ = std::move(request);
    stream_.expires_after(std::chrono::nanoseconds(options_.timeout));
    stream_.async_connect(tcp::endpoint(to_ip(address), address.port), [this](error_code error) {
      connected_ = !error;
      error_ = error;
      if (!error) write();
    });
    io_.run();
    return connected_ && !error_ ? answer() : core::Result<std::string>(failure());
  }

 private:
  void write() {
    // A server that refuses may answer before it has read the whole request, so write errors are ignored.
    http::async_write(stream_, request_, [this](error_code, std::size_t) { read(); });
  }
  void read() {
    http::async_read(stream_, buffer_, parser_, [this](error_code error, std::size_t) { error_ = error; });
  }

  core::Error failure() const {
    if (error_ == beast::error::timeout) {
      const double seconds = core::in_seconds(options_.timeout);
      return {"timed out", core::format("{}: no answer within {} s", url_, seconds)};
    }
    if (!connected_) return {"unreachable", core::format("{}: {}", url_, error_.message())};
    if (error_ == http::error::body_limit)
      return {"bad answer", core::format("{}: the answer is longer than {} bytes", url_, options_.answer_bytes_max)};
    return {"bad answer", core::format("{}: malformed HTTP answer: {}", url_, error_.message())};
  }
  core::Result<std::string> answer() {
    http::response<http::string_body>& response = parser_.get();
    if (http::to_status_class(response.result()) == http::status_class::successful) return std::move(response.body());
    const std::string why = server_message(response.body());
    return core::Error{"refused", core::format("{}: {}{}{}", url_, response.result_int(), why.empty() ? "" : " ", why)};
  }

  const std::string& url_;
  HttpOptions options_;
  asio::io_context io_{1};
  beast::tcp_stream stream_{io_};
  beast::flat_buffer buffer_;
  http::request<http::string_body> request_;
  http::response_parser<http::string_body> parser_;
  bool connected_ = false;
  error_code error_;
};

core::Result<std::string> exchange(http::verb verb, const std::string& url, std::string_view json,
                                   const HttpOptions& options) {
  const core::Result<Url> parts = parse_url(url);
  if (!parts) return parts.error();
  const core::Result<transport::Address> address = resolve(parts->host_port);
  if (!address) {
    const bool unknown = std::string_view(address.error().reason) == "unknown host";
    return core::Error{unknown ? "unreachable" : "bad address", core::format("{}: {}", url, address.error().message)};
  }
  http::request<http::string_body> request(verb, parts->target, 11);
  request.set(http::field::host, parts->host_port);
  request.set(http::field::accept, "application/json");
  if (!options.bearer.empty()) request.set(http::field::authorization, "Bearer " + options.bearer);
  request.keep_alive(false);
  if (verb == http::verb::post) {
    request.set(http::field::content_type, "application/json");
    request.body() = json;
  }
  request.prepare_payload();
  return Exchange(url, options).run(*address, std::move(request));
}

}  // namespace

std::string url_below(std::string_view address, std::string_view path) {
  while (address.ends_with('/')) address.remove_suffix(1);
  return std::string(address).append(path);
}

core::Result<std::string> http_get(const std::string& url, const HttpOptions& options) {
  return exchange(http::verb::get, url, {}, options);
}

core::Result<std::string> http_post(const std::string& url, std::string_view json, const HttpOptions& options) {
  return exchange(http::verb::post, url, json, options);
}

}  // namespace mobula::net
