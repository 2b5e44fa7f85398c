#include <algorithm>
#include <mobula/net/http_connection.hpp>
#include <mobula/server/cluster/etcd.hpp>
#include <mobula/server/cluster/pop_front.hpp>
#include <utility>

namespace mobula::cluster {
namespace {

const core::Error foreign{"foreign", "this etcd has another data directory than the one that answered first"};

// An answer with a status other than 2xx is etcd's own error. After any other one the member is given up.
bool is_of_etcd(const core::Error& error) { return std::string_view(error.reason) == "refused"; }

core::Error reason_of(const core::Error& error) {
  if (is_of_etcd(error)) return etcd_error(error.message);
  const bool bad = std::string_view(error.reason) == "bad answer";
  return {bad ? "bad answer" : "unreachable", error.message};
}

}  // namespace

core::Result<std::vector<std::string>> parse_members(std::string_view text) {
  constexpr std::string_view scheme = "http://";
  std::vector<std::string> members;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string_view member = text.substr(begin, end - begin);
    while (member.ends_with('/')) member.remove_suffix(1);
    if (!member.starts_with(scheme) || member.size() == scheme.size())
      return core::Error{"bad address", "'" + std::string(member) +
                                            "' is no address of etcd: expected http://HOST:PORT, several with commas"};
    members.emplace_back(member);
    begin = end + 1;
  }
  return members;
}

Etcd::Etcd(net::EventLoop& events, EtcdConfig config, std::function<void()> on_arrival)
    : events_(events), config_(std::move(config)), on_arrival_(std::move(on_arrival)) {
  requests_.timeout = watch_.timeout = config_.request_timeout;
  leases_.timeout = config_.lease_timeout;
}

Etcd::~Etcd() = default;

RequestId Etcd::list(std::string_view prefix) { return send(requests_, etcd_list(prefix)); }
RequestId Etcd::commit(const Transaction& transaction) { return send(requests_, etcd_commit(transaction)); }
RequestId Etcd::grant(core::Nanoseconds ttl) { return send(leases_, etcd_grant(ttl)); }
RequestId Etcd::keep_alive(LeaseId lease) { return send(leases_, etcd_keep_alive(lease)); }
RequestId Etcd::revoke(LeaseId lease) { return send(leases_, etcd_revoke(lease)); }

std::optional<Reply> Etcd::poll() { return pop_front(replies_); }
std::optional<Changes> Etcd::poll_changes() { return pop_front(changes_); }

net::HttpConnection& Etcd::connected(Line& line) {
  if (!line.connection)
    line.connection = std::make_unique<net::HttpConnection>(events_, config_.members[line.member],
                                                            net::HttpOptions{.timeout = line.timeout});
  return *line.connection;
}

RequestId Etcd::send(Line& line, const EtcdRequest& request) {
  line.waiting.push_back(++last_);
  connected(line).post(request.path, request.json,
                       [this, &line](core::Result<std::string> answer) { on_answer(line, std::move(answer)); });
  return last_;
}

void Etcd::on_answer(Line& line, core::Result<std::string> answer) {
  if (!answer && !is_of_etcd(answer.error())) return fail(line, reason_of(answer.error()));
  core::Result<EtcdReply> read = answer ? read_etcd_reply(*answer) : core::Result<EtcdReply>(reason_of(answer.error()));
  if (!read && std::string_view(read.error().reason) == "bad answer") return fail(line, read.error());
  if (read && !is_known_store(read->store)) return fail(line, foreign);
  Reply reply = read ? std::move(read->reply) : Reply{.error = read.error()};
  reply.request = line.waiting.front();
  line.waiting.pop_front();
  replies_.push_back(std::move(reply));
  arrive();
}

void Etcd::arrive() const {
  if (on_arrival_) on_arrival_();
}

// Ends all requests of a line. The next one goes to the next member.
void Etcd::fail(Line& line, const core::Error& error) {
  line.connection.reset();
  line.member = (line.member + 1) % config_.members.size();
  for (const RequestId request : std::exchange(line.waiting, {}))
    replies_.push_back({.request = request, .error = error});
  arrive();
}

bool Etcd::is_known_store(std::uint64_t store) {
  if (store_ == 0) store_ = store;
  return store == store_;
}

void Etcd::watch(std::string_view prefix, Revision from) {
  // A watch that is begun anew before it ended was silent: its member may be cut off from the others.
  if (watch_.connection) watch_.member = (watch_.member + 1) % config_.members.size();
  watch_.connection.reset();
  changes_.clear();
  const EtcdRequest request = etcd_watch(prefix, from);
  connected(watch_).follow(
      request.path, request.json, [this](std::string_view text) { on_watch_line(text); },
      [this](core::Result<std::string> end) {
        end_watch(end ? core::Error{"unreachable", "etcd has ended the watch"} : reason_of(end.error()));
      });
}

void Etcd::on_watch_line(std::string_view text) {
  core::Result<EtcdChanges> read = read_etcd_changes(text);
  if (!read) return end_watch(read.error());
  if (const std::optional<core::Error>& error = read->changes.error) return end_watch(*error);
  if (!is_known_store(read->store)) return end_watch(foreign);
  if (read->changes.changes.empty()) return;
  changes_.push_back(std::move(read->changes));
  arrive();
}

void Etcd::end_watch(core::Error error) {
  watch_.connection.reset();
  watch_.member = (watch_.member + 1) % config_.members.size();
  changes_.push_back({.error = std::move(error)});
  arrive();
}

}  // namespace mobula::cluster
