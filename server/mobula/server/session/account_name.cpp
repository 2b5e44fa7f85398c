#include <mobula/core/hex.hpp>
#include <mobula/core/text.hpp>
#include <mobula/server/session/account_name.hpp>
#include <optional>

namespace mobula::server {
namespace {

constexpr std::string_view hex_mark = "0x";

bool stays_text(std::string_view account) { return core::is_printable(account) && !account.starts_with(hex_mark); }

std::string in_hex(core::ByteView account) { return std::string(hex_mark) + core::to_hex(account); }

}  // namespace

std::string account_name(std::string account) {
  return stays_text(account) ? account : in_hex(core::as_bytes(account.data(), account.size()));
}

bool is_account_name(std::string_view text) {
  if (!text.starts_with(hex_mark)) return core::is_printable(text);
  const std::optional<core::Bytes> bytes = core::from_hex(text.substr(hex_mark.size()));
  return bytes && in_hex(*bytes) == text && !stays_text({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
}

}  // namespace mobula::server
