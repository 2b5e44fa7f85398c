// Any bytes as a stream of framed datagrams, cut anywhere: what is heard is what a reference reading of the whole
// hears.
//
//   input: a byte that says how the stream is cut (0: not at all), then the stream
#include <fuzz/fuzz.hpp>
#include <mobula/core/random.hpp>
#include <mobula/net/datagram_framing.hpp>
#include <mobula/transport/address.hpp>
#include <vector>

using namespace mobula;

namespace {

struct Heard {
  std::vector<core::Bytes> datagrams;
  bool bad_length = false;
  bool operator==(const Heard&) const = default;
};

Heard reference(core::ByteView stream) {
  Heard heard;
  while (stream.size() >= 2) {
    const std::size_t size = core::load<std::uint16_t>(stream.data());
    heard.bad_length = size < 1 || size > transport::datagram_bytes_max;
    if (heard.bad_length || stream.size() < 2 + size) break;
    heard.datagrams.emplace_back(stream.begin() + 2, stream.begin() + 2 + static_cast<std::ptrdiff_t>(size));
    stream = stream.subspan(2 + size);
  }
  return heard;
}

void read(net::DatagramReader& reader, core::ByteView piece, Heard& heard) {
  const core::Bytes exact(piece.begin(), piece.end());  // AddressSanitizer sees who looks beyond it, or at it later
  core::ByteView bytes = exact;
  while (!heard.bad_length) {
    const core::Result<core::ByteView> datagram = reader.next(bytes);
    reader.check();
    heard.bad_length = !datagram.ok();
    if (heard.bad_length) break;
    if (datagram->empty()) return fuzz::require(bytes.empty(), "who waits for more has taken all");
    heard.datagrams.emplace_back(datagram->begin(), datagram->end());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(fuzz::view(data, size));
  const std::uint32_t cut = input.byte();
  const core::ByteView stream = input.bytes(size);
  const std::uint32_t piece_max = cut % 2 == 0 ? 4 : 2000;
  core::Random random(cut);
  net::DatagramReader reader;
  Heard heard;
  for (core::ByteView rest = stream; !rest.empty() && !heard.bad_length;) {
    const std::size_t piece = cut == 0 ? rest.size() : std::min<std::size_t>(random.below(piece_max + 1), rest.size());
    read(reader, rest.first(piece), heard);
    rest = rest.subspan(piece);
  }
  fuzz::require(heard == reference(stream), "cuts change nothing");
  return 0;
}
