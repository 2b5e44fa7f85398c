// Arbitrary bytes as a stream of framed datagrams, cut anywhere: the datagrams equal those of a reference reader.
//
//   input: u8 seed of the cuts (0 cuts nothing), the stream
#include <fuzz/fuzz.hpp>
#include <mobula/core/random.hpp>
#include <mobula/net/datagram_framing.hpp>
#include <mobula/transport/address.hpp>
#include <vector>

namespace fuzz_stream {

using namespace mobula;

namespace {

struct Received {
  std::vector<core::Bytes> datagrams;
  bool bad_length = false;
  bool operator==(const Received&) const = default;
};

Received reference(core::ByteView stream) {
  Received received;
  while (stream.size() >= 2) {
    const std::size_t size = core::load<std::uint16_t>(stream.data());
    received.bad_length = size < 1 || size > transport::datagram_bytes_max;
    if (received.bad_length || stream.size() < 2 + size) break;
    received.datagrams.emplace_back(stream.begin() + 2, stream.begin() + 2 + static_cast<std::ptrdiff_t>(size));
    stream = stream.subspan(2 + size);
  }
  return received;
}

void read(net::DatagramReader& reader, core::ByteView piece, Received& received) {
  const core::Bytes exact(piece.begin(), piece.end());  // lets AddressSanitizer detect reads beyond or after it
  core::ByteView bytes = exact;
  while (!received.bad_length) {
    const core::Result<core::ByteView> datagram = reader.next(bytes);
    reader.check();
    received.bad_length = !datagram.ok();
    if (received.bad_length) break;
    if (datagram->empty()) return fuzz::require(bytes.empty(), "an incomplete datagram consumes all bytes");
    received.datagrams.emplace_back(datagram->begin(), datagram->end());
  }
}

int run_target(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(fuzz::view(data, size));
  const std::uint32_t cut = input.byte();
  const core::ByteView stream = input.bytes(size);
  const std::uint32_t piece_max = cut % 2 == 0 ? 4 : 2000;
  core::Random random(cut);
  net::DatagramReader reader;
  Received received;
  for (core::ByteView rest = stream; !rest.empty() && !received.bad_length;) {
    const std::size_t piece = cut == 0 ? rest.size() : std::min<std::size_t>(random.below(piece_max + 1), rest.size());
    read(reader, rest.first(piece), received);
    rest = rest.subspan(piece);
  }
  fuzz::require(received == reference(stream), "cuts change nothing");
  return 0;
}

const mobula::fuzz::Target target("stream", run_target);

}  // namespace
}  // namespace fuzz_stream
