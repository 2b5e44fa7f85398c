#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/steady_timer.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/server/admin/admin_server.hpp>
#include <mobula/server/admin/connection.hpp>
#include <mobula/server/admin/router.hpp>
#include <system_error>
#include <thread>

namespace mobula::server::admin {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// After an accept that failed: this process has no descriptor to spare, for instance.
constexpr std::chrono::milliseconds pause_after_failure{100};
// While more than half of the connections are taken: those that only stay must not keep the others waiting.
constexpr core::Nanoseconds crowded_timeout = 500 * core::millisecond;

tcp::endpoint endpoint_of(const transport::Address& address) {
  if (!address.is_v4()) return {asio::ip::address_v6(address.ip), address.port};
  return {asio::ip::address_v4({address.ip[12], address.ip[13], address.ip[14], address.ip[15]}), address.port};
}

core::Error open_error(const transport::Address& local, const error_code& error) {
  const std::string where = core::format("admin address {}", to_string(local));
  if (error == asio::error::address_in_use)
    return {"port in use", core::format("cannot listen on {}: another program uses it", where)};
  if (error == asio::error::access_denied)
    return {"no permission", core::format("cannot listen on {}: not permitted", where)};
  if (error.value() == EADDRNOTAVAIL)
    return {"no such address", core::format("cannot listen on {}: this machine has no such address", where)};
  return {"cannot open", core::format("cannot listen on {}: {}", where, error.message())};
}

}  // namespace

// All of it belongs to the thread while that runs. Connections live in what `io` has to do, and end with it.
struct AdminServer::Impl final : ConnectionOwner {
  explicit Impl(AdminConfig config) : router(std::move(config.routes)), time(config.timeout) {}
  ~Impl() override;

  error_code open(const tcp::endpoint& local);
  void accept();
  void accept_later();
  void run() noexcept;

  Response answer(const Request& request) noexcept override { return router.answer(request); }
  core::Nanoseconds timeout() const override;
  void connection_ended() noexcept override;

  Router router;
  core::Nanoseconds time;
  std::uint16_t port = 0;
  std::size_t connections = 0;
  bool accepting = false;
  bool ending = false;
  asio::io_context io{1};
  tcp::acceptor acceptor{io};
  asio::steady_timer pause{io};
  std::thread thread;
};

AdminServer::Impl::~Impl() {
  io.stop();
  if (thread.joinable()) thread.join();
  ending = true;
}

error_code AdminServer::Impl::open(const tcp::endpoint& local) {
  error_code error;
  error_code ignored;
  if (acceptor.open(local.protocol(), error)) return error;
  if (local.address().is_v6()) acceptor.set_option(asio::ip::v6_only(!local.address().is_unspecified()), ignored);
  acceptor.set_option(asio::socket_base::reuse_address(true), ignored);
  if (acceptor.bind(local, error)) return error;
  if (acceptor.listen(asio::socket_base::max_listen_connections, error)) return error;
  port = acceptor.local_endpoint(error).port();
  return error;
}

void AdminServer::Impl::accept() {
  if (accepting || ending || connections >= connections_max) return;
  accepting = true;
  acceptor.async_accept([this](const error_code& error, tcp::socket socket) {
    accepting = false;
    if (error) return accept_later();
    ++connections;
    accept();
    serve(std::move(socket), *this);
  });
}

void AdminServer::Impl::accept_later() {
  pause.expires_after(pause_after_failure);
  pause.async_wait([this](const error_code& error) {
    if (!error) accept();
  });
}

core::Nanoseconds AdminServer::Impl::timeout() const {
  return connections > connections_max / 2 ? std::min(time, crowded_timeout) : time;
}

void AdminServer::Impl::connection_ended() noexcept {
  --connections;
  accept();
}

void AdminServer::Impl::run() noexcept {
  while (!io.stopped()) {
    try {
      io.run();
    } catch (const std::exception& error) {  // out of memory: the connection is lost, the next may do better
      core::log_error("admin", "{}", error.what());
    }
  }
}

AdminServer::AdminServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
AdminServer::~AdminServer() = default;

core::Result<std::unique_ptr<AdminServer>> AdminServer::start(AdminConfig config) {
  const transport::Address local = config.listen;
  auto impl = std::make_unique<Impl>(std::move(config));
  if (const error_code error = impl->open(endpoint_of(local))) return open_error(local, error);
  impl->accept();
  try {
    impl->thread = std::thread([&server = *impl] { server.run(); });
  } catch (const std::system_error& error) {
    return core::Error{"cannot open", core::format("cannot start the admin address's thread: {}", error.what())};
  }
  return std::unique_ptr<AdminServer>(new AdminServer(std::move(impl)));
}

std::uint16_t AdminServer::local_port() const { return impl_->port; }

}  // namespace mobula::server::admin
