#include <algorithm>
#include <mobula/core/aead.hpp>
#include <mobula/core/bytes.hpp>
#include <mobula/core/random_source.hpp>
#include <mobula/server/zones/zone_pass.hpp>

namespace mobula::server {
namespace {

constexpr std::array<std::byte, 8> mark{std::byte{0},   std::byte{'z'}, std::byte{'o'}, std::byte{'n'},
                                        std::byte{'e'}, std::byte{0},   std::byte{0},   std::byte{1}};
constexpr std::size_t zone_at = mark.size();
constexpr std::size_t nonce_at = zone_at + sizeof(std::uint32_t);
constexpr std::size_t seal_at = nonce_at + sizeof(core::WideNonce);

using Associated = std::array<std::byte, nonce_at + sizeof(std::uint64_t)>;

Associated associated(const transport::UserData& pass, std::uint64_t client_id) {
  Associated bytes{};
  std::copy_n(pass.begin(), nonce_at, bytes.begin());
  core::store(bytes.data() + nonce_at, client_id);
  return bytes;
}

}  // namespace

transport::UserData zone_pass(std::uint32_t zone, std::uint64_t client_id, const core::SecretKey& key) {
  transport::UserData pass{};
  std::ranges::copy(mark, pass.begin());
  core::store(pass.data() + zone_at, zone);
  core::WideNonce nonce{};
  core::random_bytes(nonce);
  std::ranges::copy(nonce, pass.begin() + nonce_at);
  core::seal({pass.data() + seal_at, core::seal_bytes}, associated(pass, client_id), nonce, key);
  return pass;
}

std::optional<std::uint32_t> read_zone_pass(const transport::Identity& identity, const core::SecretKey& key) {
  const transport::UserData& pass = identity.user_data;
  if (!std::equal(mark.begin(), mark.end(), pass.begin())) return std::nullopt;
  core::WideNonce nonce{};
  std::copy_n(pass.begin() + nonce_at, nonce.size(), nonce.begin());
  const core::ByteView sealed(pass.data() + seal_at, core::seal_bytes);
  std::array<std::byte, core::seal_bytes> nothing{};
  if (!core::open(sealed, associated(pass, identity.client_id), nonce, key, nothing)) return std::nullopt;
  return core::load<std::uint32_t>(pass.data() + zone_at);
}

}  // namespace mobula::server
