// A lease and how long its holder may rely on it. The coordinator counts from when it handles a renewal, the holder
// from when it has sent it: so the holder's time ends first. Its clock must count the time in which the machine is
// suspended, and may be slower than the coordinator's by as much as `margin` allows.
//
// The default of NodeConfig is 2 s, renewed every 333 ms. So the next leader of etcd has at least 1.56 s to answer
// after the last one has died. Its election takes up to 0.6 s with the options of EtcdConfig, or 1.2 s if votes are
// split.
//
//   none ─► granting ─► held ─► lost          renew every sixth of the time to live
//
// While renewals fail, surveys look whether the coordinator has no majority. It ends no lease then, and nobody can be
// given what the holder has. So the holder goes on, for the time to live from each such survey.
#pragma once

#include <mobula/server/cluster/coordinator.hpp>

namespace mobula::cluster {

class LeaseHolder {
 public:
  /// Returns the time before the end in which the holder no longer relies on the lease.
  static constexpr core::Nanoseconds margin(core::Nanoseconds ttl) { return ttl / 20; }

  explicit LeaseHolder(core::Nanoseconds ttl) : ttl_(ttl) {}

  /// Sends what is due: the grant, or a renewal. Call it at least every tenth of the time to live.
  void update(Coordinator& coordinator, core::Nanoseconds now);
  /// Handles the reply to one of its requests. Returns false for others.
  bool on_reply(const Reply& reply, core::Nanoseconds now);

  /// Returns the lease. 0 before it is granted.
  [[nodiscard]] LeaseId lease() const { return lease_; }
  /// Returns the end of the time for which the holder may rely on it. 0 before it is granted.
  [[nodiscard]] core::Nanoseconds valid_until() const { return valid_until_; }
  /// Returns true if the lease has ended. It stays so: what was done under it may be another's now.
  [[nodiscard]] bool lost(core::Nanoseconds now) const { return lease_ != 0 && (ended_ || now >= valid_until_); }
  /// Returns why the last request failed. Empty after a success.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  // Interval of surveys while all is well. Later surveys know the members from them.
  static constexpr core::Nanoseconds survey_interval = 30 * core::second;

  [[nodiscard]] core::Nanoseconds interval() const { return ttl_ / 6; }
  void on_survey(const Reply& reply, core::Nanoseconds now);

  core::Nanoseconds ttl_;
  LeaseId lease_ = 0;
  RequestId request_ = 0;          // unanswered; 0 for none
  core::Nanoseconds sent_at_ = 0;  // time of the last request
  core::Nanoseconds due_ = 0;      // time of the next request
  RequestId survey_ = 0;           // unanswered; 0 for none
  core::Nanoseconds survey_sent_at_ = 0;
  core::Nanoseconds survey_due_ = 0;
  core::Nanoseconds valid_until_ = 0;
  bool ended_ = false;  // the coordinator has answered so
  std::string trouble_;
};

}  // namespace mobula::cluster
