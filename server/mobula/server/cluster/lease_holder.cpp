#include <algorithm>
#include <mobula/server/cluster/lease_holder.hpp>

namespace mobula::cluster {

void LeaseHolder::update(Coordinator& coordinator, core::Nanoseconds now) {
  if (lost(now)) return;
  if (lease_ != 0 && survey_ == 0 && now >= survey_due_) {
    survey_ = coordinator.survey();
    survey_sent_at_ = now;
  }
  if (request_ != 0 || now < due_) return;
  request_ = lease_ == 0 ? coordinator.grant(ttl_) : coordinator.keep_alive(lease_);
  sent_at_ = now;
  due_ = now + interval();
}

void LeaseHolder::on_survey(const Reply& reply, core::Nanoseconds now) {
  survey_ = 0;
  survey_due_ = now + (trouble_.empty() ? survey_interval : interval() / 4);
  if (reply.without_majority && !lost(now))
    valid_until_ = std::max(valid_until_, survey_sent_at_ + ttl_ - margin(ttl_));
}

bool LeaseHolder::on_reply(const Reply& reply, core::Nanoseconds now) {
  if (survey_ != 0 && reply.request == survey_) {
    on_survey(reply, now);
    return true;
  }
  if (request_ == 0 || reply.request != request_) return false;
  request_ = 0;
  trouble_ = reply.error ? reply.error->message : "";
  if (reply.error) {
    due_ = std::min(due_, now + interval() / 4);
    survey_due_ = std::min(survey_due_, now);
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
