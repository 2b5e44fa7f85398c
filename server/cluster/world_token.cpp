#include <algorithm>
#include <cluster/world_token.hpp>
#include <mobula/core/clock.hpp>
#include <mobula/core/format.hpp>
#include <mobula/server/admin/tokens.hpp>
#include <mobula/server/cluster/world_servers.hpp>

namespace mobula::cluster {
namespace {

namespace admin = server::admin;

transport::UserData user_data_of(std::string_view account) {
  transport::UserData user_data{};
  std::ranges::copy(core::as_bytes(account.data(), account.size()), user_data.begin());
  return user_data;
}

}  // namespace

core::Status check_account(std::string_view account) {
  if (account.find('\0') != std::string_view::npos)
    return core::Error{"bad request", "the account has a byte of value 0, which ends its name"};
  if (account.size() <= admin::user_data_bytes_max) return core::Done{};
  return core::Error{"bad request", core::format("the account has {} bytes; the maximum is {}", account.size(),
                                                 admin::user_data_bytes_max)};
}

core::Result<std::string> world_token_json(const core::SecretKey& key, const std::vector<std::string>& addresses,
                                           std::string_view account) {
  if (const core::Status good = check_account(account); !good) return good.error();
  const core::Result<WorldServers> servers = servers_of(addresses);
  if (!servers) return servers.error();
  const auto source = [&](std::uint32_t, std::string_view user_data) -> core::Result<std::vector<core::Bytes>> {
    core::Result<core::Bytes> token =
        make_world_token(key, *servers, new_identity(user_data_of(user_data)), core::unix_now());
    if (!token) return token.error();
    return std::vector<core::Bytes>{std::move(*token)};
  };
  const core::Result<std::vector<std::string>> tokens = admin::make_tokens(source, 1, account);
  if (!tokens) return tokens.error();
  return admin::tokens_response(*tokens, servers->websocket).body;
}

}  // namespace mobula::cluster
