#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/steady_timer.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/net/spare_descriptor.hpp>
#include <mobula/server/admin/connection_impl.hpp>
#include <mobula/server/admin/http_server.hpp>
#include <mobula/server/admin/request_queue.hpp>
#include <mobula/server/admin/router.hpp>
#include <mobula/transport/listen_error.hpp>
#include <system_error>
#include <thread>

namespace mobula::server::admin {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// Pause after a failed accept, for example without a free descriptor.
constexpr std::chrono::milliseconds pause_after_failure{100};

tcp::endpoint endpoint_of(const transport::Address& address) {
  if (!address.is_v4()) return {asio::ip::address_v6(address.ip), address.port};
  return {asio::ip::address_v4({address.ip[12], address.ip[13], address.ip[14], address.ip[15]}), address.port};
}

error_code listen(tcp::acceptor& acceptor, const tcp::endpoint& local) {
  error_code error;
  error_code ignored;
  if (acceptor.open(local.protocol(), error)) return error;
  if (local.address().is_v6()) acceptor.set_option(asio::ip::v6_only(!local.address().is_unspecified()), ignored);
  acceptor.set_option(asio::socket_base::reuse_address(true), ignored);
  if (!acceptor.bind(local, error)) acceptor.listen(asio::socket_base::max_listen_connections, error);
  return error;
}

const core::Error busy{"busy",
                       core::format("{} queries wait for the simulation already; nothing was changed, try again later",
                                    RequestQueue::waiting_max)};
const core::Error no_answer{"no answer", "the simulation did not answer in time; nothing was changed"};
const core::Error unfinished{"unfinished",
                             "the simulation began this query and did not finish in time; it may still take effect"};

bool is_for_everyone(const HttpServerConfig& config) {
  return config.topics.empty() &&
         std::ranges::all_of(config.routes, [](const Route& route) { return route.access == Access::everyone; });
}

// An exception ends the subscription and is logged.
Feed::Frame guarded_frame(const std::function<Feed::Frame()>& make) noexcept {
  const core::Error lost{"failed", "internal error; see the log of the server"};
  try {
    return [frame = make(), lost]() -> core::Result<std::string> {
      try {
        return frame();
      } catch (const std::exception& error) {
        core::log_error("admin", "live feed: {}", error.what());
        return lost;
      }
    };
  } catch (const std::exception& error) {
    core::log_error("admin", "live feed: {}", error.what());
    return [lost]() -> core::Result<std::string> { return lost; };
  }
}

}  // namespace

// Everything except the queue belongs to the thread while it runs. Connections are owned by pending operations of `io`
// and by queries, and end with them.
struct HttpServer::Impl final : ConnectionOwner {
  explicit Impl(HttpServerConfig config)
      : router(std::move(config.routes), std::move(config.bearer_token), std::move(config.hosts)),
        places(config.connections_max),
        proxies(std::move(config.trusted_proxies)),
        all_topics(std::move(config.topics)),
        first_words(std::move(config.welcome)),
        time(config.timeout),
        answer_time(config.answer_timeout) {}
  ~Impl() override;

  error_code open(const tcp::endpoint& local);
  void accept();
  void evict();
  void accept_failed(const error_code& error);
  void run() noexcept;

  void answer(Request request, Done done) noexcept override;
  std::optional<Response> refuse_live(const Request& request) noexcept override;
  core::Nanoseconds timeout() const override { return time; }
  [[nodiscard]] std::span<const net::AddressRange> trusted_proxies() const override { return proxies; }
  void connection_ended() noexcept override;

  bool may_watch(std::string_view authorization) override;
  bool is_token(std::string_view token) override;
  std::span<const Topic> topics() const override { return all_topics; }
  const std::string& welcome() const override { return first_words; }
  void request_frame(std::shared_ptr<Feed> feed, FrameDone done) noexcept override;
  bool live_began() noexcept override {
    if (live >= live_connections_max) return false;
    ++live;
    return true;
  }
  void live_ended() noexcept override { --live; }

