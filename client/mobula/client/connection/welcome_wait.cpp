#include <algorithm>
#include <mobula/client/connection/welcome_wait.hpp>

namespace mobula::client {
namespace {

// Longest times without a part of Welcome.
constexpr core::Nanoseconds busy_patience = 60 * core::second;
constexpr core::Nanoseconds welcome_patience = 20 * core::second;
constexpr core::Nanoseconds silent_patience = 8 * core::second;
constexpr core::Nanoseconds wait_step_max = 500 * core::millisecond;
constexpr const char* path_is_narrow = "no Welcome arrives: large datagrams do not arrive (connect over tcp: or ws:)";
constexpr const char* server_is_busy =
    "the server has had Hello for 60 s and sent no Welcome: it is overloaded; try again later";
static_assert(busy_patience == 60 * core::second, "its reason contains the number");
constexpr transport::ReliableId hello_id = 1;  // the first message of a session

}  // namespace

const char* WelcomeWait::check(const transport::Session& session, core::Nanoseconds now) {
  const transport::SessionStats& stats = session.stats();
  const std::uint64_t content = stats.bytes_received - stats.datagrams_received * transport::body_header_bytes;
  waited_ += std::clamp<core::Nanoseconds>(now - std::exchange(checked_at_, now), 0, wait_step_max);
  if (content != std::exchange(content_bytes_, content)) progress_at_ = waited_;
  if (stats.datagrams_received != std::exchange(datagrams_, stats.datagrams_received)) received_at_ = waited_;
  const bool is_silent = waited_ - std::max(received_at_, progress_at_) >= silent_patience;
  const bool is_busy = !is_silent && content == 0 && session.reliable_delivered(hello_id);
  if (!is_silent && waited_ - progress_at_ < (is_busy ? busy_patience : welcome_patience)) return nullptr;
  return is_busy ? server_is_busy : path_is_narrow;
}

}  // namespace mobula::client
