#include <mobula/net/server_pipes.hpp>
#include <mobula/net/stream_listener_impl.hpp>
#include <mobula/net/tls_impl.hpp>
#include <mobula/net/udp_socket.hpp>

namespace mobula::net {
namespace {

using transport::Address;
using transport::Pipe;

constexpr auto pipes_count = static_cast<std::size_t>(Pipe::count);
constexpr std::size_t index_of(Pipe pipe) { return static_cast<std::size_t>(pipe); }

// Stands in for a pipe that is not open.
class NoPipe final : public transport::Output {
 public:
  void send(const Address&, core::ByteView) override {}
  [[nodiscard]] bool ready(const Address&) const override { return false; }
};

}  // namespace

struct ServerPipes::Impl {
  core::Status open_stream(EventLoop& loop, Pipe pipe, std::optional<std::uint16_t> port,
                           const ServerPipesConfig& config, std::shared_ptr<boost::asio::ssl::context> tls);

  NoPipe none;
  std::unique_ptr<UdpSocket> udp;
  std::array<std::unique_ptr<StreamListener>, pipes_count> streams;
  std::array<transport::Output*, pipes_count> by_pipe{};
};

core::Status ServerPipes::Impl::open_stream(EventLoop& loop, Pipe pipe, std::optional<std::uint16_t> port,
                                            const ServerPipesConfig& config,
                                            std::shared_ptr<boost::asio::ssl::context> tls) {
  if (!port) return core::Done{};
  Address local = config.listen;
  local.port = *port;
  local.pipe = pipe;
  auto opened =
      StreamListener::open(loop, local, config.streams, config.trusted_proxies, config.origins, std::move(tls));
  if (!opened) return opened.error();
  streams[index_of(pipe)] = std::move(*opened);
  by_pipe[index_of(pipe)] = streams[index_of(pipe)].get();
  return core::Done{};
}

core::Result<std::unique_ptr<ServerPipes>> ServerPipes::open(EventLoop& loop, const ServerPipesConfig& config) {
  auto impl = std::make_unique<Impl>();
  impl->by_pipe.fill(&impl->none);
  auto udp = UdpSocket::open(loop, config.listen);
  if (!udp) return udp.error();
  impl->udp = std::move(*udp);
  if (config.listen.is_any()) impl->udp->answer_from_asked_address();
  impl->by_pipe[index_of(Pipe::udp)] = impl->udp.get();

  std::shared_ptr<boost::asio::ssl::context> tls;
  if (!config.certificate_file.empty() || !config.key_file.empty()) {
    auto made = server_tls(config.certificate_file, config.key_file);
    if (!made) return made.error();
    tls = *made;
  }
  const core::Status tcp = impl->open_stream(loop, Pipe::tcp, config.tcp_port, config, nullptr);
  if (!tcp) return tcp.error();
  const core::Status websocket = impl->open_stream(loop, Pipe::websocket, config.websocket_port, config, tls);
  if (!websocket) return websocket.error();
  return std::unique_ptr<ServerPipes>(new ServerPipes(std::move(impl)));
}

ServerPipes::ServerPipes(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ServerPipes::~ServerPipes() = default;

void ServerPipes::on_datagram(const DatagramHandler& handler) {
  impl_->udp->on_datagram(handler);
  for (const auto& stream : impl_->streams) {
    if (stream) stream->on_datagram(handler);
  }
}

void ServerPipes::on_closed(const ClosedHandler& handler) {
  for (const auto& stream : impl_->streams) {
    if (stream) stream->on_closed(handler);
  }
}

void ServerPipes::send(const Address& to, core::ByteView datagram) {
  impl_->by_pipe[index_of(to.pipe)]->send(to, datagram);
}

bool ServerPipes::ready(const Address& to) const { return impl_->by_pipe[index_of(to.pipe)]->ready(to); }

void ServerPipes::flush() {
  for (transport::Output* pipe : impl_->by_pipe) pipe->flush();
}

void ServerPipes::finished(const Address& to) { impl_->by_pipe[index_of(to.pipe)]->finished(to); }

std::uint16_t ServerPipes::local_port(Pipe pipe) const {
  if (pipe == Pipe::udp) return impl_->udp->local_port();
  const auto& stream = impl_->streams[index_of(pipe)];
  return stream ? stream->local_port() : std::uint16_t{0};
}

const UdpCounters& ServerPipes::udp_counters() const { return impl_->udp->counters(); }

std::optional<std::size_t> ServerPipes::small_udp_buffer() const {
  const std::size_t bytes = impl_->udp->receive_buffer_bytes();
  if (bytes == 0 || bytes >= std::size_t{UdpSocket::kernel_buffer_bytes}) return std::nullopt;
  return bytes;
}

const StreamCounters& ServerPipes::stream_counters(Pipe pipe) const {
  static const StreamCounters none;
  const auto& stream = impl_->streams[index_of(pipe)];
  return stream ? stream->counters() : none;
}

std::uint32_t ServerPipes::connections(Pipe pipe) const {
  const auto& stream = impl_->streams[index_of(pipe)];
  return stream ? stream->connections() : 0;
}

void ServerPipes::check() const {
  for (const auto& stream : impl_->streams) {
    if (stream) stream->check();
  }
}

}  // namespace mobula::net
