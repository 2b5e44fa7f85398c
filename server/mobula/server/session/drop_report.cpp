#include <array>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/server/session/drop_report.hpp>

namespace mobula::server {
namespace {

constexpr core::Nanoseconds report_interval = 10 * core::second;
// Drops that point to a misconfigured client or an attack. The other causes are normal on a network.
constexpr std::array reported_drops{transport::Drop::wrong_version,
                                    transport::Drop::wrong_protocol,
                                    transport::Drop::token_expired,
                                    transport::Drop::address_limit,
                                    transport::Drop::global_limit,
                                    transport::Drop::token_forged,
                                    transport::Drop::token_malformed,
                                    transport::Drop::other_server,
                                    transport::Drop::client_in_use,
                                    transport::Drop::token_used,
                                    transport::Drop::used_tokens_full,
                                    transport::Drop::handshakes_full,
                                    transport::Drop::flood};

// A token that is younger than its expiry suggests was made by a machine whose clock is behind.
std::string expiry_note(std::uint64_t seconds) {
  return core::format(
      "; the last token expired {} s ago, by the clock of this machine: if it is younger, synchronise the clocks of "
      "both machines (NTP)",
      seconds);
}

}  // namespace

void DropReport::update(core::Nanoseconds now) {
  if (now < next_report_) return;
  transport::DropCounters drops;
  for (const transport::Drop drop : reported_drops)
    drops.counts[static_cast<std::size_t>(drop)] = endpoint_.counters().dropped.of(drop);
  std::string dropped = transport::describe_new(drops, reported_);
  if (drops.of(transport::Drop::token_expired) > reported_.of(transport::Drop::token_expired))
    dropped += expiry_note(endpoint_.counters().expired_by);
  reported_ = drops;
  if (dropped.empty()) return;
  next_report_ = now + report_interval;
  core::log_warn("server", "datagrams dropped: {}", dropped);
}

}  // namespace mobula::server
