#include <simulation/chance.hpp>
#include <simulation/unauthenticated_peer.hpp>

namespace mobula::sim {

void UnauthenticatedPeer::overhear(const transport::Address& from, core::ByteView datagram) {
  if (!random_.chance(1, 8)) return;
  keep_some(heard_, kept, Letter{from, {datagram.begin(), datagram.end()}}, random_);
}

UnauthenticatedPeer::Letter UnauthenticatedPeer::make() {
  if (heard_.empty() || random_.chance(1, 4)) return {own_, noise(random_, random_.below(1300))};
  Letter letter = heard_[random_.below(static_cast<std::uint32_t>(heard_.size()))];
  if (random_.chance(1, 2)) letter.from = own_;  // a request so becomes one with another's token
  if (random_.chance(1, 3) && !letter.bytes.empty())
    for (std::uint32_t flips = 1 + random_.below(4); flips > 0; --flips)
      letter.bytes[random_.below(static_cast<std::uint32_t>(letter.bytes.size()))] ^=
          static_cast<std::byte>(1u << random_.below(8));
  if (random_.chance(1, 8)) letter.bytes.resize(random_.below(static_cast<std::uint32_t>(letter.bytes.size()) + 1));
  return letter;
}

}  // namespace mobula::sim
