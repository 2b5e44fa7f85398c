#include <algorithm>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <deque>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/net/event_loop_impl.hpp>
#include <mobula/net/http_connection.hpp>
#include <mobula/net/http_url.hpp>
#include <mobula/net/resolve.hpp>
#include <nlohmann/json.hpp>
#include <utility>

namespace mobula::net {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::uint32_t header_bytes_max = 16 * 1024;
constexpr std::size_t server_message_bytes_max = 400;  // part of the error message

// Returns the message in {"error":{"message":"…"}}, or the body. Empty if it is too long or not printable.
std::string server_message(const std::string& body) {
  const nlohmann::json json = nlohmann::json::parse(body, nullptr, false);
  const nlohmann::json::json_pointer message("/error/message");
  std::string text = body;
  if (json.is_object() && json.contains(message) && json.at(message).is_string()) text = json.at(message);
  text = core::trimmed(text);
  return text.size() <= server_message_bytes_max && core::is_printable(text) ? text : "";
}

struct Exchange {
  http::verb verb;
  std::string url;
  std::string json;
  HttpConnection::OnLine on_line;  // empty if the body is passed on as one
  HttpConnection::OnAnswer on_answer;
};

}  // namespace

// Handlers of Asio share it, so that it outlives its owner until they have run.
struct HttpConnection::Impl : std::enable_shared_from_this<Impl> {
  Impl(asio::io_context& loop, std::string address, HttpOptions given)
      : io(loop), url(std::move(address)), options(std::move(given)) {}

  void add(Exchange exchange) {
    waiting.push_back(std::move(exchange));
    if (waiting.size() == 1) asio::post(io, [self = shared_from_this()] { self->begin(); });
  }

  // Starts the first exchange that waits.
  void begin() {
    if (closed || waiting.empty()) return;
    const Exchange& exchange = waiting.front();
    const core::Result<HttpUrl> parts = parse_http_url(exchange.url);
    if (!parts) return end(parts.error());
    request = http::request<http::string_body>(exchange.verb, parts->target, 11);
    request.set(http::field::host, parts->host_port);
    request.set(http::field::accept, "application/json");
    if (!options.bearer.empty()) request.set(http::field::authorization, "Bearer " + options.bearer);
    if (exchange.verb != http::verb::get) {
      request.set(http::field::content_type, "application/json");
      request.body() = exchange.json;
    }
    request.prepare_payload();
    parser = std::make_unique<http::response_parser<http::string_body>>();
    parser->header_limit(header_bytes_max);
    parser->body_limit(exchange.on_line ? boost::none : boost::optional<std::uint64_t>(options.answer_bytes_max));
    if (stream) {
      stream->expires_after(std::chrono::nanoseconds(options.timeout));
      return write();
    }
    connect(parts->host_port);
  }

  void connect(const std::string& host_port) {
    const std::string& full = waiting.front().url;
    const core::Result<transport::Address> address = resolve(host_port);
    if (!address) {
      const bool unknown = std::string_view(address.error().reason) == "unknown host";
      return end(
          core::Error{unknown ? "unreachable" : "bad address", core::format("{}: {}", full, address.error().message)});
    }
    buffer.clear();
    stream = std::make_unique<beast::tcp_stream>(io);
    stream->expires_after(std::chrono::nanoseconds(options.timeout));
    stream->async_connect(tcp::endpoint(to_ip(*address), address->port), [self = shared_from_this()](error_code error) {
      if (self->closed) return;
      if (error) return self->end(self->failure(error, false));
      error_code ignored;
      self->stream->socket().set_option(tcp::no_delay(true), ignored);
      self->write();
    });
  }

  // A server that refuses may answer before it has read the whole request, so write errors are ignored.
  void write() {
    http::async_write(*stream, request, [self = shared_from_this()](error_code, std::size_t) {
      if (!self->closed) self->read();
    });
  }

  void read() {
    http::async_read_some(*stream, buffer, *parser, [self = shared_from_this()](error_code error, std::size_t) {
      if (!self->closed) self->on_read(error);
    });
  }

