// Packets of netcode 1.02, as bytes. A connection request is sent in plain text; its secret part is sealed with the
// backend's key. All other packets are sealed with a key known to the two ends only.
//
// Connection request (1078 bytes):
//
//   0     u8    0
//   1     13    "NETCODE 1.02", zero
//   14    u64   protocol id
//   22    u64   expiry time of the token, unix seconds
//   30    24    the token's nonce
//   54    1024  the token's private part, sealed
//
// All others:
//
//   u8    low 4 bits: type; high 4 bits: n, the number of sequence bytes (1 to 8)
//   n     sequence, little-endian
//   ...   body, sealed with the sequence as nonce:
//           denied, disconnect   nothing
//           challenge, response  u64 challenge sequence, 300 bytes of challenge token
//           keep_alive           u32 client index, u32 maximum number of clients
//           payload              1 to 1200 bytes: a datagram of the session
//   16    tag
//
// Nothing here allocates. Bodies are written and read in place, inside their datagram.
#pragma once

#include <mobula/core/aead.hpp>
#include <mobula/transport/address.hpp>
#include <mobula/transport/drop.hpp>
#include <mobula/transport/replay_window.hpp>

namespace mobula::transport {

/// Packet types of netcode 1.02, with their numbers on the wire.
enum class PacketType : std::uint8_t { request, denied, challenge, response, keep_alive, payload, disconnect, count };

inline constexpr std::size_t version_bytes = 13;
inline constexpr std::size_t private_token_bytes = 1024;
inline constexpr std::size_t request_bytes = 1 + version_bytes + 8 + 8 + 24 + private_token_bytes;
inline constexpr std::size_t challenge_token_bytes = 300;
inline constexpr std::size_t challenge_body_bytes = 8 + challenge_token_bytes;
inline constexpr std::size_t keep_alive_body_bytes = 8;
inline constexpr std::size_t packet_bytes_min = 1 + 1 + core::seal_bytes;

/// Returns "NETCODE 1.02" and a zero byte, the version in each token and request.
core::ByteView netcode_version();

/// Set of packet types that one side accepts.
using PacketTypes = std::uint32_t;
constexpr PacketTypes only(PacketType type) { return PacketTypes{1} << static_cast<unsigned>(type); }

/// Associated data of every sealed packet: version, protocol id and the packet's first byte.
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

/// One end of an encrypted connection. 208 bytes.
struct Channel {
  core::SecretKey send_key{};
  core::SecretKey receive_key{};
  std::uint64_t next_sequence = 0;  // sequence of the next packet
  ReplayWindow received;
};

// --- Sealed packets ------------------------------------------------------------------------------------------------

/// Buffer for a packet to be sealed. The body is written in place. The head has a variable length and ends where the
/// body begins.
struct PacketBuffer {
  static constexpr std::size_t head_bytes_max = 1 + 8;

  [[nodiscard]] core::MutableBytes body() {
    return core::MutableBytes(bytes).subspan(head_bytes_max, payload_bytes_max);
  }

  std::array<std::byte, head_bytes_max + payload_bytes_max + core::seal_bytes> bytes;
};

/// Seals the body and returns the packet, which lies in the buffer.
core::ByteView seal_packet(const PacketDomain& domain, const core::SecretKey& key, PacketType type,
                           std::uint64_t sequence, PacketBuffer& buffer, std::size_t body_bytes);

/// Unencrypted fields of a sealed packet.
struct PacketHead {
  PacketType type = PacketType::count;
  std::uint8_t body_offset = 0;
  std::uint64_t sequence = 0;
};
/// Reads the fields into `head`. Returns why the packet is dropped; Drop::none if it is not.
Drop read_head(core::ByteView packet, PacketTypes accepted, PacketHead& head);

/// Decrypts the body into `room`; datagram_bytes_max always suffice. keep_alive, payload and disconnect packets are
/// checked against `replay` and added to it.
Drop open_body(const PacketDomain& domain, const core::SecretKey& key, const PacketHead& head, core::ByteView packet,
               ReplayWindow& replay, core::MutableBytes room, core::ByteView& body);

// --- Connection requests -------------------------------------------------------------------------------------------

/// Fields of a connection request.
struct ConnectRequest {
  std::uint64_t expire_time = 0;  // unix seconds
  core::WideNonce nonce{};
  core::ByteView private_part;  // view into the datagram
};

/// Parses a request and checks its size, version and protocol id.
Drop read_request(core::ByteView datagram, std::uint64_t protocol_id, ConnectRequest& request);
/// Writes a request. `out` has at least request_bytes.
void write_request(std::uint64_t protocol_id, const ConnectRequest& request, core::MutableBytes out);

}  // namespace mobula::transport
