#include <gtest/gtest.h>

#include <limits>
#include <mobula/core/random.hpp>
#include <mobula/transport/challenge_token.hpp>
#include <transport/netcode_vectors.hpp>

namespace mobula::transport {
namespace {

constexpr PacketTypes all = (PacketTypes{1} << static_cast<unsigned>(PacketType::count)) - 1;
const PacketDomain domain(vector_protocol);
const core::SecretKey& key = vector_secrets.server_to_client;

core::Bytes sealed(PacketType type, std::uint64_t sequence, core::ByteView body) {
  PacketBuffer buffer;
  std::copy(body.begin(), body.end(), buffer.body().begin());
  const core::ByteView packet = seal_packet(domain, key, type, sequence, buffer, body.size());
  return {packet.begin(), packet.end()};
}

// The reading end.
struct Peer {
  ReplayWindow replay;
  PacketHead head;
  core::Bytes body;

  Drop read(core::ByteView packet, PacketTypes accepted = all, const core::SecretKey& read_key = key,
            const PacketDomain& read_domain = domain) {
    if (const Drop drop = read_head(packet, accepted, head); drop != Drop::none) return drop;
    std::array<std::byte, datagram_bytes_max> room;
    core::ByteView view;
    const Drop drop = open_body(read_domain, read_key, head, packet, replay, room, view);
    body.assign(view.begin(), view.end());
    return drop;
  }
};

core::Bytes counting(std::size_t count, unsigned first) {
  core::Bytes bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(first++);
  return bytes;
}

TEST(Packet, EachTypeEqualsTheReferenceByteByByte) {
  ChallengeToken token{vector_request().client_id, vector_request().user_data};
  core::Bytes challenge(challenge_body_bytes);
  core::store(challenge.data(), std::uint64_t{1000});
  seal_challenge(token, 1000, vector_challenge_key, core::MutableBytes(challenge).subspan(8));
  EXPECT_EQ(core::Bytes(challenge.begin() + 8, challenge.end()), netcode_vector("challenge_token"));

  core::Bytes keep_alive(8);
  core::store(keep_alive.data(), std::uint32_t{7});
  core::store(keep_alive.data() + 4, std::uint32_t{256});
  constexpr std::uint64_t global = std::uint64_t{1} << 63;
  EXPECT_EQ(sealed(PacketType::denied, global, {}), netcode_vector("denied"));
  EXPECT_EQ(sealed(PacketType::challenge, global + 1, challenge), netcode_vector("challenge"));
  EXPECT_EQ(sealed(PacketType::keep_alive, 0, keep_alive), netcode_vector("keep_alive"));
  EXPECT_EQ(sealed(PacketType::payload, 1000, counting(20, 0x30)), netcode_vector("payload"));

  PacketBuffer buffer;
  std::copy(challenge.begin(), challenge.end(), buffer.body().begin());
  const core::SecretKey& client_key = vector_secrets.client_to_server;
  core::ByteView packet = seal_packet(domain, client_key, PacketType::response, 0, buffer, challenge.size());
  EXPECT_EQ(core::Bytes(packet.begin(), packet.end()), netcode_vector("response"));
  packet = seal_packet(domain, client_key, PacketType::disconnect, 0x12345678, buffer, 0);
  EXPECT_EQ(core::Bytes(packet.begin(), packet.end()), netcode_vector("disconnect"));

  const ConnectToken connect = read_token(netcode_vector("token")).value();
  core::Bytes request(request_bytes);
  write_request(connect.protocol_id, {connect.expire_time, connect.nonce, connect.private_part}, request);
  EXPECT_EQ(request, netcode_vector("request"));
}

TEST(Packet, ReadsTheReferencePackets) {
  Peer peer;
  ASSERT_EQ(peer.read(netcode_vector("payload")), Drop::none);
  EXPECT_EQ(peer.head.type, PacketType::payload);
  EXPECT_EQ(peer.head.sequence, 1000u);
  EXPECT_EQ(peer.body, counting(20, 0x30));
  ASSERT_EQ(peer.read(netcode_vector("challenge")), Drop::none);
  EXPECT_EQ(peer.head.sequence, (std::uint64_t{1} << 63) + 1) << "IMPLEMENTERS 3";
  EXPECT_EQ(core::load<std::uint64_t>(peer.body.data()), 1000u);
  EXPECT_EQ(peer.body.size(), 308u) << "IMPLEMENTERS 2: not 360 + 8";
  ASSERT_EQ(peer.read(netcode_vector("denied")), Drop::none);
  ASSERT_EQ(peer.read(netcode_vector("disconnect"), all, vector_secrets.client_to_server), Drop::none);
  EXPECT_EQ(peer.head.sequence, 0x12345678u);
}

// IMPLEMENTERS 2: four zeros, then the sequence little-endian.
TEST(Packet, TheNonceIsFourZerosAndTheSequence) {
  const core::Bytes packet = netcode_vector("payload");
  core::Bytes plain(20);
  EXPECT_TRUE(core::open(core::ByteView(packet).subspan(3), domain.with(packet[0]), 1000, key, plain));
  EXPECT_EQ(plain, counting(20, 0x30));
}

TEST(Packet, SequenceUsesTheFewestBytes) {
  const core::Bytes body(1);
  for (unsigned bits = 0; bits <= 64; ++bits) {
    const std::uint64_t sequence =
        bits == 64 ? std::numeric_limits<std::uint64_t>::max() : (std::uint64_t{1} << bits) - 1;
    const std::size_t bytes = std::max(1u, (bits + 7) / 8);
    const core::Bytes packet = sealed(PacketType::payload, sequence, body);
    EXPECT_EQ(std::to_integer<unsigned>(packet[0]), bytes << 4 | 5);
    EXPECT_EQ(packet.size(), 1 + bytes + 1 + 16);
    Peer peer;
    EXPECT_EQ(peer.read(packet), Drop::none) << "IMPLEMENTERS 1: " << sequence;
    EXPECT_EQ(peer.head.sequence, sequence);
  }
  const core::Bytes thousand = sealed(PacketType::payload, 1000, body);
  EXPECT_EQ(thousand[1], std::byte{0xe8});
  EXPECT_EQ(thousand[2], std::byte{0x03});
}

// --- "Reading Encrypted Packets", step by step ---------------------------------------------------------------------

TEST(Packet, Step1RefusesLessThan18Bytes) {
  const core::Bytes packet = sealed(PacketType::disconnect, 5, {});
  ASSERT_EQ(packet.size(), 18u);
  Peer peer;
  for (std::size_t size = 0; size < 18; ++size) {
    EXPECT_EQ(peer.read(core::ByteView(packet).first(size)), Drop::too_short) << size;
  }
  EXPECT_EQ(peer.read(packet), Drop::none);
}

TEST(Packet, Step2RefusesUnknownTypes) {
  Peer peer;
  core::Bytes packet = sealed(PacketType::disconnect, 5, {});
  for (unsigned type = 7; type < 16; ++type) {
    packet[0] = static_cast<std::byte>(0x10 | type);
    EXPECT_EQ(peer.read(packet), Drop::wrong_type);
  }
}

TEST(Packet, Steps3And4IgnoreTypesOfTheOtherSide) {
  Peer peer;
  const core::Bytes packet = sealed(PacketType::disconnect, 5, {});
  EXPECT_EQ(peer.read(packet, all & ~only(PacketType::disconnect)), Drop::wrong_type);
  EXPECT_EQ(peer.read(packet, only(PacketType::disconnect)), Drop::none);
}

TEST(Packet, Step5SequencesHave1To8Bytes) {
  Peer peer;
  core::Bytes packet = sealed(PacketType::payload, 5, core::Bytes(40));
  for (unsigned bytes : {0u, 9u, 10u, 11u, 12u, 13u, 14u, 15u}) {
    packet[0] = static_cast<std::byte>(bytes << 4 | 5);
    EXPECT_EQ(peer.read(packet), Drop::wrong_sequence_bytes) << bytes;
  }
}

TEST(Packet, Step6RefusesATruncatedSequenceOrTag) {
  Peer peer;
  core::Bytes packet = sealed(PacketType::disconnect, std::uint64_t{1} << 60, {});
  ASSERT_EQ(packet.size(), 25u);
  EXPECT_EQ(peer.read(packet), Drop::none);
  packet.pop_back();
  EXPECT_EQ(peer.read(packet), Drop::too_short);
}

TEST(Packet, Step7DropsReplaysBeforeDecryption) {
  Peer peer;
  core::Bytes packet = sealed(PacketType::payload, 5, core::Bytes(3));
  EXPECT_EQ(peer.read(packet), Drop::none);
  EXPECT_EQ(peer.read(packet), Drop::replayed);
  packet.back() ^= std::byte{1};
  EXPECT_EQ(peer.read(packet), Drop::replayed) << "the window is checked before decryption";
}

TEST(Packet, Step7ProtectsSessionPacketsFromReplay) {
  core::Bytes body(challenge_body_bytes);
  const auto twice = [&](PacketType type, std::size_t size) {
    Peer peer;
    const core::Bytes packet = sealed(type, 5, core::ByteView(body).first(size));
    EXPECT_EQ(peer.read(packet), Drop::none);
    return peer.read(packet);
  };
  EXPECT_EQ(twice(PacketType::denied, 0), Drop::none);
  EXPECT_EQ(twice(PacketType::challenge, 308), Drop::none);
  EXPECT_EQ(twice(PacketType::response, 308), Drop::none);
  EXPECT_EQ(twice(PacketType::keep_alive, 8), Drop::replayed);
  EXPECT_EQ(twice(PacketType::payload, 8), Drop::replayed);
  EXPECT_EQ(twice(PacketType::disconnect, 0), Drop::replayed);
}

TEST(Packet, Step8RefusesAnyFlippedBit) {
  core::Bytes packet = sealed(PacketType::payload, 1000, core::Bytes(3));
  for (std::size_t bit = 8; bit < 8 * packet.size(); ++bit) {
    Peer peer;
    packet[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    EXPECT_EQ(peer.read(packet), Drop::forged) << bit;
    packet[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
  }
  Peer peer;
  packet[0] = std::byte{0x24};  // the type is authenticated too
  EXPECT_EQ(peer.read(packet), Drop::forged);
  packet[0] = std::byte{0x25};
  EXPECT_EQ(peer.read(packet, all, vector_secrets.client_to_server), Drop::forged);
  EXPECT_EQ(peer.read(packet, all, key, PacketDomain(vector_protocol + 1)), Drop::forged);
  EXPECT_EQ(peer.read(packet), Drop::none);
}

TEST(Packet, Step9ForgedPacketsDoNotMoveTheWindow) {
  Peer peer;
  core::Bytes forged = sealed(PacketType::payload, std::uint64_t{1} << 40, core::Bytes(3));
  forged.back() ^= std::byte{1};
  EXPECT_EQ(peer.read(forged), Drop::forged);
  EXPECT_EQ(peer.read(sealed(PacketType::payload, 5, core::Bytes(3))), Drop::none);
  forged.back() ^= std::byte{1};
  EXPECT_EQ(peer.read(forged), Drop::none);
  EXPECT_EQ(peer.read(sealed(PacketType::payload, 6, core::Bytes(3))), Drop::replayed) << "older than the window";
}

TEST(Packet, Step10ChecksTheBodySizeOfEachType) {
  core::Bytes body(payload_bytes_max);
  std::uint64_t sequence = 0;
  Peer peer;
  const auto drop = [&](PacketType type, std::size_t size) {
    return peer.read(sealed(type, ++sequence, core::ByteView(body).first(size)));
  };
  const auto accepts_only = [&](PacketType type, std::size_t size) {
    EXPECT_EQ(drop(type, size), Drop::none);
    EXPECT_EQ(drop(type, size + 1), Drop::wrong_size);
    if (size > 0) {
      EXPECT_EQ(drop(type, size - 1), Drop::wrong_size);
    }
  };
  accepts_only(PacketType::denied, 0);
  accepts_only(PacketType::challenge, 308);
  accepts_only(PacketType::response, 308);
  accepts_only(PacketType::keep_alive, 8);
  accepts_only(PacketType::disconnect, 0);
  EXPECT_EQ(drop(PacketType::payload, 0), Drop::wrong_size);
  EXPECT_EQ(drop(PacketType::payload, 1), Drop::none);
  EXPECT_EQ(drop(PacketType::payload, 1200), Drop::none);

  // One byte above the payload's maximum, sealed by hand.
  core::Bytes packet(2 + 1201 + core::seal_bytes);
  packet[0] = std::byte{0x15};
  packet[1] = static_cast<std::byte>(++sequence);
  core::seal(core::MutableBytes(packet).subspan(2), domain.with(packet[0]), sequence, key);
  EXPECT_EQ(peer.read(packet), Drop::wrong_size);
  EXPECT_EQ(peer.read(packet), Drop::replayed) << "the size is checked after the window has moved";
}

TEST(Packet, IgnoresASealedRequest) {
  Peer peer;
  EXPECT_EQ(peer.read(sealed(PacketType::request, 1, core::Bytes(20)), all & ~only(PacketType::request)),
            Drop::wrong_type);
  EXPECT_EQ(peer.read(sealed(PacketType::request, 1, core::Bytes(20))), Drop::wrong_size);
}

// --- Connection requests -------------------------------------------------------------------------------------------

TEST(Packet, ChecksSizeVersionAndProtocolOfARequest) {
  core::Bytes request = netcode_vector("request");
  ASSERT_EQ(request.size(), 1078u);
  ConnectRequest read;
  ASSERT_EQ(read_request(request, vector_protocol, read), Drop::none);
  EXPECT_EQ(read.expire_time, vector_time + 60);
  EXPECT_EQ(read.nonce, vector_secrets.nonce);
  EXPECT_EQ(read.private_part.data(), request.data() + 54);

  EXPECT_EQ(read_request(request, vector_protocol + 1, read), Drop::wrong_protocol);
  EXPECT_EQ(read_request(core::ByteView(request).first(1077), vector_protocol, read), Drop::wrong_size);
  request.push_back({});
  EXPECT_EQ(read_request(request, vector_protocol, read), Drop::wrong_size);
  request.pop_back();
  for (std::size_t offset = 1; offset <= 13; ++offset) {
    request[offset] ^= std::byte{1};
    EXPECT_EQ(read_request(request, vector_protocol, read), Drop::wrong_version);
    request[offset] ^= std::byte{1};
  }
}

// --- Many packets --------------------------------------------------------------------------------------------------

// Packets of two sessions with different keys are replayed, truncated, corrupted and sent to the wrong session.
TEST(Packet, RefusesAHundredThousandHostilePackets) {
  constexpr std::uint64_t seed = 11;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  Peer peer;
  std::vector<core::Bytes> packets;
  for (std::uint64_t sequence = 0; sequence < 500; ++sequence) {
    packets.push_back(sealed(PacketType::payload, sequence, counting(1 + random.below(60), random.below(256))));
    ASSERT_EQ(peer.read(packets.back()), Drop::none);
  }
  std::uint64_t accepted = 0;
  for (int round = 0; round < 150'000; ++round) {
    core::Bytes packet = packets[random.below(500)];
    Peer fresh;
    switch (random.below(5)) {
      case 0: accepted += peer.read(packet) == Drop::none ? 1 : 0; break;
      case 1:
        packet.resize(random.below(static_cast<std::uint32_t>(packet.size())));
        accepted += fresh.read(packet) == Drop::none ? 1 : 0;
        break;
      case 2:
        packet[random.below(static_cast<std::uint32_t>(packet.size()))] ^=
            static_cast<std::byte>(1u << random.below(8));
        accepted += fresh.read(packet) == Drop::none ? 1 : 0;
        break;
      case 3: accepted += fresh.read(packet, all, vector_secrets.client_to_server) == Drop::none ? 1 : 0; break;
      default:  // a new sequence for old content
        core::store(packet.data() + 1, static_cast<std::uint8_t>(random.next()));
        packet[0] = std::byte{0x15};
        accepted += peer.read(packet) == Drop::none ? 1 : 0;
    }
  }
  EXPECT_EQ(accepted, 0u);
}

}  // namespace
}  // namespace mobula::transport
