#include <algorithm>
#include <mobula/core/base64.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/hex.hpp>
#include <mobula/core/text.hpp>
#include <mobula/transport/connect_token.hpp>
#include <nlohmann/json.hpp>
#include <span>
#include <token/token_json.hpp>

namespace mobula::server {
namespace {

using Json = nlohmann::ordered_json;

core::Bytes binary(core::ByteView token) {
  const std::string_view text(reinterpret_cast<const char*>(token.data()), token.size());
  const std::optional<core::Bytes> bytes = core::from_base64(core::trimmed(text));
  return bytes ? *bytes : core::Bytes(token.begin(), token.end());
}

Json texts_of(std::span<const transport::Address> addresses) {
  Json texts = Json::array();
  for (const transport::Address& address : addresses) texts.push_back(to_string(address));
  return texts;
}

// Writes text as text, without the zeros that fill it up.
void add_user_data(Json& json, const transport::UserData& data) {
  const auto end = std::find_if(data.rbegin(), data.rend(), [](std::byte byte) { return byte != std::byte{0}; });
  const core::ByteView used(data.data(), static_cast<std::size_t>(data.rend() - end));
  const std::string_view text(reinterpret_cast<const char*>(used.data()), used.size());
  if (core::is_printable(text)) {
    json["user_data"] = text;
  } else {
    json["user_data_hex"] = core::to_hex(used);
  }
}

core::Result<Json> private_json(const transport::ConnectToken& token, const core::SecretKey& key) {
  transport::ConnectRequest request;
  request.expire_time = token.expire_time;
  request.nonce = token.nonce;
  request.private_part = token.private_part;
  transport::PrivateToken opened;
  const transport::PacketDomain domain(token.protocol_id);
  if (open_private_token(domain, request, key, opened) != transport::Drop::none)
    return core::Error{"wrong key", "the token's private part was not sealed with this key, or is damaged"};
  Json json;
  json["client_id"] = core::format("{}", opened.client_id);
  json["timeout_seconds"] = opened.timeout_seconds;
  json["servers"] = texts_of(std::span(opened.servers).first(opened.server_count));
  add_user_data(json, opened.user_data);
  return json;
}

}  // namespace

// Ids are text, because many readers of JSON convert 64-bit numbers to floating point.
core::Result<std::string> token_json(core::ByteView token, const core::SecretKey* key) {
  const core::Result<transport::ConnectToken> read = transport::read_token(binary(token));
  if (!read) return read.error();
  Json json;
  json["protocol_id"] = core::format("{:#x}", read->protocol_id);
  json["create_time"] = read->create_time;
  json["expire_time"] = read->expire_time;
  json["timeout_seconds"] = read->timeout_seconds;
  json["servers"] = texts_of(read->servers);
  if (key != nullptr) {
    core::Result<Json> opened = private_json(*read, *key);
    if (!opened) return opened.error();
    json["private"] = std::move(*opened);
  }
  return json.dump(2);
}

}  // namespace mobula::server
