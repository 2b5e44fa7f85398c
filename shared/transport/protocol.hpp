// The datagrams of the plain pipe's handshake and envelope, and the cookies that make the handshake stateless.
//
//   hello       client -> server   u8 1 · u32 magic · u32 protocol version · u64 nonce · zeros up to 256 bytes
//   challenge   server -> client   u8 2 · u64 nonce · cookie (u32 epoch, 16 bytes hash)
//   proof       client -> server   u8 3 · u32 magic · u32 protocol version · u64 nonce · cookie · zeros up to 256 bytes
//   accepted    server -> client   u8 4 · u64 nonce · u64 connection id
//   refused     server -> client   u8 5 · u64 nonce · u8 reason code · u8 text size · text
//   payload     both ways          u8 6 · u64 connection id · body of a Session
//   disconnect  both ways          u8 7 · u64 connection id · u8 reason code · u8 text size · text
//
// Hello and proof are longer than any reply to them: nobody can use a server to flood a third party.
// The nonce is unguessable and so is the connection id: who does not see the datagrams can forge neither replies
// nor payloads nor a disconnect. Who does see them can: this pipe has no encryption and no MAC.
// Everything is little-endian. A decoder takes exactly these sizes, kinds and zeros, and nothing else.
#pragma once

#include <mobula/core/clock.hpp>
#include <mobula/core/content_hash.hpp>
#include <mobula/transport/address.hpp>
#include <mobula/transport/reason.hpp>
#include <optional>

namespace mobula::transport {

enum class DatagramKind : std::uint8_t { none, hello, challenge, proof, accepted, refused, payload, disconnect };

inline constexpr std::uint32_t protocol_magic = 0x4c55424d;  // "MBUL"
inline constexpr std::size_t hello_bytes = 256;
inline constexpr std::size_t envelope_bytes = 9;
// A disconnect is told this many times at once; a peer that still talks is told again.
inline constexpr int disconnect_copies = 4;

struct ConnectionId {
  std::uint64_t value = 0;
  bool operator==(const ConnectionId&) const = default;
};

struct Cookie {
  std::uint32_t epoch = 0;
  std::array<std::byte, 16> hash{};
};

struct Hello {
  std::uint32_t protocol_version = 0;
  std::uint64_t nonce = 0;
};
struct Challenge {
  std::uint64_t nonce = 0;
  Cookie cookie;
};
struct Proof {
  Hello hello;
  Cookie cookie;
};
struct Accepted {
  std::uint64_t nonce = 0;
  ConnectionId connection;
};
struct Refused {
  std::uint64_t nonce = 0;
  Reason reason;
};
struct Disconnect {
  ConnectionId connection;
  Reason reason;
};

// A datagram being built, on the stack.
struct Datagram {
  std::array<std::byte, datagram_bytes_max> bytes;
  std::size_t size = 0;

  [[nodiscard]] core::ByteView view() const { return {bytes.data(), size}; }
};

[[nodiscard]] DatagramKind kind_of(core::ByteView datagram);

void encode(const Hello& hello, Datagram& out);
void encode(const Challenge& challenge, Datagram& out);
void encode(const Proof& proof, Datagram& out);
void encode(const Accepted& accepted, Datagram& out);
void encode(const Refused& refused, Datagram& out);
void encode(const Disconnect& disconnect, Datagram& out);

std::optional<Hello> decode_hello(core::ByteView datagram);
std::optional<Challenge> decode_challenge(core::ByteView datagram);
std::optional<Proof> decode_proof(core::ByteView datagram);
std::optional<Accepted> decode_accepted(core::ByteView datagram);
std::optional<Refused> decode_refused(core::ByteView datagram);
std::optional<Disconnect> decode_disconnect(core::ByteView datagram);

// Payload: the envelope goes before a body that already lies at envelope_bytes; the body comes out as a view.
void encode_envelope(ConnectionId connection, core::MutableBytes datagram);
struct Payload {
  ConnectionId connection;
  core::ByteView body;
};
std::optional<Payload> decode_payload(core::ByteView datagram);

// Cookies: a keyed hash of (address, nonce, epoch). The server keeps nothing but the key.
class CookieJar {
 public:
  // A cookie is good for its epoch and the next: 10 to 20 seconds.
  static constexpr core::Nanoseconds epoch_length = 10 * core::second;

  explicit CookieJar(const core::SecretKey& key) : key_(key) {}

  [[nodiscard]] Cookie make(const Address& address, std::uint64_t nonce, core::Nanoseconds now) const;
  [[nodiscard]] bool good(const Cookie& cookie, const Address& address, std::uint64_t nonce,
                          core::Nanoseconds now) const;
  // Unguessable and, `count` being different each time, never the same.
  [[nodiscard]] ConnectionId connection(const Address& address, std::uint64_t nonce, std::uint64_t count) const;
  // Of the address table.
  [[nodiscard]] std::uint64_t table_seed() const;

 private:
  core::SecretKey key_;
};

}  // namespace mobula::transport
