// Batches with real loopback sockets, and simulated kernels without features or with errors.
#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/net/udp_batch.hpp>

#include "peers.hpp"

namespace mobula::net::udp_batch_test {
namespace {

using transport::Address;

// A bound socket and its received datagrams.
class Receiver {
 public:
  explicit Receiver(bool v6 = false) {
    port_.socket = socket(v6 ? AF_INET6 : AF_INET, SOCK_DGRAM, 0);
    port_.v6 = v6;
    const int bytes = 4 * 1024 * 1024;
    setsockopt(port_.socket, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    SocketAddress local;
    const socklen_t size = v6 ? to_v6(Address::any(0), local) : to_v4(loopback(0), local);
    EXPECT_EQ(bind(port_.socket, &local.any, size), 0);
    socklen_t named = sizeof local;
    getsockname(port_.socket, &local.any, &named);
    address_ = loopback(net::to_address(local).port);
  }
  ~Receiver() { close(port_.socket); }
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  UdpPort& port() { return port_; }
  [[nodiscard]] const Address& address() const { return address_; }

  std::vector<std::string> drain(UdpReceiveBatch& batch) {
    std::vector<std::string> datagrams;
    while (const int count = batch.receive(port_.socket)) {
      for (int i = 0; i < count; ++i) datagrams.push_back(text_of(batch.datagram(static_cast<std::size_t>(i))));
    }
    return datagrams;
  }

 private:
  UdpPort port_;
  Address address_;
};

// Simulated kernel: its calls and what it refuses.
struct Kernel {
  unsigned many = 0;
  unsigned one = 0;
  unsigned segmented = 0;
  unsigned refuse_every = 0;  // messages
  unsigned seen = 0;
  int error = 0;
};
Kernel kernel;

bool has_segments(const msghdr& message) { return message.msg_controllen > 0; }

int count_many(int socket, mmsghdr* messages, unsigned count, int flags) {
  ++kernel.many;
  for (unsigned i = 0; i < count; ++i) kernel.segmented += has_segments(messages[i].msg_hdr) ? 1 : 0;
  return sendmmsg(socket, messages, count, flags);
}

ssize_t count_one(int socket, const msghdr* message, int flags) {
  ++kernel.one;
  kernel.segmented += has_segments(*message) ? 1 : 0;
  return sendmsg(socket, message, flags);
}

int without_segments(int socket, mmsghdr* messages, unsigned count, int flags) {
  unsigned plain = 0;
  while (plain < count && !has_segments(messages[plain].msg_hdr)) ++plain;
  if (plain > 0) return count_many(socket, messages, plain, flags);
  ++kernel.segmented;
  errno = kernel.error;
  return -1;
}

int without_send_many(int, mmsghdr*, unsigned, int) {
  ++kernel.many;
  errno = ENOSYS;
  return -1;
}

// Like the kernel: stops before a refused message, and returns the error if it is the first one.
int refusing_some(int socket, mmsghdr* messages, unsigned count, int flags) {
  unsigned accepted = 0;
  while (accepted < count && (kernel.seen + accepted) % kernel.refuse_every != 0) ++accepted;
  if (accepted > 0) {
    kernel.seen += accepted;
    return sendmmsg(socket, messages, accepted, flags);
  }
  ++kernel.seen;
  errno = kernel.error;
  return -1;
}

int without_receive_many(int, mmsghdr*, unsigned, int, timespec*) {
  errno = ENOSYS;
  return -1;
}

std::string datagram_of(std::size_t number, std::size_t size) {
  std::string text = std::to_string(number) + ' ';
  text.resize(std::max(size, text.size()), static_cast<char>('a' + number % 26));
  return text;
}

constexpr UdpCalls counting{.send_many = count_many, .send_one = count_one};
constexpr UdpCalls no_segments{.send_many = without_segments, .send_one = count_one};
constexpr UdpCalls no_batches{.send_many = without_send_many, .send_one = count_one};
constexpr UdpCalls refusing{.send_many = refusing_some};

// Runs of equal sizes, interrupted by other sizes and changes of address.
void send_at_random(const UdpCalls& calls, std::uint64_t seed, std::size_t datagrams) {
  SCOPED_TRACE(seed);
  core::Random random(seed);
  std::vector<std::unique_ptr<Receiver>> receivers;
  for (int i = 0; i < 4; ++i) receivers.push_back(std::make_unique<Receiver>());
  std::vector<std::vector<std::string>> expected(receivers.size());
  UdpSendBatch batch(calls);
  UdpReceiveBatch receive;
  Receiver sender;
  std::uint64_t bytes = 0;
  std::size_t to = 0;
  std::size_t size = 1000;
  for (std::size_t i = 0; i < datagrams; ++i) {
    if (random.chance(1, 6)) to = random.below(4);
    if (random.chance(1, 4)) size = 8 + random.below(transport::datagram_bytes_max - 7);
    expected[to].push_back(datagram_of(i, size));
    bytes += expected[to].back().size();
    batch.add(sender.port(), receivers[to]->address(), bytes_of(expected[to].back()));
    if (random.chance(1, 100)) batch.flush();
  }
  batch.flush();
  EXPECT_EQ(sender.port().counters.datagrams_sent, datagrams);
  EXPECT_EQ(sender.port().counters.bytes_sent, bytes);
  for (std::size_t i = 0; i < receivers.size(); ++i) EXPECT_EQ(receivers[i]->drain(receive), expected[i]) << i;
}

TEST(UdpBatch, SegmentsAndFallbacksDeliverTheSameInOrder) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    kernel = {};
    send_at_random(counting, seed, 500);
    EXPECT_GT(kernel.segmented, 0u);
    EXPECT_LT(kernel.many, 100u);
    for (const int error : {EIO, EINVAL, EOPNOTSUPP, EMSGSIZE}) {
      kernel = {.error = error};
      send_at_random(no_segments, seed, 500);
    }
    kernel = {};
    send_at_random(no_batches, seed, 500);
    EXPECT_EQ(kernel.many, 1u);  // tried once
  }
}

TEST(UdpBatch, SendsMoreThanItsArenaHolds) {
  constexpr std::size_t count = 4 * UdpSendBatch::arena_bytes / transport::datagram_bytes_max;
  kernel = {};
  UdpSendBatch batch(counting);
  UdpReceiveBatch receive;
  Receiver sender;
  Receiver receiver;
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < count; ++i) {
    expected.push_back(datagram_of(i, transport::datagram_bytes_max));
    batch.add(sender.port(), receiver.address(), bytes_of(expected.back()));
  }
  batch.flush();
  EXPECT_EQ(receiver.drain(receive), expected);
  EXPECT_LT(kernel.many, 10u);
}