  class PendingQuery;
  void put(const std::shared_ptr<PendingQuery>& query);
  void expire(PendingQuery& query);

  Router router;
  std::size_t places;  // for connections
  std::vector<net::AddressRange> proxies;
  std::vector<Topic> all_topics;
  std::string first_words;
  core::Nanoseconds time;  // per peer
  core::Nanoseconds answer_time;
  std::uint16_t port = 0;
  std::size_t connections = 0;
  std::size_t live = 0;
  bool accepting = false;
  bool ending = false;
  net::SpareDescriptor spare;
  net::AcceptFailures failures;
  asio::io_context io{1};
  tcp::acceptor acceptor{io};
  asio::steady_timer pause{io};
  RequestQueue queue;
  std::thread thread;
};

// A query to the simulation. Made and destroyed on the admin thread; in between it is in the queue.
class HttpServer::Impl::PendingQuery final : public QueuedRequest {
 public:
  using Finished = std::function<void()>;

  // `work` returns a function that is then called here. If it does not arrive in time, `refused` is called here
  // instead. Unless `patient`, that also holds if the work has begun: a frame of a feed that was made must not be lost.
  PendingQuery(Impl& owner, std::function<Finished()> work, std::function<void(const core::Error&)> refused,
               bool patient)
      : owner_(owner), work_(std::move(work)), refused_(std::move(refused)), patient_(patient), timer_(owner.io) {}

  void wait(const std::shared_ptr<PendingQuery>& self) {
    timer_.expires_after(std::chrono::nanoseconds(owner_.answer_time));
    timer_.async_wait([self](const error_code& error) {
      if (!error) self->owner_.expire(*self);
    });
  }
  [[nodiscard]] bool patient() const { return patient_; }
  void refuse(const core::Error& error) {
    if (over_) return;
    over_ = true;
    timer_.cancel();
    refused_(error);
  }

 private:
  void work() noexcept override { finished_ = work_(); }
  void hand_back(std::shared_ptr<QueuedRequest> self) noexcept override {
    asio::post(owner_.io, [this, self = std::move(self)] { finish(); });
  }
  void finish() {
    if (over_) return;
    over_ = true;
    timer_.cancel();
    finished_();
  }

  Impl& owner_;
  std::function<Finished()> work_;
  Finished finished_;
  std::function<void(const core::Error&)> refused_;
  bool patient_;
  bool over_ = false;
  asio::steady_timer timer_;
};

void HttpServer::Impl::put(const std::shared_ptr<PendingQuery>& query) {
  if (!queue.put(query)) return asio::post(io, [query] { query->refuse(busy); });
  query->wait(query);
}

void HttpServer::Impl::expire(PendingQuery& query) {
  const bool withdrawn = queue.withdraw(query);
  if (withdrawn || !query.patient()) query.refuse(withdrawn ? no_answer : unfinished);
}

void HttpServer::Impl::answer(Request request, Done done) noexcept {
  const std::string what = request.method.substr(0, 16) + ' ' + request.path.substr(0, 100);
  Reply reply = router.answer(std::move(request));
  if (auto* response = std::get_if<Response>(&reply)) return done(std::move(*response));
  auto query = std::make_shared<Query>(std::get<Query>(std::move(reply)));
  put(std::make_shared<PendingQuery>(
      *this,
      [what, query, done]() -> PendingQuery::Finished {
        Finish finish = guarded_work(what, query->work);
        return [what, finish = std::move(finish), done] { done(guarded(what, finish)); };
      },
      [what, query, done](const core::Error& error) {
        done(query->otherwise ? guarded(what, query->otherwise) : error_response(error));
      },
      false));
}

void HttpServer::Impl::request_frame(std::shared_ptr<Feed> feed, FrameDone done) noexcept {
  put(std::make_shared<PendingQuery>(
      *this,
      [feed, done]() -> PendingQuery::Finished {
        Feed::Frame frame = guarded_frame([&] { return feed->next(); });
        return [frame = std::move(frame), done] { done(frame()); };
      },
      [done](const core::Error& error) { done(error); }, true));
}

