// Who is not let in, by account, until when and why. Bounded. Kept in a file if it has one: a JSON object per line, so
// that it can be read and written by hand while no server runs.
//
//   {"account":"eve","reason":"cheating","until":1795340000}
//
// The file is written anew, whole or not at all, with each change, and is on the disk then.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mobula/core/result.hpp>
#include <mobula/server/store/file_lock.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::server {

struct Ban {
  std::string account;
  std::string reason;
  std::uint64_t until = 0;  // unix seconds; 0: for ever

  [[nodiscard]] bool holds(std::uint64_t unix_time) const { return until == 0 || unix_time < until; }
  bool operator==(const Ban&) const = default;
};

class BanList {
 public:
  static constexpr std::size_t bans_max = 100'000;
  static constexpr std::size_t text_bytes_max = 1024;  // of an account, and of a reason

  // In memory alone.
  BanList() = default;
  // From a file, which is not there before the first ban, and is this list's alone (FILE.lock) until the last copy of
  // it is gone. Reasons: "missing", "not writable", "in use", "bad bans" with the line.
  static core::Result<BanList> open(std::string path);

  // In place of one that the account has. Reasons: "no account", "too many bans", "too long", "not text", and "not
  // written": then it is in force until the server ends, and not in the file.
  core::Status add(Ban ban, std::uint64_t unix_time);
  // Reasons: "not banned", and "not written", as above.
  core::Status remove(std::string_view account);
  // Null: not banned, or no longer.
  [[nodiscard]] const Ban* find(std::string_view account, std::uint64_t unix_time) const;
  // By account: after so many, so many at most.
  [[nodiscard]] std::vector<Ban> list(std::uint64_t unix_time, std::size_t skipped = 0,
                                      std::size_t most = bans_max) const;

 private:
  core::Status read_line(std::string_view line);
  [[nodiscard]] core::Status write() const;

  std::string path_;                               // empty: none
  std::shared_ptr<const store::FileLock> lock_{};  // of the file
  std::map<std::string, Ban, std::less<>> bans_;
};

// "cheating, until 2026-11-22 10:30 UTC"
std::string to_string(const Ban& ban);

}  // namespace mobula::server
