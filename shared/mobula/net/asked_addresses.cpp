#include <mobula/net/asked_addresses.hpp>
#include <utility>

namespace mobula::net {

void AskedAddresses::note(const transport::Address& peer, const Ip& local) {
  if (usual_ == Ip{}) usual_ = local;
  if (local == usual_) {
    if (recent_.empty() && former_.empty()) return;
    recent_.erase(peer);
    former_.erase(peer);
    return;
  }
  if (const auto found = recent_.find(peer); found != recent_.end()) {
    found->second = local;
    return;
  }
  former_.erase(peer);
  if (recent_.size() >= peers_max / 2) former_ = std::exchange(recent_, {});
  recent_.emplace(peer, local);
}

const AskedAddresses::Ip& AskedAddresses::find(const transport::Address& peer) const {
  for (const Peers* const peers : {&recent_, &former_}) {
    if (peers->empty()) continue;
    if (const auto found = peers->find(peer); found != peers->end()) return found->second;
  }
  return usual_;
}

}  // namespace mobula::net
