// Accepts and owns the connections of one stream pipe, up to a limit. For the sources of this folder.
// Invariant: each connection is stored under its address, which is the client's once a trusted proxy has named it.
// Nothing has been sent to unanswered ones. One slot is spare, because a replaced connection keeps its slot until the
// loop runs.
#pragma once

#include <functional>
#include <mobula/core/result.hpp>
#include <mobula/net/spare_descriptor.hpp>
#include <mobula/net/stream_connection_impl.hpp>
#include <mobula/net/unanswered_streams.hpp>
#include <mobula/transport/bounded_table.hpp>
#include <mobula/transport/endpoint.hpp>
#include <vector>

namespace mobula::net {

class StreamListener final : public transport::Output, private StreamOwner {
 public:
  using DatagramHandler = std::function<void(const transport::Address& from, core::ByteView datagram)>;
  using ClosedHandler = std::function<void(const transport::Address& from, std::string_view reason)>;

  // Opens a listener for `local.pipe`. Errors: those of UdpSocket::open.
  static core::Result<std::unique_ptr<StreamListener>> open(EventLoop& loop, const transport::Address& local,
                                                            const StreamLimits& limits,
                                                            std::vector<AddressRange> trusted_proxies,
                                                            OriginPolicy origins,
                                                            std::shared_ptr<boost::asio::ssl::context> tls);
  ~StreamListener() override;

  void on_datagram(DatagramHandler handler);
  void on_closed(ClosedHandler handler) { closed_ = std::move(handler); }

  void send(const transport::Address& to, core::ByteView datagram) override;
  [[nodiscard]] bool ready(const transport::Address& to) const override;
  void flush() override;
  void finished(const transport::Address& to) override;

  [[nodiscard]] std::uint16_t local_port() const;
  [[nodiscard]] std::uint32_t connections() const { return streams_.size(); }
  [[nodiscard]] const StreamCounters& counters() const { return counters_; }
  void check() const;

 private:
  StreamListener(EventLoop& loop, transport::Pipe pipe, const StreamLimits& limits,
                 std::vector<AddressRange> trusted_proxies, OriginPolicy origins,
                 std::shared_ptr<boost::asio::ssl::context> tls, std::uint64_t table_seed);

  // Outlives the listener while one of Asio's calls is pending. `listener` is null once it is destroyed.
  struct Alive {
    StreamListener* listener;
  };

  boost::system::error_code listen(const transport::Address& local);
  boost::system::error_code try_listen(const boost::asio::ip::tcp::endpoint& local);
  void wait_for_next();
  void wait_a_while(const boost::system::error_code& error);
  void on_accepted(boost::asio::ip::tcp::socket socket);
  bool host_is_full(const transport::Address& address);
  bool make_room_for(const transport::Address& address);
  bool crowd_out_oldest();
  void keep(boost::asio::ip::tcp::socket socket, const transport::Address& address);
  [[nodiscard]] StreamConnection* find(const transport::Address& address) const;

  void stream_datagram(StreamConnection& stream, core::ByteView datagram) override;
  void stream_batch_delivered() override { flush(); }
  void stream_ended(StreamConnection& stream) override;
  void stream_closed(StreamConnection& stream) override;
  [[nodiscard]] std::span<const AddressRange> trusted_proxies() const override { return trusted_proxies_; }
  [[nodiscard]] bool permits(const std::optional<std::string>& origin, std::string_view host) const override {
    return origins_.permits(origin, host);
  }
  bool stream_renamed(StreamConnection& stream, const transport::Address& client) override;

  EventLoop::Impl& loop_;
  const transport::Pipe pipe_;
  const StreamLimits limits_;
  const std::vector<AddressRange> trusted_proxies_;
  const OriginPolicy origins_;
  std::shared_ptr<boost::asio::ssl::context> tls_;
  std::shared_ptr<Alive> alive_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer pause_;
  AcceptFailures failures_;
  DatagramHandler datagram_;
  ClosedHandler closed_;
  transport::BoundedTable<transport::Address, std::shared_ptr<StreamConnection>> streams_;
  UnansweredStreams unanswered_;
  std::vector<std::uint32_t> dirty_slots_;
  StreamCounters counters_;
};

}  // namespace mobula::net
