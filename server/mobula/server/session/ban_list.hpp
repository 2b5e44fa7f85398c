// Banned accounts, with the reason and the end of each ban. The list is bounded. It may be kept in a file of one JSON
// object per line, which can be read and edited by hand while no server runs:
//
//   {"account":"eve","reason":"cheating","until":1795340000}
//
// Each change replaces the file, completely or not at all, and returns when it is on the disk.
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
  std::uint64_t until = 0;  ///< seconds since 1970; 0 if the ban never expires

  /// Returns whether the ban has not expired.
  [[nodiscard]] bool holds(std::uint64_t unix_time) const { return until == 0 || unix_time < until; }
  bool operator==(const Ban&) const = default;
};

class BanList {
 public:
  static constexpr std::size_t bans_max = 100'000;
  static constexpr std::size_t text_bytes_max = 1024;  ///< limit of an account, and of a reason

  /// Makes an empty list that is kept in memory only.
  BanList() = default;
  /// Reads a list from a file and keeps it there. A file that does not exist is an empty list; the first ban creates
  /// it. FILE.lock keeps others from using the file until the last copy of the list is destroyed. Errors: "not
  /// writable", "in use", those of reading the file, and "bad bans" with the line.
  static core::Result<BanList> open(std::string path);

  /// Adds a ban, or replaces the account's ban. Errors: "no account", "too many bans", "too long", "not text", "not
  /// written". After "not written" the ban is in force until the server ends, but is not in the file.
  core::Status add(Ban ban, std::uint64_t unix_time);
  /// Removes the account's ban. Errors: "not banned", and "not written", as above.
  core::Status remove(std::string_view account);
  /// Returns the account's ban; null if there is none or it has expired.
  [[nodiscard]] const Ban* find(std::string_view account, std::uint64_t unix_time) const;
  /// Returns bans sorted by account, without expired ones. Skips `skipped`, returns at most `most`.
  [[nodiscard]] std::vector<Ban> list(std::uint64_t unix_time, std::size_t skipped = 0,
                                      std::size_t most = bans_max) const;

 private:
  core::Status read_line(std::string_view line);
  [[nodiscard]] core::Status write() const;

  std::string path_;                               // empty if there is no file
  std::shared_ptr<const store::FileLock> lock_{};  // lock of the file; null if there is none
  std::map<std::string, Ban, std::less<>> bans_;
};

/// Returns the reason and the end of a ban: "cheating, until 2026-11-22 10:30 UTC".
std::string to_string(const Ban& ban);

}  // namespace mobula::server
