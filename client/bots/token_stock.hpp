// Stock of connect tokens for bots. Fetching tokens may take a while, and the bots' loop cannot wait, so a thread of
// its own fetches more when few are left. Tokens that are about to expire are discarded.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mobula/client/pipe/access.hpp>
#include <mobula/core/result.hpp>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace mobula::client {

class TokenStock {
 public:
  static constexpr std::uint32_t batch = 256;

  /// Fetches the first tokens before it returns. `bots` is the minimum number needed. Errors: those of get_tokens.
  static core::Result<std::unique_ptr<TokenStock>> open(const Access& access, std::uint32_t bots);
  ~TokenStock();
  TokenStock(const TokenStock&) = delete;
  TokenStock& operator=(const TokenStock&) = delete;

  /// Takes a token. Returns nothing if there is none at the moment. `unix_now` is in seconds.
  std::optional<transport::ConnectToken> take(std::uint64_t unix_now);
  /// Returns the number of failed fetches.
  [[nodiscard]] std::uint64_t failures() const;
  /// Returns the reason of the last failure.
  [[nodiscard]] std::string last_failure() const;

 private:
  explicit TokenStock(const Access& access) : access_(access) {}
  void fetch_when_wanted();

  const Access access_;
  mutable std::mutex mutex_;  // guards all members below
  std::condition_variable wanted_;
  std::vector<transport::ConnectToken> tokens_;
  bool few_ = false;
  bool ending_ = false;
  std::uint64_t failures_ = 0;
  std::string last_failure_;
  std::thread thread_;  // not running if there is a single token
};

}  // namespace mobula::client
