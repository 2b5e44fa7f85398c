// The coordinator over a real etcd, and the same requests to its twin.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <client/program.hpp>
#include <mobula/server/cluster/etcd.hpp>
#include <server/cluster/coordinator_twin.hpp>

namespace mobula::cluster {
namespace etcd_test {

constexpr core::Nanoseconds ms = core::millisecond;
constexpr const char* etcd_program = "/usr/bin/etcd";

// Ports that are free now.
std::vector<int> free_ports(int count) {
  std::vector<int> sockets;
  std::vector<int> ports;
  for (int i = 0; i < count; ++i) {
    sockets.push_back(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(sockets.back(), reinterpret_cast<const sockaddr*>(&address), size);
    ::getsockname(sockets.back(), reinterpret_cast<sockaddr*>(&address), &size);
    ports.push_back(ntohs(address.sin_port));
  }
  for (const int each : sockets) ::close(each);
  return ports;
}

std::string url(int port) { return "http://127.0.0.1:" + std::to_string(port); }

// An etcd of one or three members.
class Members {
 public:
  explicit Members(int count)
      : folder_(fs::path(std::getenv("TEST_MEMORY_TMPDIR") != nullptr ? std::getenv("TEST_MEMORY_TMPDIR")
                                                                      : testing::TempDir()) /
                ("etcd." + std::to_string(::getpid()) + "." + std::to_string(++made))),
        client_ports_(free_ports(2 * count)) {
    peer_ports_.assign(client_ports_.begin() + count, client_ports_.end());
    client_ports_.resize(static_cast<std::size_t>(count));
    fs::create_directories(folder_);
    for (std::size_t i = 0; i < client_ports_.size(); ++i) start(i);
  }
  ~Members() {
    programs_.clear();
    fs::remove_all(folder_);
  }

  [[nodiscard]] std::vector<std::string> urls() const {
    std::vector<std::string> all;
    for (const int each : client_ports_) all.push_back(url(each));
    return all;
  }
  [[nodiscard]] const fs::path& folder() const { return folder_; }
  void kill(std::size_t member) { programs_.at(member).reset(); }
  void pause(std::size_t member) { programs_.at(member)->signal(SIGSTOP); }
  void resume(std::size_t member) { programs_.at(member)->signal(SIGCONT); }
  void start(std::size_t member) {
    std::string all;
    for (std::size_t i = 0; i < peer_ports_.size(); ++i)
      all += (i > 0 ? ",m" : "m") + std::to_string(i) + "=" + url(peer_ports_[i]);
    const std::string name = "m" + std::to_string(member);
    programs_.resize(std::max(programs_.size(), member + 1));
    programs_[member] = std::make_unique<Program>(
        folder_, etcd_program,
        std::vector<std::string>{"--name", name, "--data-dir", (folder_ / name).string(), "--listen-client-urls",
                                 url(client_ports_[member]), "--advertise-client-urls", url(client_ports_[member]),
                                 "--listen-peer-urls", url(peer_ports_[member]), "--initial-advertise-peer-urls",
                                 url(peer_ports_[member]), "--initial-cluster", all, "--unsafe-no-fsync"});
  }

 private:
  static inline int made = 0;

  fs::path folder_;
  std::vector<int> client_ports_;
  std::vector<int> peer_ports_;
  std::vector<std::unique_ptr<Program>> programs_;
};

class EtcdTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(etcd_program)) GTEST_SKIP() << "needs Debian's etcd-server";
  }
  void open(int members = 1) {
    cluster.emplace(members);
    etcd.emplace(events, EtcdConfig{.members = cluster->urls()});
    ASSERT_TRUE(answers());
  }
  // Waits until etcd answers a list.
  bool answers() {
    for (const auto end = core::monotonic_now() + 60 * core::second; core::monotonic_now() < end;) {
      if (!reply_to(etcd->list("x")).error) return true;
      events.run_until(core::monotonic_now() + 20 * ms);
    }
    return false;
  }
  Reply reply_to(RequestId request) {
    for (const auto end = core::monotonic_now() + 20 * core::second; core::monotonic_now() < end;) {
      while (std::optional<Reply> reply = etcd->poll())
        if (reply->request == request) return *reply;
      events.run_until(core::monotonic_now() + ms);
    }
    ADD_FAILURE() << "request " << request << " has no answer";
    return {};
  }
  // Waits for changes, or the end of the watch.
  std::optional<Changes> changes() {
    for (const auto end = core::monotonic_now() + 20 * core::second; core::monotonic_now() < end;) {
      if (std::optional<Changes> some = etcd->poll_changes()) return some;
      events.run_until(core::monotonic_now() + ms);
    }
    return std::nullopt;
  }
  static std::string reason(const Reply& reply) { return reply.error ? reply.error->reason : ""; }

