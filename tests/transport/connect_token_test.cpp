#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <transport/netcode_vectors.hpp>

namespace mobula::transport {
namespace {

core::Bytes minted() { return mint_token(vector_request(), vector_private_key, vector_secrets, vector_time).value(); }

// The private part as received by a server.
Drop open_private(const core::Bytes& token, PrivateToken& opened, const core::SecretKey& key = vector_private_key) {
  ConnectRequest request;
  request.expire_time = core::load<std::uint64_t>(token.data() + 29);
  request.nonce = core::load<core::WideNonce>(token.data() + 37);
  request.private_part = core::ByteView(token).subspan(61, private_token_bytes);
  return open_private_token(PacketDomain(core::load<std::uint64_t>(token.data() + 13)), request, key, opened);
}

// Writes `change` into the plain private part and seals it again.
core::Bytes with_private(std::size_t offset, std::uint8_t change) {
  core::Bytes token = minted();
  core::Bytes domain(token.begin(), token.begin() + 21);
  domain.insert(domain.end(), token.begin() + 29, token.begin() + 37);
  const core::MutableBytes sealed = core::MutableBytes(token).subspan(61, private_token_bytes);
  EXPECT_TRUE(core::open(sealed, domain, vector_secrets.nonce, vector_private_key, sealed));
  sealed[offset] = static_cast<std::byte>(change);
  core::seal(sealed, domain, vector_secrets.nonce, vector_private_key);
  return token;
}

TEST(ConnectToken, EqualsTheReferenceByteByByte) {
  const core::Bytes expected = netcode_vector("token");
  ASSERT_EQ(expected.size(), connect_token_bytes);
  EXPECT_EQ(core::to_hex(minted()), core::to_hex(expected));
  EXPECT_EQ(core::to_hex(write_token(read_token(expected).value())), core::to_hex(expected))
      << "read and written again";
}

TEST(ConnectToken, ReadsTheReferenceToken) {
  const core::Result<ConnectToken> token = read_token(netcode_vector("token"));
  ASSERT_TRUE(token.ok());
  const TokenRequest request = vector_request();
  EXPECT_EQ(token->protocol_id, vector_protocol);
  EXPECT_EQ(token->create_time, vector_time);
  EXPECT_EQ(token->expire_time, vector_time + 60);
  EXPECT_EQ(token->nonce, vector_secrets.nonce);
  EXPECT_EQ(token->timeout_seconds, 15);
  EXPECT_EQ(token->servers, request.servers);
  EXPECT_EQ(token->client_to_server, vector_secrets.client_to_server);
  EXPECT_EQ(token->server_to_client, vector_secrets.server_to_client);

  PrivateToken opened;
  ASSERT_EQ(open_private(netcode_vector("token"), opened), Drop::none);
  EXPECT_EQ(opened.client_id, request.client_id);
  EXPECT_EQ(opened.timeout_seconds, 15);
  ASSERT_EQ(opened.server_count, 2u);
  EXPECT_EQ(opened.servers[0], request.servers[0]);
  EXPECT_EQ(opened.servers[1], request.servers[1]);
  EXPECT_EQ(opened.client_to_server, vector_secrets.client_to_server);
  EXPECT_EQ(opened.server_to_client, vector_secrets.server_to_client);
  EXPECT_EQ(opened.user_data, request.user_data);
}

TEST(ConnectToken, Holds32IPv6ServersAndANegativeTimeout) {
  TokenRequest request = vector_request();
  request.servers.assign(32, request.servers[1]);
  request.timeout_seconds = -1;
  const core::Bytes bytes = mint_token(request, vector_private_key, vector_secrets, vector_time).value();
  const core::Result<ConnectToken> token = read_token(bytes);
  ASSERT_TRUE(token.ok());
  EXPECT_EQ(token->servers, request.servers);
  EXPECT_EQ(token->timeout_seconds, -1);
  EXPECT_EQ(token->server_to_client, vector_secrets.server_to_client);
  PrivateToken opened;
  ASSERT_EQ(open_private(bytes, opened), Drop::none);
  EXPECT_EQ(opened.server_count, 32u);
  EXPECT_EQ(opened.user_data, request.user_data);
  EXPECT_EQ(opened.timeout_seconds, -1);
}

TEST(ConnectToken, DoesNotContainThePipeOfAServer) {
  TokenRequest request = vector_request();
  request.servers[0].pipe = Pipe::websocket;
  EXPECT_EQ(mint_token(request, vector_private_key, vector_secrets, vector_time).value(), minted());
}

TEST(ConnectToken, RefusesNoOrTooManyServers) {
  TokenRequest request = vector_request();
  request.servers.clear();
  const auto mint = [&] { return mint_token(request, vector_private_key, vector_secrets, vector_time); };
  EXPECT_STREQ(mint().error().reason, "no servers");
  request.servers.resize(33);
  EXPECT_STREQ(mint().error().reason, "too many servers");
}

TEST(ConnectToken, RefusesMalformedTokensWithAReason) {
  const core::Bytes good = minted();
  const auto reason = [](const core::Bytes& bytes) { return std::string(read_token(bytes).error().reason); };
  const auto changed = [&](std::size_t offset, std::uint8_t value) {
    core::Bytes bytes = good;
    bytes[offset] = static_cast<std::byte>(value);
    return bytes;
  };
  EXPECT_EQ(reason({}), "wrong size");
  EXPECT_EQ(reason(core::Bytes(good.begin(), good.end() - 1)), "wrong size");
  EXPECT_EQ(reason(changed(11, '3')), "wrong version");
  EXPECT_EQ(reason(changed(12, '!')), "wrong version") << "the version includes the zero byte";
  EXPECT_EQ(reason(changed(28, 1)), "expires before it is made");
  EXPECT_EQ(reason(changed(1089, 0)), "no servers");
  EXPECT_EQ(reason(changed(1089, 33)), "too many servers");
  EXPECT_EQ(reason(changed(1092, 0x80)), "too many servers");
  EXPECT_EQ(reason(changed(1093, 3)), "wrong address type");
  EXPECT_EQ(reason(changed(1093, 0)), "wrong address type") << "IMPLEMENTERS 2: types are 1 and 2";
}

TEST(ConnectToken, RefusesAMalformedPrivatePart) {
  PrivateToken opened;
  EXPECT_EQ(open_private(with_private(12, 0), opened), Drop::token_malformed);
  EXPECT_EQ(open_private(with_private(12, 33), opened), Drop::token_malformed);
  EXPECT_EQ(open_private(with_private(15, 0xff), opened), Drop::token_malformed);
  EXPECT_EQ(open_private(with_private(16, 0), opened), Drop::token_malformed);
  EXPECT_EQ(open_private(with_private(16, 3), opened), Drop::token_malformed);
  EXPECT_EQ(open_private(with_private(23, 4), opened), Drop::token_malformed) << "the second address";
  EXPECT_EQ(open_private(with_private(0, 1), opened), Drop::none);
}

TEST(ConnectToken, RefusesAnyChangedTrustedField) {
  PrivateToken opened;
  const core::Bytes good = minted();
  const auto drop = [&](std::size_t offset) {
    core::Bytes bytes = good;
    bytes[offset] ^= std::byte{0x10};
    return open_private(bytes, opened);
  };
  EXPECT_EQ(drop(13), Drop::token_forged) << "protocol id";
  EXPECT_EQ(drop(29), Drop::token_forged) << "expiry time";
  EXPECT_EQ(drop(37), Drop::token_forged) << "nonce";
  for (std::size_t offset = 61; offset < 61 + private_token_bytes; ++offset) {
    EXPECT_EQ(drop(offset), Drop::token_forged) << offset;
  }
  EXPECT_EQ(open_private(good, opened, counting_from(1)), Drop::token_forged) << "another key";
}

TEST(ConnectToken, RandomBytesAreReadOrRefused) {
  constexpr std::uint64_t seed = 6;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  for (int round = 0; round < 2000; ++round) {
    core::Bytes bytes = minted();
    for (std::size_t offset = 1085; offset < bytes.size(); ++offset)
      bytes[offset] = static_cast<std::byte>(random.next());
    if (round % 2 == 0) core::store(bytes.data() + 1089, random.below(40));
    const core::Result<ConnectToken> token = read_token(bytes);
    EXPECT_TRUE(!token.ok() || token->servers.size() <= token_servers_max);
  }
}

TEST(ConnectToken, RandomSecretsDiffer) {
  const TokenSecrets a = random_token_secrets();
  const TokenSecrets b = random_token_secrets();
  EXPECT_NE(a.nonce, b.nonce);
  EXPECT_NE(a.client_to_server, b.client_to_server);
  EXPECT_NE(a.server_to_client, b.server_to_client);
  EXPECT_NE(a.client_to_server, a.server_to_client);
}

}  // namespace
}  // namespace mobula::transport
