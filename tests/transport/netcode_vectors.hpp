// Output of the reference implementation of netcode, from netcode_vectors.txt, and its input.
#pragma once

#include <fstream>
#include <mobula/core/hex.hpp>
#include <mobula/transport/connect_token.hpp>
#include <string>

namespace mobula::transport {

// Returns the bytes of an entry of the file.
inline core::Bytes netcode_vector(const std::string& wanted) {
  std::ifstream file(MOBULA_SOURCE_DIR "/tests/transport/netcode_vectors.txt");
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind(wanted + " ", 0) == 0) return core::from_hex(line.substr(wanted.size() + 1)).value();
  }
  return {};
}

template <class Bytes = core::SecretKey>
Bytes counting_from(unsigned first) {
  Bytes bytes;
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(first++);
  return bytes;
}

inline constexpr std::uint64_t vector_protocol = 0x1122334455667788;
inline constexpr std::uint64_t vector_time = 1'700'000'000;
inline const core::SecretKey vector_private_key = counting_from(0);
inline const core::SecretKey vector_challenge_key = counting_from(0x20);
inline const TokenSecrets vector_secrets{counting_from<core::WideNonce>(0xc0), counting_from(0x40),
                                         counting_from(0x80)};
inline TokenRequest vector_request() {
  TokenRequest request;
  request.protocol_id = vector_protocol;
  request.client_id = 0x0123456789abcdef;
  request.user_data = counting_from<UserData>(1);
  request.servers = {Address::v4(10, 20, 30, 40, 5000),
                     {{0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2}, 6000}};
  request.expire_seconds = 60;
  request.timeout_seconds = 15;
  return request;
}

}  // namespace mobula::transport