  net::EventLoop events;
  std::optional<Members> cluster;
  std::optional<Etcd> etcd;
};

TEST_F(EtcdTest, AnswersAsItsTwinDoes) {
  open();
  core::Random random(1);
  test::StoreTwin twin;
  // Revisions and leases count differently: those of the twin by those of etcd.
  const Revision ahead = reply_to(etcd->list("c/")).revision - twin.revision();
  const Reply lease = reply_to(etcd->grant(60 * core::second));
  const LeaseId twin_lease = twin.grant(60 * core::second, 0).lease;
  EXPECT_EQ(lease.ttl, 60 * core::second);
  const auto expect_same_keys = [&] {
    const Reply ours = reply_to(etcd->list("c/"));
    Reply expected = twin.list("c/");
    for (KeyValue& each : expected.values) {
      each.created += ahead;
      each.modified += ahead;
      if (each.lease != 0) each.lease = lease.lease;
    }
    EXPECT_EQ(ours.values, expected.values);
    EXPECT_EQ(ours.revision, expected.revision + ahead);
  };
  etcd->watch("c/", twin.revision() + ahead + 1);
  const Revision begin = twin.revision() + 1;
  for (int round = 0; round < 200; ++round) {
    Transaction ours;
    std::set<std::string> keys;
    const std::uint32_t size = 1 + random.below(3);
    while (keys.size() < size) keys.insert("c/" + std::string(1, static_cast<char>('a' + random.below(6))));
    for (const std::string& key : keys) {
      const Reply known = twin.list(key);
      const Revision modified = known.values.empty() ? 0 : known.values.front().modified + ahead;
      if (random.chance(1, 2)) ours.conditions.push_back({key, random.chance(3, 4) ? modified : modified + 1});
      if (random.chance(1, 3))
        ours.erased.push_back(key);
      else
        ours.puts.push_back({key, std::to_string(round), random.chance(1, 3) ? lease.lease : 0});
    }
    Transaction theirs = ours;
    for (Condition& each : theirs.conditions) each.modified -= each.modified > 1 ? ahead : 0;
    for (Put& each : theirs.puts) each.lease = each.lease != 0 ? twin_lease : 0;
    const Reply got = reply_to(etcd->commit(ours));
    const Reply expected = twin.commit(theirs);
    ASSERT_EQ(reason(got), reason(expected)) << round;
    ASSERT_EQ(got.committed, expected.committed) << round;
    ASSERT_EQ(got.values.size(), expected.values.size()) << round;
  }
  expect_same_keys();
  for (Revision from = begin; std::optional<Changes> expected = twin.changes("c/", from);) {
    std::optional<Changes> got = changes();
    ASSERT_TRUE(got && !got->error) << from;
    // etcd may send several revisions at once.
    std::size_t checked = 0;
    while (checked < got->changes.size()) {
      ASSERT_TRUE(expected);
      for (const Change& each : expected->changes) {
        ASSERT_LT(checked, got->changes.size());
        EXPECT_EQ(got->changes[checked].value.key, each.value.key);
        EXPECT_EQ(got->changes[checked].value.value, each.value.value);
        EXPECT_EQ(got->changes[checked].value.modified, each.value.modified + ahead);
        EXPECT_EQ(got->changes[checked++].erased, each.erased);
      }
      from = expected->revision + 1;
      if (checked < got->changes.size()) expected = twin.changes("c/", from);
    }
  }
  reply_to(etcd->revoke(lease.lease));
  twin.revoke(twin_lease);
  expect_same_keys();
  EXPECT_EQ(reason(reply_to(etcd->revoke(lease.lease))), reason(twin.revoke(twin_lease)));
  EXPECT_EQ(reply_to(etcd->keep_alive(lease.lease)).ttl, 0);
  EXPECT_EQ(reason(reply_to(etcd->commit({.puts = {{"c/x", "", lease.lease}}}))), "no lease");
}

