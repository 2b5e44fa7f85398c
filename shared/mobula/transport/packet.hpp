// The packets of netcode 1.02, as bytes. A connection request travels open (what is secret in it is sealed by whoever
// minted the token); all others are sealed with a key that only the two ends know.
//
// Connection request (1078 bytes):
//
//   0     u8    0
//   1     13    "NETCODE 1.02", zero
//   14    u64   protocol id
//   22    u64   when the token expires
//   30    24    the token's nonce
//   54    1024  the token's private part, sealed
//
// All others:
//
//   u8    type, in the low 4 bits; in the high ones n, the bytes of the sequence (1 to 8)
//   n     sequence, little-endian
//   ...   sealed with the sequence as nonce: the body, which is
//           denied, disconnect   nothing
//           challenge, response  u64 challenge sequence, 300 bytes of challenge token
//           keep_alive           u32 client index, u32 clients at most
//           payload              1 to 1200 bytes: a session's datagram
//   16    tag
//
// Nothing here allocates, and a body is written and read where it lies in its datagram.
#pragma once

#include <mobula/core/aead.hpp>
#include <mobula/transport/address.hpp>
#include <mobula/transport/drop.hpp>
#include <mobula/transport/replay_window.hpp>

namespace mobula::transport {

enum class PacketType : std::uint8_t { request, denied, challenge, response, keep_alive, payload, disconnect, count };

inline constexpr std::size_t version_bytes = 13;
inline constexpr std::size_t private_token_bytes = 1024;
inline constexpr std::size_t request_bytes = 1 + version_bytes + 8 + 8 + 24 + private_token_bytes;
inline constexpr std::size_t challenge_token_bytes = 300;
inline constexpr std::size_t challenge_body_bytes = 8 + challenge_token_bytes;
inline constexpr std::size_t keep_alive_body_bytes = 8;
inline constexpr std::size_t packet_bytes_min = 1 + 1 + core::seal_bytes;

// "NETCODE 1.02" and a zero, as each token and request carries it.
core::ByteView netcode_version();

// A set of packet types: what one side takes.
using PacketTypes = std::uint32_t;
constexpr PacketTypes only(PacketType type) { return PacketTypes{1} << static_cast<unsigned>(type); }

// What is sealed into every packet without being in it: version, protocol id, and then the packet's first byte.
class PacketDomain {
 public:
  explicit PacketDomain(std::uint64_t protocol_id);

  [[nodiscard]] std::uint64_t protocol_id() const { return protocol_id_; }
  [[nodiscard]] std::array<std::byte, version_bytes + 9> with(std::byte prefix) const {
    auto associated = bytes_;
    associated.back() = prefix;
    return associated;
  }

 private:
  std::uint64_t protocol_id_;
  std::array<std::byte, version_bytes + 9> bytes_{};
};

// One end of a sealed conversation. 208 bytes
struct Channel {
  core::SecretKey send_key{};
  core::SecretKey receive_key{};
  std::uint64_t next_sequence = 0;  // to be sent
  ReplayWindow received;
};

// --- Sealed packets ------------------------------------------------------------------------------------------------

// A packet that is to be sealed. Its body is written where it stays; the head, which is as long as the sequence needs,
// ends where the body begins.
struct PacketBuffer {
  static constexpr std::size_t head_bytes_max = 1 + 8;

  [[nodiscard]] core::MutableBytes body() {
    return core::MutableBytes(bytes).subspan(head_bytes_max, payload_bytes_max);
  }

  std::array<std::byte, head_bytes_max + payload_bytes_max + core::seal_bytes> bytes;
};

// Gives the packet, which lies in the buffer.
core::ByteView seal_packet(const PacketDomain& domain, const core::SecretKey& key, PacketType type,
                           std::uint64_t sequence, PacketBuffer& buffer, std::size_t body_bytes);

// What a sealed packet shows without a key.
struct PacketHead {
  PacketType type = PacketType::count;
  std::uint8_t body_offset = 0;
  std::uint64_t sequence = 0;
};
Drop read_head(core::ByteView packet, PacketTypes taken, PacketHead& head);

// The packet's body, written to `room` (datagram_bytes_max are always enough). `replay` is asked and
// advanced for those types that may come once only.
Drop open_body(const PacketDomain& domain, const core::SecretKey& key, const PacketHead& head, core::ByteView packet,
               ReplayWindow& replay, core::MutableBytes room, core::ByteView& body);

// --- Connection requests -------------------------------------------------------------------------------------------

struct ConnectRequest {
  std::uint64_t expire_time = 0;  // unix seconds
  core::WideNonce nonce{};
  core::ByteView private_part;  // of the datagram
};

// Checks size, version and protocol.
Drop read_request(core::ByteView datagram, std::uint64_t protocol_id, ConnectRequest& request);
// Into at least request_bytes.
void write_request(std::uint64_t protocol_id, const ConnectRequest& request, core::MutableBytes out);

}  // namespace mobula::transport
