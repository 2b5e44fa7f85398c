#include <algorithm>
#include <mobula/core/text.hpp>
#include <mobula/net/http_connection.hpp>
#include <mobula/net/ip_text.hpp>
#include <mobula/net/resolve.hpp>
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

constexpr std::string_view scheme = "http://";
constexpr std::size_t answer_bytes_max = std::size_t{256} << 20;  // a list has all keys of the cluster

core::Error bad_member(std::string_view member, const std::string& problem) {
  constexpr std::size_t member_bytes_shown = 100;
  return {"bad address", "'" + core::shown(member, member_bytes_shown) + "' is not an address of etcd: " + problem};
}

// Returns the member with its host in lower case.
core::Result<std::string> parse_member(std::string_view member) {
  if (member.empty()) return bad_member(member, "expected http://HOST:PORT, several with commas");
  const std::size_t scheme_end = member.find("://");
  if (scheme_end == std::string_view::npos)
    return bad_member(member, "the scheme is missing; expected http://HOST:PORT");
  if (!member.starts_with(scheme)) return bad_member(member, "the scheme must be http; TLS is not supported");
  std::string_view rest = member.substr(scheme.size());
  while (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.find('/') != std::string_view::npos) return bad_member(member, "a path is not possible");
  const core::Result<net::HostPort> parts = net::parse_host_port(rest, member);
  if (!parts) return parts.error();
  if (!parts->port)
    return bad_member(member, "the port is missing; expected http://HOST:PORT, the port from 1 to 65535");
  const std::uint16_t port = parts->port.value_or(0);
  if (port == 0) return bad_member(member, "the port must be from 1 to 65535");
  std::string host = parts->host;
  std::ranges::transform(host, host.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return std::string(scheme) + (parts->bracketed ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

// Makes the lookup of a member. Only names need one.
HostLookup lookup_of(std::string_view member, const LookUp& look_up) {
  if (member.starts_with(scheme)) member.remove_prefix(scheme.size());
  const core::Result<net::HostPort> parts = net::parse_remote(member, member, 0);
  if (!parts || net::parse_ip(parts->host)) return HostLookup(std::string(member));
  return {std::string(member), look_up ? look_up : look_up_host};
}

}  // namespace

core::Result<std::vector<std::string>> parse_members(std::string_view text) {
  std::vector<std::string> members;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    core::Result<std::string> member = parse_member(text.substr(begin, end - begin));
    if (!member) return member.error();
    if (std::ranges::find(members, *member) != members.end()) return bad_member(*member, "it is named twice");
    if (members.size() == members_max)
      return bad_member(*member, "at most " + std::to_string(members_max) + " members can be named");
    members.push_back(std::move(*member));
    begin = end + 1;
  }
  return members;
}

Etcd::Etcd(net::EventLoop& events, EtcdConfig config, std::function<void()> on_arrival)
    : events_(events),
      config_(std::move(config)),
      on_arrival_(std::move(on_arrival)),
      survey_(events, config_.lease_timeout) {
  requests_.timeout = watch_.timeout = config_.request_timeout;
  leases_.timeout = config_.lease_timeout;
  for (const std::string& each : config_.members) lookups_.push_back(lookup_of(each, config_.look_up));
}

Etcd::~Etcd() = default;

RequestId Etcd::list(std::string_view prefix) { return send(requests_, etcd_list(prefix)); }
RequestId Etcd::commit(const Transaction& transaction) { return send(requests_, etcd_commit(transaction)); }
RequestId Etcd::grant(core::Nanoseconds ttl) { return send(leases_, etcd_grant(ttl)); }
RequestId Etcd::keep_alive(LeaseId lease) { return send(leases_, etcd_keep_alive(lease)); }
RequestId Etcd::revoke(LeaseId lease) { return send(leases_, etcd_revoke(lease)); }

RequestId Etcd::survey() {
  const RequestId id = ++last_;
  std::vector<std::string> urls;
  for (HostLookup& lookup : lookups_) {
    if (lookup.address().empty()) lookup.start();
    urls.push_back(lookup.address().empty() ? "" : std::string(scheme) + lookup.address());
  }
  const bool begun = !survey_.is_under_way() && survey_.begin(urls, store_, [this, id] {
    replies_.push_back({.request = id, .without_majority = survey_.without_majority()});
    arrive();
  });
  if (!begun) replies_.push_back({.request = id});
  return id;
}

std::optional<Reply> Etcd::poll() {
  handle_lookups();
  return pop_front(replies_);
}
std::optional<Changes> Etcd::poll_changes() {
  handle_lookups();
  return pop_front(changes_);
}

// Returns null while the member's address is looked up.
net::HttpConnection* Etcd::connected(Line& line) {
  if (line.connection) return line.connection.get();
  HostLookup& lookup = lookups_[line.member];
  if (lookup.address().empty()) {
    lookup.start();
    return nullptr;
  }
  line.connection = std::make_unique<net::HttpConnection>(
      events_, std::string(scheme) + lookup.address(),
      net::HttpOptions{.timeout = line.timeout, .answer_bytes_max = answer_bytes_max});
  return line.connection.get();
}

RequestId Etcd::send(Line& line, EtcdRequest request) {
  line.waiting.push_back(++last_);
  post(line, std::move(request));
  return last_;
}

void Etcd::post(Line& line, EtcdRequest request) {
  net::HttpConnection* const connection = connected(line);
  if (connection == nullptr) {
    if (line.unsent.empty()) line.lookup_end = core::monotonic_now() + line.timeout;
    line.unsent.push_back(std::move(request));
  } else if (&line == &watch_) {
    connection->follow(
        request.path, request.json, [this](std::string_view text) { on_watch_line(text); },
        [this](core::Result<std::string> end) {
          fail(watch_, end ? core::Error{"unreachable", "etcd has ended the watch"} : reason_of(end.error()));
        });
  } else {
    connection->post(request.path, request.json,
                     [this, &line](core::Result<std::string> answer) { on_answer(line, std::move(answer)); });
  }
}

// Polled, since a lookup's thread cannot wake the event loop.
void Etcd::handle_lookups() {
  const core::Nanoseconds now = core::monotonic_now();
  for (std::size_t member = 0; member < lookups_.size(); ++member) {
    const std::optional<core::Error> error = lookups_[member].poll();
    for (Line* const line : {&leases_, &requests_, &watch_})
      if (line->member == member && !line->unsent.empty()) handle_lookup(*line, error, now);
  }
}

void Etcd::handle_lookup(Line& line, const std::optional<core::Error>& error, core::Nanoseconds now) {
  const HostLookup& lookup = lookups_[line.member];
  if (!lookup.address().empty()) {
    for (EtcdRequest& each : std::exchange(line.unsent, {})) post(line, std::move(each));
  } else if (error) {
    drop(line, {"unreachable", error->message});
  } else if (now >= line.lookup_end) {
    drop(line, {"unreachable", "host '" + lookup.host_and_port() + "' was not looked up within " +
                                   std::to_string(line.timeout / core::millisecond) + " ms"});
  }
}

void Etcd::on_answer(Line& line, core::Result<std::string> answer) {
  if (!answer && !is_of_etcd(answer.error())) return fail(line, reason_of(answer.error()));
  core::Result<EtcdReply> read = answer ? read_etcd_reply(*answer) : core::Result<EtcdReply>(reason_of(answer.error()));
  if (!read && std::string_view(read.error().reason) == "bad answer") return fail(line, read.error());
  if (read && !is_known_store(read->store)) return fail(line, foreign);
  member_ = config_.members[line.member];
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
  drop(line, error);
  arrive();
}

// Does the same for a caller that polls.
void Etcd::drop(Line& line, const core::Error& error) {
  line.connection.reset();
  line.unsent.clear();
  lookups_[line.member].start();  // its address may have changed
  line.member = (line.member + 1) % config_.members.size();
  member_.clear();
  if (&line == &watch_) changes_.push_back({.error = error});
  for (const RequestId request : std::exchange(line.waiting, {}))
    replies_.push_back({.request = request, .error = error});
}

bool Etcd::is_known_store(std::uint64_t store) {
  if (store_ == 0) store_ = store;
  return store == store_;
}

void Etcd::watch(std::string_view prefix, Revision from) {
  // A watch that is begun anew before it ended was silent: its member may be cut off from the others.
  if (watch_.connection) watch_.member = (watch_.member + 1) % config_.members.size();
  watch_.connection.reset();
  watch_.unsent.clear();
  changes_.clear();
  post(watch_, etcd_watch(prefix, from));
}

void Etcd::on_watch_line(std::string_view text) {
  core::Result<EtcdChanges> read = read_etcd_changes(text);
  if (!read) return fail(watch_, read.error());
  if (const std::optional<core::Error>& error = read->changes.error) return fail(watch_, *error);
  if (!is_known_store(read->store)) return fail(watch_, foreign);
  if (read->changes.changes.empty()) return;
  changes_.push_back(std::move(read->changes));
  arrive();
}

}  // namespace mobula::cluster
