#include <boost/asio/post.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <mobula/core/assert.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/net/event_loop_impl.hpp>
#include <mobula/net/resolve.hpp>
#include <mobula/server/agones/patch_connection.hpp>
#include <utility>

namespace mobula::agones {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;

constexpr std::string_view scheme = "http://";
constexpr std::uint32_t header_bytes_max = 16 * 1024;
constexpr std::size_t server_message_bytes_max = 400;  // part of the error message

}  // namespace

// Handlers of Asio share it, so that it outlives its owner until they have run.
struct PatchConnection::Impl : std::enable_shared_from_this<Impl> {
  Impl(asio::io_context& loop, std::string address, net::HttpOptions given)
      : io(loop), url(std::move(address)), options(std::move(given)) {}

  void begin(std::string_view path, std::string_view json, OnAnswer handler) {
    MOBULA_ASSERT(!on_answer, "a request is sent before the previous one has its answer");
    on_answer = std::move(handler);
    const std::string host_port = url.substr(std::min(scheme.size(), url.size()));
    target = url + std::string(path);
    request = http::request<http::string_body>(http::verb::patch, path, 11);
    request.set(http::field::host, host_port);
    request.set(http::field::accept, "application/json");
    request.set(http::field::content_type, "application/json");
    request.body() = json;
    request.prepare_payload();
    parser = std::make_unique<http::response_parser<http::string_body>>();
    parser->header_limit(header_bytes_max);
    parser->body_limit(options.answer_bytes_max);
    asio::post(io, [self = shared_from_this(), host_port] {
      if (!self->closed) self->send(host_port);
    });
  }

  void send(const std::string& host_port) {
    if (stream) {
      stream->expires_after(std::chrono::nanoseconds(options.timeout));
      return write();
    }
    const core::Result<transport::Address> address =
        url.starts_with(scheme) ? net::resolve(host_port) : core::Error{"bad address", "expected http://ADDRESS:PORT"};
    if (!address) return end(core::Error{"bad address", core::format("{}: {}", target, address.error().message)});
    buffer.clear();
    stream = std::make_unique<beast::tcp_stream>(io);
    stream->expires_after(std::chrono::nanoseconds(options.timeout));
    stream->async_connect({net::to_ip(*address), address->port}, [self = shared_from_this()](error_code error) {
      if (self->closed) return;
      if (error) return self->end(self->failure(error, "unreachable"));
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
    http::async_read(*stream, buffer, *parser, [self = shared_from_this()](error_code error, std::size_t) {
      if (self->closed) return;
      self->end(error ? self->failure(error, "bad answer") : self->answer());
    });
  }

  [[nodiscard]] core::Result<std::string> failure(error_code error, const char* reason) const {
    const bool late = error == beast::error::timeout;
    return core::Error{late ? "timed out" : reason, core::format("{}: {}", target, error.message())};
  }

  core::Result<std::string> answer() {
    const auto& got = parser->get();
    if (http::to_status_class(got.result()) == http::status_class::successful) return got.body();
    const std::string text(core::trimmed(got.body()));
    const bool shown = text.size() <= server_message_bytes_max && core::is_printable(text);
    return core::Error{"refused", core::format("{}: {} {}", target, got.result_int(), shown ? text : "")};
  }

  void end(core::Result<std::string> result) {
    if (!parser->is_done() || !parser->keep_alive()) stream.reset();
    std::exchange(on_answer, {})(std::move(result));
  }

  void close() {
    closed = true;
    stream.reset();
  }

  asio::io_context& io;
  std::string url;
  net::HttpOptions options;
  std::string target;                         // URL of the request
  OnAnswer on_answer;                         // empty between requests
  std::unique_ptr<beast::tcp_stream> stream;  // null between connections
  beast::flat_buffer buffer;
  http::request<http::string_body> request;
  std::unique_ptr<http::response_parser<http::string_body>> parser;
  bool closed = false;
};

PatchConnection::PatchConnection(net::EventLoop& events, std::string url, net::HttpOptions options)
    : impl_(std::make_shared<Impl>(events.impl().io, std::move(url), std::move(options))) {}

PatchConnection::~PatchConnection() { impl_->close(); }

void PatchConnection::patch(std::string_view path, std::string_view json, OnAnswer on_answer) {
  impl_->begin(path, json, std::move(on_answer));
}

}  // namespace mobula::agones
