#include <algorithm>
#include <mobula/core/assert.hpp>
#include <mobula/transport/packet.hpp>

namespace mobula::transport {
namespace {

constexpr char version_text[version_bytes] = "NETCODE 1.02";
constexpr std::size_t type_count = static_cast<std::size_t>(PacketType::count);

struct BodySize {
  std::size_t min;
  std::size_t max;
};
// Body sizes by packet type. {1, 0} admits no size: a request is not sealed.
constexpr std::array<BodySize, type_count> body_sizes{{{1, 0},
                                                       {0, 0},
                                                       {challenge_body_bytes, challenge_body_bytes},
                                                       {challenge_body_bytes, challenge_body_bytes},
                                                       {keep_alive_body_bytes, keep_alive_body_bytes},
                                                       {1, payload_bytes_max},
                                                       {0, 0}}};

constexpr bool is_replay_protected(PacketType type) { return type >= PacketType::keep_alive; }

// Bytes of the encoded sequence. High zero bytes are omitted, except the last one.
std::size_t bytes_of(std::uint64_t sequence) {
  return (static_cast<std::size_t>(std::bit_width(sequence | 1)) + 7) / 8;
}

std::uint64_t load_sequence(const std::byte* from, std::size_t bytes) {
  std::uint64_t sequence = 0;
  std::memcpy(&sequence, from, bytes);
  return sequence;
}

}  // namespace

core::ByteView netcode_version() { return core::as_bytes(version_text, version_bytes); }

PacketDomain::PacketDomain(std::uint64_t protocol_id) : protocol_id_(protocol_id) {
  std::memcpy(bytes_.data(), version_text, version_bytes);
  core::store(bytes_.data() + version_bytes, protocol_id);
}

core::ByteView seal_packet(const PacketDomain& domain, const core::SecretKey& key, PacketType type,
                           std::uint64_t sequence, PacketBuffer& buffer, std::size_t body_bytes) {
  MOBULA_ASSERT(body_bytes <= payload_bytes_max, "the body exceeds the packet's maximum");
  const std::size_t sequence_bytes = bytes_of(sequence);
  const core::MutableBytes packet = core::MutableBytes(buffer.bytes)
                                        .subspan(PacketBuffer::head_bytes_max - 1 - sequence_bytes,
                                                 1 + sequence_bytes + body_bytes + core::seal_bytes);
  const auto prefix = static_cast<std::byte>((sequence_bytes << 4) | static_cast<unsigned>(type));
  packet[0] = prefix;
  std::memcpy(packet.data() + 1, &sequence, sequence_bytes);
  core::seal(packet.subspan(1 + sequence_bytes), domain.with(prefix), sequence, key);
  return packet;
}

// The order of the steps here and in open_body is that of the netcode standard.
Drop read_head(core::ByteView packet, PacketTypes accepted, PacketHead& head) {
  if (packet.size() < packet_bytes_min) return Drop::too_short;
  const auto prefix = std::to_integer<unsigned>(packet[0]);
  const unsigned type = prefix & 0xf;
  if (type >= type_count || ((accepted >> type) & 1u) == 0) return Drop::wrong_type;
  const unsigned sequence_bytes = prefix >> 4;
  if (sequence_bytes < 1 || sequence_bytes > 8) return Drop::wrong_sequence_bytes;
  if (packet.size() < 1 + sequence_bytes + core::seal_bytes) return Drop::too_short;
  head.type = static_cast<PacketType>(type);
  head.body_offset = static_cast<std::uint8_t>(1 + sequence_bytes);
  head.sequence = load_sequence(packet.data() + 1, sequence_bytes);
  return Drop::none;
}

Drop open_body(const PacketDomain& domain, const core::SecretKey& key, const PacketHead& head, core::ByteView packet,
               ReplayWindow& replay, core::MutableBytes room, core::ByteView& body) {
  if (is_replay_protected(head.type) && !replay.is_new(head.sequence)) return Drop::replayed;
  const core::ByteView sealed = packet.subspan(head.body_offset);
  const std::size_t size = sealed.size() - core::seal_bytes;
  if (size > room.size()) return Drop::wrong_size;  // longer than any packet
  if (!core::open(sealed, domain.with(packet[0]), head.sequence, key, room)) return Drop::forged;
  if (is_replay_protected(head.type)) replay.add(head.sequence);
  const BodySize expected = body_sizes[static_cast<std::size_t>(head.type)];
  if (size < expected.min || size > expected.max) return Drop::wrong_size;
  body = room.first(size);
  return Drop::none;
}

Drop read_request(core::ByteView datagram, std::uint64_t protocol_id, ConnectRequest& request) {
  if (datagram.size() != request_bytes) return Drop::wrong_size;
  const std::byte* at = datagram.data() + 1;
  if (!std::equal(at, at + version_bytes, netcode_version().begin())) return Drop::wrong_version;
  at += version_bytes;
  if (core::load<std::uint64_t>(at) != protocol_id) return Drop::wrong_protocol;
  request.expire_time = core::load<std::uint64_t>(at + 8);
  request.nonce = core::load<core::WideNonce>(at + 16);
  request.private_part = datagram.last(private_token_bytes);
  return Drop::none;
}

void write_request(std::uint64_t protocol_id, const ConnectRequest& request, core::MutableBytes out) {
  MOBULA_ASSERT(out.size() >= request_bytes && request.private_part.size() == private_token_bytes, "not a request");
  std::byte* at = out.data();
  *at++ = std::byte{0};
  at = std::copy_n(netcode_version().begin(), version_bytes, at);
  core::store(at, protocol_id);
  core::store(at + 8, request.expire_time);
  core::store(at + 16, request.nonce);
  std::copy_n(request.private_part.begin(), private_token_bytes, at + 16 + request.nonce.size());
}

}  // namespace mobula::transport
