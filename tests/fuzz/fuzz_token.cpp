// Arbitrary bytes as a connect token, parsed as a client does and shown as mobula-token does.
#include <fuzz/fuzz.hpp>
#include <mobula/core/base64.hpp>
#include <mobula/transport/connect_token.hpp>
#include <token/token_json.hpp>

namespace fuzz_token {

using namespace mobula;

namespace {

int run_target(const std::uint8_t* data, std::size_t size) {
  const core::ByteView bytes = fuzz::view(data, size);
  constexpr core::SecretKey key{};  // key of the seeds
  const auto token = transport::read_token(bytes);
  const auto shown = server::token_json(bytes, nullptr);
  const auto all_shown = server::token_json(bytes, &key);
  fuzz::require(shown.ok() || !all_shown.ok(), "a key shows no more tokens");
  if (!token) return 0;
  fuzz::require(size == transport::connect_token_bytes, "a token has its size");
  fuzz::require(!token->servers.empty() && token->servers.size() <= transport::token_servers_max, "servers");
  fuzz::require(token->create_time <= token->expire_time, "it expires after it was made");
  const std::string text = core::to_base64(bytes) + '\n';
  const auto from_text = server::token_json(core::as_bytes(text.data(), text.size()), nullptr);
  fuzz::require(shown.ok() && from_text.ok() && *shown == *from_text, "a token and its base64 are shown as the same");
  return 0;
}

const mobula::fuzz::Target target("token", run_target);

}  // namespace
}  // namespace fuzz_token