TEST_F(EtcdTest, KeysOfALeaseEndWithIt) {
  open();
  const Reply lease = reply_to(etcd->grant(2 * core::second));
  reply_to(etcd->commit({.puts = {{"c/a", "1", lease.lease}}}));
  const Revision from = reply_to(etcd->list("c/")).revision + 1;
  etcd->watch("c/", from);
  EXPECT_EQ(reply_to(etcd->keep_alive(lease.lease)).ttl, 2 * core::second);
  const std::optional<Changes> ended = changes();
  ASSERT_TRUE(ended && !ended->error);
  EXPECT_TRUE(ended->changes.front().erased);
  EXPECT_EQ(reply_to(etcd->keep_alive(lease.lease)).ttl, 0);
}

TEST_F(EtcdTest, OneMemberOfThreeMayFail) {
  open(3);
  ASSERT_TRUE(reply_to(etcd->commit({.puts = {{"c/a", "1"}}})).committed);
  etcd->watch("c/", 1);
  ASSERT_TRUE(changes());
  cluster->kill(0);
  ASSERT_TRUE(answers());
  ASSERT_TRUE(reply_to(etcd->commit({.puts = {{"c/a", "2"}}})).committed);
  EXPECT_EQ(reply_to(etcd->list("c/")).values.front().value, "2");
  const std::optional<Changes> ended = changes();
  ASSERT_TRUE(ended);
  EXPECT_TRUE(ended->error) << "the watch was at the member that was killed";
  etcd->watch("c/", 1);
  EXPECT_FALSE(changes()->error);
}

TEST_F(EtcdTest, WithoutAMajorityCommitsFail) {
  open(3);
  cluster->pause(1);
  cluster->pause(2);
  const std::string why = reason(reply_to(etcd->commit({.puts = {{"c/a", "1"}}})));
  EXPECT_TRUE(why == "unreachable" || why == "no majority") << why;
  cluster->resume(1);
  cluster->resume(2);
  EXPECT_TRUE(answers());
}

TEST_F(EtcdTest, AnotherStoreIsNamed) {
  open();
  Members another(1);
  etcd.emplace(events, EtcdConfig{.members = another.urls()});
  ASSERT_TRUE(answers());
  etcd.emplace(events, EtcdConfig{.members = {cluster->urls().front(), another.urls().front()}});
  ASSERT_TRUE(answers());
  cluster->kill(0);
  std::string why;
  for (int tries = 0; tries < 20 && why != "foreign"; ++tries) why = reason(reply_to(etcd->list("c/")));
  EXPECT_EQ(why, "foreign");
}

TEST_F(EtcdTest, AWatchOfCompactedRevisionsEnds) {
  open();
  for (int i = 0; i < 5; ++i) reply_to(etcd->commit({.puts = {{"c/a", std::to_string(i)}}}));
  const Revision now = reply_to(etcd->list("c/")).revision;
  Program compact(cluster->folder(), "/usr/bin/etcdctl",
                  {"--endpoints", cluster->urls().front(), "compact", std::to_string(now)});
  ASSERT_EQ(compact.wait(), 0) << compact.err();
  etcd->watch("c/", 1);
  const std::optional<Changes> ended = changes();
  ASSERT_TRUE(ended && ended->error);
  EXPECT_STREQ(ended->error->reason, "compacted") << ended->error->message;
}

TEST(Etcd, UnreachableMembersAreNamed) {
  net::EventLoop events;
  Etcd etcd(events, {.members = {url(free_ports(1).front())}});
  const RequestId request = etcd.list("c/");
  std::optional<Reply> reply;
  while (!(reply = etcd.poll())) events.run_until(core::monotonic_now() + ms);
  EXPECT_EQ(reply->request, request);
  EXPECT_STREQ(reply->error->reason, "unreachable");
}

TEST(Etcd, MembersAreUrls) {
  EXPECT_EQ(*parse_members("http://a:2379,http://b:2379/"),
            (std::vector<std::string>{"http://a:2379", "http://b:2379"}));
  for (const char* text : {"", "a:2379", "http://", "http://a:2379,", "https://a:2379"})
    EXPECT_STREQ(parse_members(text).error().reason, "bad address") << text;
}

}  // namespace etcd_test
}  // namespace mobula::cluster
