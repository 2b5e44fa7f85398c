#include <simulation/chance.hpp>
#include <simulation/unauthenticated_peer.hpp>

namespace mobula::sim {

void UnauthenticatedPeer::intercept(const transport::Address& from, core::ByteView datagram) {
  if (!random_.chance(1, 8)) return;
  keep_some(intercepted_, kept, Packet{from, {datagram.begin(), datagram.end()}}, random_);
}

UnauthenticatedPeer::Packet UnauthenticatedPeer::make() {
  if (intercepted_.empty() || random_.chance(1, 4)) return {own_, noise(random_, random_.below(1300))};
  Packet packet = intercepted_[random_.below(static_cast<std::uint32_t>(intercepted_.size()))];
  if (random_.chance(1, 2)) packet.from = own_;  // turns a request into one with another client's token
  if (random_.chance(1, 3) && !packet.bytes.empty())
    for (std::uint32_t flips = 1 + random_.below(4); flips > 0; --flips)
      packet.bytes[random_.below(static_cast<std::uint32_t>(packet.bytes.size()))] ^=
          static_cast<std::byte>(1u << random_.below(8));
  if (random_.chance(1, 8)) packet.bytes.resize(random_.below(static_cast<std::uint32_t>(packet.bytes.size()) + 1));
  return packet;
}

}  // namespace mobula::sim