TEST(UdpBatch, SendsSmallDatagramsInFullBatches) {
  kernel = {};
  UdpSendBatch batch(counting);
  UdpReceiveBatch receive;
  Receiver sender;
  Receiver a;
  Receiver b;
  for (std::size_t i = 0; i < 10 * UdpSendBatch::messages_max; ++i) {
    batch.add(sender.port(), i % 2 == 0 ? a.address() : b.address(), bytes_of("small"));
  }
  batch.flush();
  EXPECT_EQ(kernel.many, 10u);
  EXPECT_EQ(a.drain(receive).size(), 5 * UdpSendBatch::messages_max);
  EXPECT_EQ(b.drain(receive).size(), 5 * UdpSendBatch::messages_max);
}

TEST(UdpBatch, DisablesSegmentsIfAlwaysRefused) {
  kernel = {.error = EIO};
  UdpSendBatch batch(no_segments);
  UdpReceiveBatch receive;
  Receiver sender;
  Receiver receiver;
  for (std::uint32_t round = 0; round < UdpSendBatch::refusals_max; ++round) {
    EXPECT_TRUE(batch.segments());
    for (int i = 0; i < 3; ++i) batch.add(sender.port(), receiver.address(), bytes_of("12345678"));
    batch.flush();
  }
  EXPECT_FALSE(batch.segments());
  EXPECT_EQ(kernel.segmented, UdpSendBatch::refusals_max);
  EXPECT_EQ(kernel.one, 3 * UdpSendBatch::refusals_max);
  for (int i = 0; i < 3; ++i) batch.add(sender.port(), receiver.address(), bytes_of("12345678"));
  batch.flush();
  EXPECT_EQ(kernel.segmented, UdpSendBatch::refusals_max);
  EXPECT_EQ(receiver.drain(receive).size(), 3 * UdpSendBatch::refusals_max + 3);
  EXPECT_EQ(sender.port().counters.send_errors, 0u);
}