std::optional<Response> HttpServer::Impl::refuse_live(const Request& request) noexcept {
  if (std::optional<Response> refusal = router.auth_filter().refuse_page(request)) return refusal;
  if (live < live_connections_max) return std::nullopt;
  return error_response(503, "busy", core::format("there are {} live connections already", live));
}

bool HttpServer::Impl::may_watch(std::string_view authorization) {
  return !router.auth_filter().wants_token() || router.auth_filter().is_authorized(authorization);
}

bool HttpServer::Impl::is_token(std::string_view token) {
  if (router.auth_filter().is_token(token)) return true;
  router.auth_filter().log_refusal(live_path);
  return false;
}

HttpServer::Impl::~Impl() {
  io.stop();
  if (thread.joinable()) thread.join();
  ending = true;
}

error_code HttpServer::Impl::open(const tcp::endpoint& local) {
  error_code error = listen(acceptor, local);
  if (!error) port = acceptor.local_endpoint(error).port();
  return error;
}

void HttpServer::Impl::accept() {
  if (accepting || ending || connections >= places) return;
  accepting = true;
  acceptor.async_accept([this](const error_code& error, tcp::socket socket) {
    accepting = false;
    if (error) return accept_failed(error);
    failures.end();
    ++connections;
    admin::serve(std::move(socket), Place(this), *this);
    if (connections >= places) evict();
    accept();
  });
}

// Closes the connection that has waited longest for its peer, so that slow peers cannot block others. The newest one is
// last among the idle ones, and stays: its request may have arrived already.
void HttpServer::Impl::evict() {
  if (idle.size() > 1) return idle.front().evict();
  if (!receiving.empty()) receiving.front().evict();
}

// Health checks are answered without descriptors too, one at a time.
void HttpServer::Impl::accept_failed(const error_code& error) {
  failures.note(port, error);
  if (net::is_out_of_descriptors(error) && spare.release()) return accept();
  pause.expires_after(pause_after_failure);
  pause.async_wait([this](const error_code& ended) {
    if (ended) return;
    spare.renew();
    accept();
  });
}

void HttpServer::Impl::connection_ended() noexcept {
  --connections;
  spare.renew();
  accept();
}

void HttpServer::Impl::run() noexcept {
  while (!io.stopped()) {
    try {
      io.run();
    } catch (const std::exception& error) {  // out of memory; the connection is lost, the next may succeed
      core::log_error("admin", "{}", error.what());
    }
  }
}

core::Status check_listen(const transport::Address& listen, const std::string& bearer_token) {
  if (!bearer_token.empty() || endpoint_of(listen).address().is_loopback()) return core::Done{};
  return core::Error{"no token",
                     core::format("{} can be reached from other machines and needs a bearer token", to_string(listen))};
}

core::Status try_listen(const transport::Address& listen_at, std::string_view name) {
  asio::io_context io{1};
  tcp::acceptor acceptor(io);
  if (const error_code error = listen(acceptor, endpoint_of(listen_at)))
    return transport::listen_error(core::format("{} TCP", name), listen_at, error);
  return core::Done{};
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

core::Result<std::unique_ptr<HttpServer>> HttpServer::start(HttpServerConfig config) {
  const transport::Address local = config.listen;
  const std::string_view name = config.name;
  const core::Status good = is_for_everyone(config) ? core::Done{} : check_listen(local, config.bearer_token);
  if (!good) return good.error();
  auto impl = std::make_unique<Impl>(std::move(config));
  if (const error_code error = impl->open(endpoint_of(local)))
    return transport::listen_error(core::format("{} TCP", name), local, error);
  impl->accept();
  try {
    impl->thread = std::thread([&server = *impl] { server.run(); });
  } catch (const std::system_error& error) {
    return core::Error{"cannot open", core::format("cannot start the thread of the {} port: {}", name, error.what())};
  }
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

void HttpServer::serve(core::Nanoseconds budget) { impl_->queue.serve(budget); }
std::uint16_t HttpServer::local_port() const { return impl_->port; }

}  // namespace mobula::server::admin
