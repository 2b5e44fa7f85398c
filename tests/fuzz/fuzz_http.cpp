// Arbitrary bytes to a connection of the admin port, as HTTP and as frames of the live feed's WebSocket.
//
//   input: a byte of flags (see the bits), then steps
//     0 u16 size, bytes     unframed                 1 u8 first byte, u16 size, bytes    a frame
//     2 u16 size, text      a message                3                                   a tick of the world
#include <boost/asio/post.hpp>
#include <fuzz/queried_world.hpp>
#include <fuzz/wire_tap.hpp>
#include <mobula/server/admin/connection_impl.hpp>
#include <mobula/server/admin/tokens.hpp>

namespace fuzz_http {

using namespace mobula;
using fuzz::world;
namespace admin = server::admin;

namespace {

constexpr std::size_t steps_max = 200;
constexpr unsigned live_bit = 1;   // the WebSocket is opened first
constexpr unsigned token_bit = 2;  // the port requires a token
constexpr unsigned sent_bit = 4;   // the token is sent
constexpr std::string_view token = "sesame-sesame-sesame";

// All routes, and one for connect tokens that are invalid.
std::vector<admin::Route> routes() {
  std::vector<admin::Route> all = server::api::routes(world().api());
  all.push_back(admin::tokens_route([](std::uint32_t count, std::string_view /*user_data*/) {
    return core::Result<std::vector<core::Bytes>>(std::vector<core::Bytes>(count, core::Bytes(3)));
  }));
  return all;
}

// Like HttpServer, but on one thread and with immediate answers.
class Owner final : public admin::ConnectionOwner {
 public:
  Owner(boost::asio::io_context& io, bool requires_token)
      : io_(io),
        topics_(server::api::topics(world().api())),
        welcome_(server::api::welcome(world().api())),
        router_(routes(), std::string(requires_token ? token : "")) {}

  void answer(admin::Request request, Done done) noexcept override {
    const bool reads = request.method == "GET" || request.method == "HEAD";
    admin::Reply reply = router_.answer(std::move(request));
    if (auto* query = std::get_if<admin::Query>(&reply)) reply = query->work()();
    const auto& response = std::get<admin::Response>(reply);
    fuzz::require(response.status != 500, "no input causes an internal error");
    changed = changed || (response.status < 300 && !reads);
    done(response);
  }
  std::optional<admin::Response> refuse_live(const admin::Request& request) noexcept override {
    return router_.auth_filter().refuse_page(request);
  }
  void connection_ended() noexcept override { --connections; }
  bool may_watch(std::string_view authorization) override {
    return !router_.auth_filter().wants_token() || router_.auth_filter().is_authorized(authorization);
  }
  bool is_token(std::string_view text) override { return router_.auth_filter().is_token(text); }
  [[nodiscard]] std::span<const admin::Topic> topics() const override { return topics_; }
  [[nodiscard]] const std::string& welcome() const override { return welcome_; }
  void request_frame(std::shared_ptr<admin::Feed> feed, FrameDone done) noexcept override {
    boost::asio::post(io_, [feed = std::move(feed), done = std::move(done)] { done(feed->next()()); });
  }
  bool live_began() noexcept override { return ++watching != 0; }
  void live_ended() noexcept override { --watching; }
  [[nodiscard]] core::Nanoseconds timeout() const override { return 60 * core::second; }

  int connections = 0;
  int watching = 0;
  bool changed = false;  // a request has changed the world

 private:
  boost::asio::io_context& io_;
  std::vector<admin::Topic> topics_;
  std::string welcome_;
  admin::Router router_;
};

void open_live(test::WireTap& tap) {
  tap.send(
      "GET /api/live HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n");
  fuzz::require(tap.received().starts_with("HTTP/1.1 101"), "a WebSocket is opened");
}

void step(fuzz::Input& input, test::WireTap& tap) {
  const std::uint8_t what = input.byte() % 4;
  if (what == 3) return world().tick(), tap.settle();
  if (what == 0) return tap.send(input.bytes(input.word()));
  const std::uint8_t first = what == 1 ? input.byte() : test::text_frame;
  tap.send(test::websocket_frame(first, input.bytes(input.word())));
}

int run_target(const std::uint8_t* data, std::size_t size) {
  static bool changed = true;
  fuzz::renew_world(changed);
  fuzz::Input input(fuzz::view(data, size));
  const unsigned how = input.byte();
  boost::asio::io_context io{1};
  Owner owner(io, (how & token_bit) != 0);
  {
    test::WireTap tap(io);
    ++owner.connections;
    admin::serve(tap.take_socket(), admin::Place(&owner), owner);
    if ((how & live_bit) != 0) open_live(tap);
    if ((how & sent_bit) != 0)
      tap.send(test::websocket_frame(test::text_frame, core::as_bytes(R"({"token":"sesame-sesame-sesame"})", 32)));
    for (std::size_t steps = 0; steps < steps_max && !input.empty(); ++steps) step(input, tap);
  }
  changed = owner.changed;
  fuzz::require(owner.connections == 0 && owner.watching == 0, "closed connections are not counted");
  return 0;
}

const mobula::fuzz::Target target("http", run_target);

}  // namespace
}  // namespace fuzz_http