// An unreachable address must not disable segments for all.
TEST(UdpBatch, BadAddressDoesNotDisableSegments) {
  UdpSendBatch batch;
  Receiver sender;
  for (int i = 0; i < 40; ++i) {
    batch.add(sender.port(), loopback(0), bytes_of("12345678"));
    batch.add(sender.port(), loopback(0), bytes_of("12345678"));
    batch.flush();
  }
  EXPECT_TRUE(batch.segments());
  EXPECT_EQ(sender.port().counters.send_errors, 80u);
}

TEST(UdpBatch, OneErrorDoesNotLoseTheRest) {
  for (const int error : {EHOSTUNREACH, EAGAIN, ENOBUFS}) {
    kernel = {.refuse_every = 5, .seen = 1, .error = error};
    UdpSendBatch batch(refusing);
    UdpReceiveBatch receive;
    Receiver sender;
    Receiver a;
    Receiver b;
    for (int i = 0; i < 50; ++i) batch.add(sender.port(), i % 2 == 0 ? a.address() : b.address(), bytes_of("x"));
    batch.flush();
    const std::size_t arrived = a.drain(receive).size() + b.drain(receive).size();
    const UdpCounters& counters = sender.port().counters;
    EXPECT_EQ(arrived, 40u);
    EXPECT_EQ(counters.datagrams_sent, 40u);
    EXPECT_EQ(counters.send_errors, error == EHOSTUNREACH ? 10u : 0u);
    EXPECT_EQ(counters.dropped_full, error == EHOSTUNREACH ? 0u : 10u);
  }
}

TEST(UdpBatch, FlushesAnotherSocketsDatagramsFirst) {
  UdpSendBatch batch;
  UdpReceiveBatch receive;
  Receiver first;
  Receiver second;
  Receiver receiver;
  batch.add(first.port(), receiver.address(), bytes_of("1"));
  batch.add(second.port(), receiver.address(), bytes_of("2"));
  batch.flush(first.port());  // the batch holds none of its datagrams
  EXPECT_EQ(receiver.drain(receive), std::vector<std::string>{"1"});
  batch.flush(second.port());
  EXPECT_EQ(receiver.drain(receive), std::vector<std::string>{"2"});
}

TEST(UdpBatch, KeepsEmptyDatagramsApart) {
  UdpSendBatch batch;
  UdpReceiveBatch receive;
  Receiver sender;
  Receiver receiver;
  for (const char* text : {"", "", "ab", "ab", "", "a"}) batch.add(sender.port(), receiver.address(), bytes_of(text));
  batch.flush();
  EXPECT_EQ(receiver.drain(receive), (std::vector<std::string>{"", "", "ab", "ab", "", "a"}));
}

TEST(UdpBatch, DetectsATooLongDatagram) {
  for (const UdpCalls& calls : {UdpCalls{}, UdpCalls{.receive_many = without_receive_many}}) {
    UdpReceiveBatch receive(calls);
    Receiver sender;
    Receiver receiver;
    SocketAddress to;
    const socklen_t size = to_v4(receiver.address(), to);
    for (const std::size_t bytes :
         {transport::datagram_bytes_max, transport::datagram_bytes_max + 1, std::size_t{9000}}) {
      const std::string text(bytes, 'x');
      ASSERT_EQ(sendto(sender.port().socket, text.data(), bytes, 0, &to.any, size), static_cast<ssize_t>(bytes));
    }
    std::vector<bool> too_long;
    while (const int count = receive.receive(receiver.port().socket)) {
      for (int i = 0; i < count; ++i) too_long.push_back(receive.too_long(static_cast<std::size_t>(i)));
    }
    EXPECT_EQ(too_long, (std::vector<bool>{false, true, true}));
  }
}

TEST(UdpBatch, DualStackSocketReportsTheSameAddresses) {
  UdpSendBatch batch;
  UdpReceiveBatch receive;
  Receiver both(true);
  Receiver v4;
  batch.add(both.port(), v4.address(), bytes_of("to v4"));
  batch.flush();
  ASSERT_EQ(receive.receive(v4.port().socket), 1);
  EXPECT_EQ(receive.from(0), both.address());
  batch.add(v4.port(), receive.from(0), bytes_of("back"));
  batch.flush();
  ASSERT_EQ(receive.receive(both.port().socket), 1);
  EXPECT_EQ(receive.from(0), v4.address());
}

}  // namespace
}  // namespace mobula::net::udp_batch_test
