#include <algorithm>
#include <bots/token_stock.hpp>
#include <chrono>
#include <mobula/core/log.hpp>

namespace mobula::client {
namespace {

constexpr std::uint64_t lifetime_seconds_min = 10;  // minimum remaining lifetime of a token
// All bots may join at once, and the first ones should not wait for a second request.
constexpr std::uint32_t first_max = 16 * TokenStock::batch;
constexpr std::chrono::milliseconds between_failures{1000};

}  // namespace

core::Result<std::unique_ptr<TokenStock>> TokenStock::open(const Access& access, std::uint32_t bots) {
  std::unique_ptr<TokenStock> stock(new TokenStock(access));
  const bool one_alone = !access.options.token_file.empty();
  core::Result<std::vector<transport::ConnectToken>> first =
      get_tokens(access, one_alone ? bots : std::min(bots + batch, first_max));
  if (!first) return first.error();
  stock->tokens_ = std::move(*first);
  if (!one_alone) stock->thread_ = std::thread([&stock = *stock] { stock.fetch_when_wanted(); });
  return stock;
}

TokenStock::~TokenStock() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wanted_.notify_all();
  if (thread_.joinable()) thread_.join();
}

// Takes the newest first. Older ones may expire unused if no bot joins any more.
std::optional<transport::ConnectToken> TokenStock::take(std::uint64_t unix_now) {
  const std::lock_guard lock(mutex_);
  std::optional<transport::ConnectToken> token;
  const bool renewable = thread_.joinable();
  while (!tokens_.empty() && !token) {
    if (!renewable || tokens_.back().expire_time > unix_now + lifetime_seconds_min) token = std::move(tokens_.back());
    tokens_.pop_back();
  }
  few_ = tokens_.size() < batch;
  if (few_) wanted_.notify_one();
  return token;
}

std::uint64_t TokenStock::failures() const {
  const std::lock_guard lock(mutex_);
  return failures_;
}

std::string TokenStock::last_failure() const {
  const std::lock_guard lock(mutex_);
  return last_failure_;
}

void TokenStock::fetch_when_wanted() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wanted_.wait(lock, [this] { return few_ || ending_; });
    if (ending_) return;
    lock.unlock();
    core::Result<std::vector<transport::ConnectToken>> fresh = get_tokens(access_, 2 * batch);
    lock.lock();
    if (fresh) {
      std::move(fresh->begin(), fresh->end(), std::back_inserter(tokens_));
      few_ = false;
      continue;
    }
    ++failures_;
    last_failure_ = fresh.error().message;
    wanted_.wait_for(lock, between_failures, [this] { return ending_; });
  }
}

}  // namespace mobula::client