  void on_read(error_code error) {
    const bool lasts = waiting.front().on_line && parser->is_header_done() && good();
    if (lasts && !pass_lines()) return;
    if (error) return end(failure(error, true));
    if (parser->is_done()) return end(lasts ? core::Result<std::string>(std::string()) : answer());
    if (lasts) stream->expires_never();
    read();
  }

  [[nodiscard]] bool good() const {
    return http::to_status_class(parser->get().result()) == http::status_class::successful;
  }

  // Passes complete lines on. Returns false if the exchange is over.
  bool pass_lines() {
    std::string& body = parser->get().body();
    std::size_t begin = 0;
    for (std::size_t at; (at = body.find('\n', begin)) != std::string::npos; begin = at + 1) {
      waiting.front().on_line(std::string_view(body).substr(begin, at - begin));
      if (closed) return false;
    }
    body.erase(0, begin);
    if (body.size() <= options.answer_bytes_max) return true;
    end(failure(http::error::body_limit, true));
    return false;
  }

  [[nodiscard]] core::Error failure(error_code error, bool connected) const {
    const std::string& full = waiting.front().url;
    if (error == beast::error::timeout)
      return {"timed out", core::format("{}: no answer within {} s", full, core::in_seconds(options.timeout))};
    if (!connected)
      return {error == boost::asio::error::connection_refused ? "not running" : "unreachable",
              core::format("{}: {}", full, error.message())};
    if (error == http::error::body_limit)
      return {"bad answer", core::format("{}: the answer is longer than {} bytes", full, options.answer_bytes_max)};
    return {"bad answer", core::format("{}: malformed HTTP answer: {}", full, error.message())};
  }

  core::Result<std::string> answer() {
    if (good()) return std::move(parser->get().body());
    const std::string why = server_message(parser->get().body());
    return core::Error{"refused", core::format("{}: {}{}{}", waiting.front().url, parser->get().result_int(),
                                               why.empty() ? "" : " ", why)};
  }

  // Ends the first exchange and begins the next one. The connection stays open if the server keeps it so.
  void end(core::Result<std::string> result) {
    const bool answered = result.ok() || std::string_view(result.error().reason) == "refused";
    if (!answered || !parser || !parser->is_done() || !parser->keep_alive()) stream.reset();
    const Exchange ended = std::move(waiting.front());
    waiting.pop_front();
    if (!waiting.empty()) asio::post(io, [self = shared_from_this()] { self->begin(); });
    ended.on_answer(std::move(result));
  }

  void close() {
    closed = true;
    stream.reset();
  }

  asio::io_context& io;
  std::string url;
  HttpOptions options;
  std::deque<Exchange> waiting;               // the first one is under way
  std::unique_ptr<beast::tcp_stream> stream;  // null between connections
  beast::flat_buffer buffer;
  http::request<http::string_body> request;
  std::unique_ptr<http::response_parser<http::string_body>> parser;
  bool closed = false;
};

HttpConnection::HttpConnection(EventLoop& events, std::string url, HttpOptions options)
    : impl_(std::make_shared<Impl>(events.impl().io, std::move(url), std::move(options))) {}

HttpConnection::~HttpConnection() { impl_->close(); }

void HttpConnection::get(std::string_view path, OnAnswer on_answer) {
  impl_->add({http::verb::get, impl_->url + std::string(path), {}, {}, std::move(on_answer)});
}

void HttpConnection::post(std::string_view path, std::string_view json, OnAnswer on_answer) {
  impl_->add({http::verb::post, impl_->url + std::string(path), std::string(json), {}, std::move(on_answer)});
}

void HttpConnection::patch(std::string_view path, std::string_view json, OnAnswer on_answer) {
  impl_->add({http::verb::patch, impl_->url + std::string(path), std::string(json), {}, std::move(on_answer)});
}

void HttpConnection::follow(std::string_view path, std::string_view json, OnLine on_line, OnAnswer on_end) {
  impl_->add(
      {http::verb::post, impl_->url + std::string(path), std::string(json), std::move(on_line), std::move(on_end)});
}

}  // namespace mobula::net
