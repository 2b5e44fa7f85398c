#include <array>
#include <mobula/core/base64.hpp>
#include <mobula/core/did_you_mean.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/server/admin/json_object.hpp>
#include <mobula/server/admin/tokens.hpp>
#include <nlohmann/json.hpp>

namespace mobula::server::admin {
namespace {

using nlohmann::json;

struct TokenRequest {
  std::uint32_t count = 0;
  std::string user_data;
};

core::Error bad(std::string message) { return {"bad request", std::move(message)}; }

core::Status read_count(const json& value, TokenRequest& request) {
  const bool fits = value.is_number_unsigned() && value >= 1u && value <= tokens_per_request_max;
  if (!fits) return bad(core::format("count: expected a whole number from 1 to {}", tokens_per_request_max));
  request.count = value.get<std::uint32_t>();
  return core::Done{};
}

core::Status read_user_data(const json& value, TokenRequest& request) {
  if (!value.is_string()) return bad("user_data: expected text");
  request.user_data = value.get<std::string>();
  return check_user_data(request.user_data);
}

struct Key {
  std::string_view name;
  core::Status (*read)(const json& value, TokenRequest& request);
};
constexpr std::array<Key, 2> keys{{{"count", read_count}, {"user_data", read_user_data}}};

core::Error unknown_key(std::string_view name) {
  constexpr std::array<std::string_view, 2> names{keys[0].name, keys[1].name};
  return bad(core::format("there is no '{}'{}", name, core::did_you_mean(name, names)));
}

core::Result<TokenRequest> parse(std::string_view body) {
  const core::Result<json> object = parse_object(body, R"({"count": 1})");
  if (!object) return object.error();
  TokenRequest request;
  for (const auto& [name, value] : object->items()) {
    const auto key = std::find_if(keys.begin(), keys.end(), [&](const Key& each) { return each.name == name; });
    if (key == keys.end()) return unknown_key(name);
    if (const core::Status read = key->read(value, request); !read) return read.error();
  }
  if (request.count == 0) return bad("count is missing; expected the number of tokens");
  return request;
}

Response answer(const Request& request, const TokenSource& source, const WebSocketAddress& websocket) {
  if (!source)
    return error_response({"no tokens",
                           "this server makes no tokens, because it was started with --key-file; use mobula-token "
                           "with that key"});
  const core::Result<TokenRequest> wanted = parse(request.body);
  if (!wanted) return error_response(wanted.error());
  const core::Result<std::vector<std::string>> tokens = make_tokens(source, wanted->count, wanted->user_data);
  if (!tokens) return error_response(tokens.error());
  return tokens_response(*tokens, websocket.url_for(request));
}

}  // namespace

core::Status check_user_data(std::string_view user_data) {
  if (user_data.size() <= user_data_bytes_max) return core::Done{};
  return bad(core::format("user_data: {} bytes; the maximum is {}", user_data.size(), user_data_bytes_max));
}

core::Result<std::vector<std::string>> make_tokens(const TokenSource& source, std::uint32_t count,
                                                   std::string_view user_data) {
  const core::Result<std::vector<core::Bytes>> tokens = source(count, user_data);
  if (!tokens) {
    core::log_warn("admin", "no tokens: {}", tokens.error().message);
    const bool closing = std::string_view(tokens.error().reason) == "closing";
    return core::Error{closing ? "closing" : "failed", tokens.error().message};
  }
  std::vector<std::string> texts;
  for (const core::Bytes& token : *tokens) texts.push_back(core::to_base64(token));
  return texts;
}

Response tokens_response(const std::vector<std::string>& tokens, const std::string& websocket) {
  json body{{"tokens", tokens}};
  if (!websocket.empty()) body[websocket.starts_with("wss:") ? "wss" : "ws"] = websocket;
  return {200, body.dump()};
}

Route tokens_route(TokenSource source, WebSocketAddress websocket) {
  const auto handler = [source = std::move(source), websocket = std::move(websocket)](const Request& request) {
    return answer(request, source, websocket);
  };
  return {"POST", "/api/tokens", handler};
}

}  // namespace mobula::server::admin
