// Arbitrary bytes as the answer to a request for connect tokens: it gives tokens or an error.
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <fuzz/fuzz.hpp>
#include <mobula/client/pipe/access.hpp>
#include <mobula/core/log.hpp>
#include <mutex>
#include <thread>

namespace fuzz_answer {

using namespace mobula;
using boost::asio::ip::tcp;

namespace {

// Sends the same answer to every connection until another is set. Lives as long as the process.
class HostileServer {
 public:
  HostileServer() : acceptor_(io_, {boost::asio::ip::address_v4::loopback(), 0}) {
    std::thread([this] {
      for (;;) serve();
    }).detach();
  }

  void set_answer(core::ByteView answer) {
    const std::lock_guard lock(mutex_);
    answer_.assign(answer.begin(), answer.end());
  }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  void serve() {
    tcp::socket socket = acceptor_.accept();
    core::Bytes answer;
    {
      const std::lock_guard lock(mutex_);
      answer = answer_;
    }
    boost::system::error_code ignored;
    boost::asio::write(socket, boost::asio::buffer(answer.data(), answer.size()), ignored);
    socket.shutdown(tcp::socket::shutdown_send, ignored);
    // Reads until the client closes: closing with unread data would cut the answer off.
    core::Bytes rest(4096);
    while (boost::asio::read(socket, boost::asio::buffer(rest.data(), rest.size()), ignored) == rest.size()) {
    }
  }

  boost::asio::io_context io_;
  tcp::acceptor acceptor_;
  std::uint16_t port_ = acceptor_.local_endpoint().port();
  std::mutex mutex_;
  core::Bytes answer_;
};

HostileServer& hostile_server() {
  static auto* const one = new HostileServer;
  return *one;
}

int run_target(const std::uint8_t* data, std::size_t size) {
  core::set_log_level(core::LogLevel::off);
  hostile_server().set_answer(fuzz::view(data, size));
  client::Access access;
  access.options.admin = hostile_server().url();
  const auto tokens = client::get_tokens(access, 2);
  fuzz::require(tokens.ok() || !tokens.error().message.empty(), "tokens or a message");
  if (tokens) fuzz::require(tokens->size() == 2, "the requested number");
  return 0;
}

const mobula::fuzz::Target target("answer", run_target);

}  // namespace
}  // namespace fuzz_answer
