#include <gmock/gmock.h>

#include <mobula/core/random.hpp>
#include <mobula/net/datagram_framing.hpp>
#include <mobula/transport/address.hpp>

#include "peers.hpp"
#include <seeds.hpp>

namespace mobula::net {
namespace {

using testing::ElementsAre;

std::string framed(std::string_view datagram) {
  const auto size = static_cast<std::uint16_t>(datagram.size());
  return text_of(core::as_bytes(&size, 1)) + std::string(datagram);
}

struct Received {
  std::vector<std::string> datagrams;
  bool bad_length = false;
  bool operator==(const Received&) const = default;
};

// Model: it holds the whole stream.
Received model(std::string_view stream) {
  Received received;
  while (stream.size() >= 2) {
    const std::size_t size = core::load<std::uint16_t>(stream.data());
    received.bad_length = size < 1 || size > transport::datagram_bytes_max;
    if (received.bad_length || stream.size() < 2 + size) break;
    received.datagrams.emplace_back(stream.substr(2, size));
    stream.remove_prefix(2 + size);
  }
  return received;
}

void read(DatagramReader& reader, std::string_view piece, Received& received) {
  // A copy of exact size, freed afterwards: sanitizers detect reads beyond it or later.
  const core::Bytes exact(bytes_of(piece).begin(), bytes_of(piece).end());
  core::ByteView bytes = exact;
  for (;;) {
    const core::Result<core::ByteView> datagram = reader.next(bytes);
    reader.check();
    if (!datagram) {
      EXPECT_STREQ(datagram.error().reason, "bad length");
      received.bad_length = true;
      return;
    }
    if (datagram->empty()) break;
    received.datagrams.push_back(text_of(*datagram));
  }
  EXPECT_TRUE(bytes.empty());
}

std::string random_stream(core::Random& random) {
  std::string stream;
  for (std::uint32_t count = random.below(30); count > 0; --count) {
    const auto most = static_cast<std::uint32_t>(transport::datagram_bytes_max);
    const std::uint32_t size = random.chance(1, 8) ? most : 1 + random.below(random.chance(1, 2) ? 4 : most);
    stream += framed(std::string(size, static_cast<char>(random.below(256))));
  }
  if (random.chance(1, 3)) stream += random.chance(1, 2) ? std::string(2, '\0') : std::string("\xca\4", 2);  // 1226
  if (random.chance(1, 2)) stream.resize(random.below(static_cast<std::uint32_t>(stream.size()) + 1));
  return stream;
}

TEST(DatagramFraming, AgreesWithAModelForAnyCutOfTheStream) {
  core::Random random(11);
  for (std::uint64_t round = 0; round < test::few_or_all(400, 2000); ++round) {
    SCOPED_TRACE(round);
    const std::string stream = random_stream(random);
    const std::uint32_t piece_max = random.chance(1, 3) ? 3 : random.chance(1, 2) ? 1500 : 16 * 1024;
    DatagramReader reader;
    Received received;
    for (std::string_view rest = stream; !rest.empty() && !received.bad_length;) {
      const std::string_view piece = rest.substr(0, random.below(piece_max + 1));  // may be empty
      read(reader, piece, received);
      rest.remove_prefix(piece.size());
    }
    ASSERT_EQ(received, model(stream));
  }
}

TEST(DatagramFraming, DoesNotCopyADatagramInOnePiece) {
  DatagramReader reader;
  const std::string stream = framed("one") + framed("two");
  core::ByteView bytes = bytes_of(stream);
  EXPECT_EQ(reader.next(bytes)->data(), bytes_of(stream).data() + 2);
  EXPECT_EQ(reader.next(bytes)->data(), bytes_of(stream).data() + 7);
  EXPECT_TRUE(bytes.empty());
}

TEST(DatagramFraming, RefusesEverythingAfterABadLength) {
  const std::string too_long("\xff\xff", 2);
  for (const std::string& bad : {std::string(2, '\0'), too_long}) {
    for (const std::size_t cut : {0u, 1u, 2u}) {
      DatagramReader reader;
      Received received;
      read(reader, framed("good") + bad.substr(0, cut), received);
      read(reader, bad.substr(cut), received);
      EXPECT_TRUE(received.bad_length);
      received.bad_length = false;
      read(reader, framed("as if nothing had been"), received);
      EXPECT_TRUE(received.bad_length);
      EXPECT_THAT(received.datagrams, ElementsAre("good"));
    }
  }
}

}  // namespace
}  // namespace mobula::net
