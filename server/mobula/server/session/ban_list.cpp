#include <ctime>
#include <filesystem>
#include <mobula/core/format.hpp>
#include <mobula/core/hex.hpp>
#include <mobula/core/text.hpp>
#include <mobula/process/complete_files.hpp>
#include <mobula/server/session/account_name.hpp>
#include <mobula/server/session/ban_list.hpp>
#include <nlohmann/json.hpp>

namespace mobula::server {
namespace {

constexpr std::size_t file_bytes_max = 256u << 20;

std::string line_of(const Ban& ban) {
  nlohmann::ordered_json json;
  json["account"] = ban.account;
  json["reason"] = ban.reason;
  if (ban.until != 0) json["until"] = ban.until;
  return json.dump() + "\n";
}

core::Status check(const Ban& ban) {
  if (ban.account.empty()) return core::Error{"no account", "clients without an account cannot be banned"};
  if (ban.account.size() > BanList::text_bytes_max || ban.reason.size() > BanList::text_bytes_max)
    return core::Error{"too long",
                       core::format("an account and a reason have at most {} bytes", BanList::text_bytes_max)};
  if (!core::is_printable(ban.account) || !core::is_printable(ban.reason))
    return core::Error{"not text", "an account and a reason are UTF-8 without control characters"};
  return core::Done{};
}

// A ban of this form would never refuse a client. Files may have one, which an earlier version accepted.
core::Error unknown_form(std::string_view account) {
  return {"no account",
          core::format("no account has the form '{:.100}': 0x with hex digits stands for bytes that are not printable "
                       "UTF-8, or that start with 0x; expected the text itself, or 0x{:.200} if it is the text",
                       account, core::to_hex(core::as_bytes(account.data(), account.size())))};
}

// Expects an object with the three members and no others; `until` may be missing.
core::Result<Ban> read(std::string_view line) {
  const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
  const core::Error wrong{"bad bans", R"(expected {"account":"NAME","reason":"TEXT","until":UNIX_SECONDS})"};
  if (!json.is_object()) return wrong;
  Ban ban;
  for (const auto& [key, value] : json.items()) {
    if (key == "account" && value.is_string()) {
      ban.account = value;
    } else if (key == "reason" && value.is_string()) {
      ban.reason = value;
    } else if (key == "until" && value.is_number_unsigned()) {
      ban.until = value;
    } else {
      return wrong;
    }
  }
  if (const core::Status checked = check(ban); !checked) return core::Error{"bad bans", checked.error().message};
  return ban;
}

}  // namespace

core::Result<BanList> BanList::open(std::string path) {
  BanList list;
  list.path_ = std::move(path);
  core::Result<store::FileLock> lock = store::FileLock::acquire(list.path_ + ".lock");
  if (!lock && std::string_view(lock.error().reason) == "in use")
    return core::Error{"in use",
                       core::format("{}: another server or world uses it; each needs its own file", list.path_)};
  if (!lock) return core::Error{"not writable", core::format("{}: cannot be written", list.path_)};
  list.lock_ = std::make_shared<const store::FileLock>(std::move(*lock));
  std::error_code error;
  if (!std::filesystem::exists(list.path_, error) && !error) return list;
  const core::Result<core::Bytes> bytes = process::read_regular_file(list.path_, file_bytes_max);
  if (!bytes) return bytes.error();
  std::string_view rest(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (const core::Status taken = list.read_line(line); !taken)
      return core::Error{"bad bans", core::format("{}:{}: {}", list.path_, number, taken.error().message)};
  }
  return list;
}

core::Status BanList::read_line(std::string_view line) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return core::Done{};
  core::Result<Ban> ban = read(line);
  if (!ban) return ban.error();
  if (bans_.size() == bans_max) return core::Error{"too many bans", core::format("the maximum is {}", bans_max)};
  bans_.insert_or_assign(ban->account, *ban);
  return core::Done{};
}

core::Status BanList::write() const {
  if (path_.empty()) return core::Done{};
  std::string text;
  for (const auto& [account, ban] : bans_) text += line_of(ban);
  core::Status written = process::write_files({{path_, core::as_bytes(text.data(), text.size())}});
  if (written) return written;
  return core::Error{"not written",
                     core::format("in force until the server ends, because the file of bans could not be written: {}",
                                  written.error().message)};
}

core::Status BanList::add(Ban ban, std::uint64_t unix_time) {
  if (core::Status checked = check(ban); !checked) return checked;
  if (!is_account_name(ban.account)) return unknown_form(ban.account);
  std::erase_if(bans_, [&](const auto& each) { return !each.second.holds(unix_time); });
  if (bans_.size() == bans_max && !bans_.contains(ban.account))
    return core::Error{"too many bans", core::format("{} accounts are banned, the maximum", bans_max)};
  std::string account = ban.account;
  bans_.insert_or_assign(std::move(account), std::move(ban));
  return write();
}

core::Status BanList::remove(std::string_view account) {
  const auto found = bans_.find(account);
  if (found == bans_.end()) return core::Error{"not banned", core::format("account '{}' is not banned", account)};
  bans_.erase(found);
  return write();
}

const Ban* BanList::find(std::string_view account, std::uint64_t unix_time) const {
  const auto found = bans_.find(account);
  return found != bans_.end() && found->second.holds(unix_time) ? &found->second : nullptr;
}

std::vector<Ban> BanList::list(std::uint64_t unix_time, std::size_t skipped, std::size_t most) const {
  std::vector<Ban> some;
  for (const auto& [account, ban] : bans_) {
    if (some.size() == most) break;
    if (!ban.holds(unix_time)) continue;
    if (skipped > 0) {
      --skipped;
    } else {
      some.push_back(ban);
    }
  }
  return some;
}

std::string to_string(const Ban& ban) {
  if (ban.until == 0) return ban.reason;
  const auto seconds = static_cast<std::time_t>(ban.until);
  std::tm when{};
  if (gmtime_r(&seconds, &when) == nullptr) return ban.reason;  // the year does not fit
  char text[32];
  const std::size_t size = std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &when);
  return core::format("{}, until {}", ban.reason, std::string_view(text, size));
}

}  // namespace mobula::server
