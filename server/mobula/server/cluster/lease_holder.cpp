#include <algorithm>
#include <mobula/server/cluster/lease_holder.hpp>

namespace mobula::cluster {

void LeaseHolder::update(Coordinator& coordinator, core::Nanoseconds now) {
  if (request_ != 0 || now < due_ || lost(now)) return;
  request_ = lease_ == 0 ? coordinator.grant(ttl_) : coordinator.keep_alive(lease_);
  sent_at_ = now;
  due_ = now + interval();
}

bool LeaseHolder::on_reply(const Reply& reply, core::Nanoseconds now) {
  if (request_ == 0 || reply.request != request_) return false;
  request_ = 0;
  trouble_ = reply.error ? reply.error->message : "";
  if (reply.error) {
    due_ = std::min(due_, now + interval() / 4);
    return true;
  }
  if (lost(now)) return true;
  if (lease_ == 0) lease_ = reply.lease;
  if (reply.ttl == 0)
    ended_ = true;
  else
    valid_until_ = sent_at_ + std::min(reply.ttl, ttl_) - margin(ttl_);
  return true;
}

}  // namespace mobula::cluster
