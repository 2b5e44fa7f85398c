#include <mobula/net/http_connection.hpp>
#include <mobula/server/cluster/etcd_messages.hpp>
#include <mobula/server/cluster/etcd_survey.hpp>
#include <utility>

namespace mobula::cluster {

EtcdSurvey::EtcdSurvey(net::EventLoop& events, core::Nanoseconds timeout) : events_(events), timeout_(timeout) {}
EtcdSurvey::~EtcdSurvey() = default;

bool EtcdSurvey::begin(const std::vector<std::string>& urls, std::uint64_t store, std::function<void()> on_end) {
  members_.resize(urls.size());
  store_ = store;
  on_end_ = std::move(on_end);
  for (std::size_t i = 0; i < urls.size(); ++i) {
    Member& member = members_[i];
    member.finding = Finding::unknown;
    if (urls[i].empty()) continue;
    ++open_;
    member.connection = std::make_unique<net::HttpConnection>(events_, urls[i], net::HttpOptions{.timeout = timeout_});
    const EtcdRequest status = etcd_status();
    member.connection->post(status.path, status.json,
                            [this, &member](const core::Result<std::string>& answer) { on_status(member, answer); });
  }
  return is_under_way();
}

void EtcdSurvey::on_status(Member& member, const core::Result<std::string>& answer) {
  if (!answer) {
    const bool is_down = std::string_view(answer.error().reason) == "not running";
    if (is_down) member.finding = Finding::no_leader;
    return end_one();
  }
  const core::Result<EtcdStatus> status = read_etcd_status(*answer);
  if (!status || (store_ != 0 && status->store != store_)) return end_one();
  member.id = status->member;
  member.finding = status->leader != 0 ? Finding::has_leader : Finding::no_leader;
  if (status->leader != status->member) return end_one();
  const EtcdRequest list = etcd_members();
  member.connection->post(list.path, list.json,
                          [this](const core::Result<std::string>& members) { on_members(members); });
}

void EtcdSurvey::on_members(const core::Result<std::string>& answer) {
  core::Result<std::set<std::uint64_t>> voters = answer ? read_etcd_voters(*answer) : answer.error();
  if (voters) voters_ = std::move(*voters);
  end_one();
}

void EtcdSurvey::end_one() {
  if (--open_ > 0) return;
  const std::function<void()> on_end = std::move(on_end_);  // it may begin the next survey
  on_end();
}

// A majority of n is n / 2 + 1 members.
bool EtcdSurvey::without_majority() const {
  std::set<std::uint64_t> leaderless;
  for (const Member& each : members_)
    if (voters_.contains(each.id) && each.finding == Finding::no_leader) leaderless.insert(each.id);
  return !voters_.empty() && leaderless.size() >= voters_.size() - voters_.size() / 2;
}

}  // namespace mobula::cluster
