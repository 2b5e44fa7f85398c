#include <algorithm>
#include <mobula/client/pipe/access.hpp>
#include <mobula/core/base64.hpp>
#include <mobula/core/clock.hpp>
#include <mobula/core/content_hash.hpp>
#include <mobula/core/log.hpp>
#include <mobula/core/name.hpp>
#include <mobula/core/random_source.hpp>
#include <mobula/core/text.hpp>
#include <mobula/net/bearer_token.hpp>
#include <mobula/net/http_client.hpp>
#include <mobula/process/complete_files.hpp>
#include <mobula/process/key_file.hpp>
#include <mobula/transport/simulation/conditions_text.hpp>
#include <nlohmann/json.hpp>

namespace mobula::client {
namespace {

using Tokens = std::vector<transport::ConnectToken>;

constexpr std::size_t token_file_bytes_max = 4096;
constexpr std::uint32_t tokens_per_request = 1024;
constexpr std::uint32_t own_token_seconds = 300;

core::Result<transport::ConnectToken> from_base64(std::string_view text) {
  const std::optional<core::Bytes> bytes = core::from_base64(core::trimmed(text));
  if (!bytes) return core::Error{"bad token", "a connect token must be base64 text"};
  return transport::read_token(*bytes);
}

core::Result<Tokens> from_file(const std::string& path) {
  const core::Result<core::Bytes> bytes = process::read_file(path, token_file_bytes_max);
  if (!bytes) return bytes.error();
  const bool binary = bytes->size() == transport::connect_token_bytes;
  core::Result<transport::ConnectToken> token =
      binary ? transport::read_token(*bytes)
             : from_base64({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  if (!token) return core::Error{token.error().reason, core::format("{}: {}", path, token.error().message)};
  if (const std::uint64_t now = core::unix_now(); token->expire_time <= now)
    core::log_warn("client",
                   "{}: the token expired {} s ago, by the clock of this machine; if it is younger, synchronise the "
                   "clocks of both machines (NTP)",
                   path, now - token->expire_time);
  return Tokens{std::move(*token)};
}

core::Result<Tokens> by_key(const std::string& path, transport::Address server, std::uint32_t count) {
  const core::Result<process::KeyFile> key = process::load_key_file(path);
  if (!key) return key.error();
  if (key->others_may_read)
    core::log_warn("client", "{}: other users may read this key; remove their rights (chmod 600)", path);
  server.pipe = transport::Pipe::udp;  // a token holds addresses without pipes
  Tokens tokens;
  for (std::uint32_t i = 0; i < count; ++i) {
    transport::TokenRequest request{.servers = {server}, .expire_seconds = own_token_seconds};
    core::random_bytes(std::as_writable_bytes(std::span(&request.client_id, 1)));
    const core::Result<core::Bytes> bytes =
        transport::mint_token(request, key->key, transport::random_token_secrets(), core::unix_now());
    if (!bytes) return bytes.error();
    tokens.push_back(*transport::read_token(*bytes));
  }
  return tokens;
}

core::Status parse_answer(const std::string& answer, Tokens& tokens) {
  const nlohmann::json json = nlohmann::json::parse(answer, nullptr, false);
  const auto list = json.is_object() ? json.find("tokens") : json.end();
  if (!json.is_object() || list == json.end() || !list->is_array())
    return core::Error{"bad answer", "the answer of the admin address has no list of tokens; is it the server's?"};
  for (const nlohmann::json& text : *list) {
    if (!text.is_string()) return core::Error{"bad answer", "a connect token must be base64 text"};
    core::Result<transport::ConnectToken> token = from_base64(text.get_ref<const std::string&>());
    if (!token) return token.error();
    tokens.push_back(std::move(*token));
  }
  return core::Done{};
}

core::Result<net::HttpOptions> with_bearer(const std::string& token_file) {
  net::HttpOptions as;
  if (token_file.empty()) return as;
  core::Result<net::BearerTokenFile> bearer = net::load_bearer_token(token_file);
  if (!bearer) return bearer.error();
  if (bearer->others_may_read)
    core::log_warn("client", "{}: other users may read this token; remove their rights (chmod 600)", token_file);
  as.bearer = std::move(bearer->token);
  return as;
}

// Calls `request` until it has given `count` tokens.
template <class Request>
core::Result<Tokens> collect(std::uint32_t count, std::string_view source, const Request& request) {
  Tokens tokens;
  while (tokens.size() < count) {
    const core::Result<std::string> answer = request(count - static_cast<std::uint32_t>(tokens.size()));
    if (!answer) return answer.error();
    const std::size_t before = tokens.size();
    if (const core::Status parsed = parse_answer(*answer, tokens); !parsed) return parsed.error();
    if (tokens.size() == before) return core::Error{"bad answer", core::format("the {} returned no tokens", source)};
  }
  tokens.resize(count);
  return tokens;
}

// Each request gives one token.
core::Result<Tokens> from_cluster(const AccessOptions& options, std::uint32_t count) {
  const core::Result<net::HttpOptions> as = with_bearer(options.admin_token_file);
  if (!as) return as.error();
  const std::string order = nlohmann::json{{"world", options.world}, {"account", options.account}}.dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace);
  return collect(count, "cluster", [&](std::uint32_t) -> core::Result<std::string> {
    core::Result<std::string> answer = net::http_post(net::url_below(options.cluster, "/tokens"), order, *as);
    if (answer) return answer;
    return core::Error{answer.error().reason, core::format("no connect token for world '{}': {}",
                                                           core::shown(options.world, 64), answer.error().message)};
  });
}

core::Result<Tokens> from_admin(const std::string& admin, const std::string& token_file, std::uint32_t count) {
  const core::Result<net::HttpOptions> as = with_bearer(token_file);
  if (!as) return as.error();
  return collect(count, "admin address", [&](std::uint32_t missing) -> core::Result<std::string> {
    const std::uint32_t wanted = std::min(missing, tokens_per_request);
    core::Result<std::string> answer =
        net::http_post(net::url_below(admin, "/api/tokens"), core::format(R"({{"count":{}}})", wanted), *as);
    if (answer) return answer;
    return core::Error{answer.error().reason,
                       core::format("no connect token: {} (set the server's admin address with --admin URL, or use "
                                    "--key-file or --token)",
                                    answer.error().message)};
  });
}

}  // namespace

core::Result<Access> parse_access(AccessOptions options) {
  core::Result<transport::NetworkConditions> simulated = transport::parse_conditions(options.simulate);
  if (!simulated) return simulated.error();
  if (!options.cluster.empty()) {
    if (!options.connect.empty())
      return core::Error{"bad options", "--connect: the cluster names the address; use --connect or --cluster"};
    if (core::Status good = core::check_name(options.world); !good)
      return core::Error{"bad options", "--world: " + good.error().message};
    return Access{{}, *simulated, std::move(options)};
  }
  core::Result<net::Destination> destination = net::parse_destination(options.connect);
  if (!destination) return destination.error();
  return Access{*destination, *simulated, std::move(options)};
}

std::string_view advice(transport::ReasonCode code) {
  switch (code) {
    case transport::ReasonCode::no_answer:
      return " (check that a server runs there, that it has the key of this token, and that the token names this "
             "address; a token is valid once and for a short time, by the clocks of both machines (NTP); the server "
             "logs the tokens it rejects)";
    case transport::ReasonCode::pipe_lost:
      return " (check that the server listens there for this kind of pipe; a token is valid once; the server logs the "
             "clients it refuses)";
    default: return "";
  }
}

core::Result<Tokens> get_tokens(const Access& access, std::uint32_t count) {
  const AccessOptions& options = access.options;
  if (!options.cluster.empty()) return from_cluster(options, count);
  if (!options.token_file.empty()) {
    if (count > 1)
      return core::Error{"one token", "a token file admits one client; use --key-file or --admin for several"};
    return from_file(options.token_file);
  }
  if (!options.key_file.empty()) return by_key(options.key_file, access.destination.address, count);
  return from_admin(options.admin, options.admin_token_file, count);
}

}  // namespace mobula::client
