#include <algorithm>
#include <mobula/core/assert.hpp>
#include <mobula/net/unanswered_streams.hpp>

namespace mobula::net {
namespace {

using transport::Address;

Address host_of(Address address) {
  address.port = 0;
  if (!address.is_v4()) std::fill(address.ip.begin() + 8, address.ip.end(), std::uint8_t{0});
  return address;
}

bool is_this_machine(const Address& address) {
  static constexpr Address loopback_v6{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
  return address.is_v4() ? address.ip[12] == 127 : address.ip == loopback_v6.ip;
}

}  // namespace

UnansweredStreams::UnansweredStreams(std::uint32_t slots, std::uint32_t streams_max, std::uint32_t per_host_max,
                                     std::uint64_t table_seed)
    : per_host_max_(per_host_max), links_(slots), hosts_(std::min(slots, streams_max), table_seed) {}

bool UnansweredStreams::host_is_full(const Address& address) const {
  if (is_this_machine(address)) return false;
  const std::uint32_t host = hosts_.find(host_of(address));
  return host != hosts_.none && hosts_[host] >= per_host_max_;
}

void UnansweredStreams::add(std::uint32_t slot, const Address& address) {
  MOBULA_ASSERT(!full() && !contains(slot), "the list is full or has the slot already");
  std::uint32_t host = hosts_.find(host_of(address));
  if (host == hosts_.none) host = hosts_.insert(host_of(address));
  ++hosts_[host];
  links_[slot] = {.older = newest_, .newer = none, .host = host};
  (newest_ == none ? oldest_ : links_[newest_].newer) = slot;
  newest_ = slot;
  ++size_;
}

void UnansweredStreams::remove(std::uint32_t slot) {
  if (!contains(slot)) return;
  const Link link = links_[slot];
  links_[slot] = {};
  (link.older == none ? oldest_ : links_[link.older].newer) = link.newer;
  (link.newer == none ? newest_ : links_[link.newer].older) = link.older;
  if (--hosts_[link.host] == 0) hosts_.erase(link.host);
  --size_;
}

void UnansweredStreams::check() const {
  [[maybe_unused]] std::uint32_t counted = 0;
  for (std::uint32_t host = 0; host < hosts_.capacity(); ++host) {
    if (!hosts_.used(host)) continue;
    MOBULA_ASSERT(hosts_[host] > 0, "a host without connections is stored");
    counted += hosts_[host];
  }
  MOBULA_ASSERT(counted == size_, "hosts miscounted");
  std::uint32_t older = none;
  for (std::uint32_t slot = oldest_; slot != none; slot = links_[slot].newer, --counted) {
    MOBULA_ASSERT(counted > 0 && contains(slot) && links_[slot].older == older, "the list by age is broken");
    older = slot;
  }
  MOBULA_ASSERT(counted == 0 && newest_ == older, "the list by age is incomplete");
}

}  // namespace mobula::net
