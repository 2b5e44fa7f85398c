// The coordinator over a real etcd, and the same requests to its twin.
#include <gtest/gtest.h>

#include <mobula/server/cluster/etcd.hpp>
#include <semaphore>
#include <server/cluster/coordinator_twin.hpp>
#include <server/cluster/etcd_members.hpp>

namespace mobula::cluster {
namespace etcd_test {

constexpr core::Nanoseconds ms = core::millisecond;
using test::etcd_program;
using test::free_ports;
using test::Members;
using test::url;

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

// etcd and its twin with the same keys. Their revisions and leases count differently.
class EtcdAndTwin : public EtcdTest {
 protected:
  void open_both() {
    open();
    ahead = reply_to(etcd->list("c/")).revision - twin.revision();
    lease = reply_to(etcd->grant(60 * core::second)).lease;
    twin_lease = twin.grant(60 * core::second, 0).lease;
  }
  // Makes a transaction of up to three keys, some of whose conditions do not hold.
  Transaction random_transaction(int round) {
    Transaction made;
    std::set<std::string> keys;
    const std::uint32_t size = 1 + random.below(3);
    while (keys.size() < size) keys.insert("c/" + std::string(1, static_cast<char>('a' + random.below(6))));
    for (const std::string& key : keys) {
      const Reply known = twin.list(key);
      const Revision modified = known.values.empty() ? 0 : known.values.front().modified + ahead;
      if (random.chance(1, 2)) made.conditions.push_back({key, random.chance(3, 4) ? modified : modified + 1});
      if (random.chance(1, 3))
        made.erased.push_back(key);
      else
        made.puts.push_back({key, std::to_string(round), random.chance(1, 3) ? lease : 0});
    }
    return made;
  }
  void commit_to_both(const Transaction& transaction) {
    Transaction theirs = transaction;
    for (Condition& each : theirs.conditions) each.modified -= each.modified > 1 ? ahead : 0;
    for (Put& each : theirs.puts) each.lease = each.lease != 0 ? twin_lease : 0;
    const Reply got = reply_to(etcd->commit(transaction));
    const Reply expected = twin.commit(theirs);
    ASSERT_EQ(reason(got), reason(expected));
    ASSERT_EQ(got.committed, expected.committed);
    ASSERT_EQ(got.values.size(), expected.values.size());
  }
  void expect_same_keys() {
    const Reply ours = reply_to(etcd->list("c/"));
    Reply expected = twin.list("c/");
    for (KeyValue& each : expected.values) {
      each.created += ahead;
      each.modified += ahead;
      if (each.lease != 0) each.lease = lease;
    }
    EXPECT_EQ(ours.values, expected.values);
    EXPECT_EQ(ours.revision, expected.revision + ahead);
  }
  // Compares the changes of the watch with all of the twin's from a revision on. etcd may send several at once.
  void expect_same_changes(Revision from) {
    std::vector<Change> expected;
    while (const std::optional<Changes> some = twin.changes("c/", from, core::monotonic_now())) {
      expected.insert(expected.end(), some->changes.begin(), some->changes.end());
      from = some->revision + 1;
    }
    std::vector<Change> got;
    while (got.size() < expected.size()) {
      const std::optional<Changes> some = changes();
      ASSERT_TRUE(some && !some->error);
      got.insert(got.end(), some->changes.begin(), some->changes.end());
    }
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].value.key, expected[i].value.key);
      EXPECT_EQ(got[i].value.value, expected[i].value.value);
      EXPECT_EQ(got[i].value.modified, expected[i].value.modified + ahead);
      EXPECT_EQ(got[i].erased, expected[i].erased);
    }
  }

  core::Random random{1};
  test::StoreTwin twin;
  Revision ahead = 0;  // etcd's revisions are greater by it
  LeaseId lease = 0;
  LeaseId twin_lease = 0;
};

TEST_F(EtcdAndTwin, HaveTheSameOutcomes) {
  open_both();
  const Revision begin = twin.revision() + 1;
  etcd->watch("c/", begin + ahead);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    ASSERT_NO_FATAL_FAILURE(commit_to_both(random_transaction(round)));
  }
  expect_same_keys();
  expect_same_changes(begin);
  reply_to(etcd->revoke(lease));
  twin.revoke(twin_lease);
  expect_same_keys();
  EXPECT_EQ(reason(reply_to(etcd->revoke(lease))), reason(twin.revoke(twin_lease)));
  EXPECT_EQ(reply_to(etcd->keep_alive(lease)).ttl, 0);
  EXPECT_EQ(reason(reply_to(etcd->commit({.puts = {{"c/x", "", lease}}}))), "no lease");
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
  std::string why;  // members may agree once more before the signals reach them
  for (int tries = 0; tries < 10 && why.empty(); ++tries)
    why = reason(reply_to(etcd->commit({.puts = {{"c/a", std::to_string(tries)}}})));
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

TEST_F(EtcdTest, AHostNameIsLookedUp) {
  open();
  const std::string address = cluster->urls().front().substr(std::string("http://").size());
  const std::string port = address.substr(address.find(':'));
  etcd.emplace(events, EtcdConfig{.members = {"http://etcd.test" + port}, .look_up = [address](const std::string&) {
                                    return core::Result<std::string>(address);
                                  }});
  ASSERT_TRUE(answers());
  EXPECT_EQ(etcd->member(), "http://etcd.test" + port);
  etcd->watch("c/", reply_to(etcd->list("c/")).revision + 1);
  ASSERT_TRUE(reply_to(etcd->commit({.puts = {{"c/a", "1"}}})).committed);
  EXPECT_FALSE(changes()->error);
  cluster->kill(0);
  EXPECT_NE(reason(reply_to(etcd->list("c/"))), "");
  EXPECT_EQ(etcd->member(), "");
}

// Lookups that end when the test lets them, or after 3 s.
class Lookups {
 public:
  LookUp function() {
    return [gate = gate_](const std::string& host) -> core::Result<std::string> {
      if (gate->try_acquire_for(std::chrono::seconds(3))) gate->release();
      return core::Error{"unknown host", "cannot find host '" + host + "'"};
    };
  }
  void end() { gate_->release(); }

 private:
  std::shared_ptr<std::binary_semaphore> gate_ = std::make_shared<std::binary_semaphore>(0);
};

// Returns the error of a request. The longest time without control goes to `longest`.
core::Error await_error(net::EventLoop& events, Etcd& etcd, RequestId request, core::Nanoseconds& longest) {
  core::Nanoseconds before = core::monotonic_now();
  for (const core::Nanoseconds end = before + 20 * core::second; before < end;) {
    const std::optional<Reply> reply = etcd.poll();
    events.run_until(core::monotonic_now() + ms);
    const core::Nanoseconds now = core::monotonic_now();
    longest = std::max(longest, now - std::exchange(before, now));
    if (reply && reply->request == request) return reply->error.value_or(core::Error{"none", "none"});
  }
  return {"unanswered", "unanswered"};
}

TEST(Etcd, AHungLookupEndsInTimeAndBlocksNothing) {
  Lookups lookups;
  core::Nanoseconds longest = 0;
  const core::Nanoseconds begin = core::monotonic_now();
  {
    net::EventLoop events;
    Etcd etcd(events,
              {.members = {"http://slow.test:2379", url(free_ports(1).front())}, .look_up = lookups.function()});
    etcd.watch("c/", 1);
    const core::Error error = await_error(events, etcd, etcd.keep_alive(7), longest);
    EXPECT_GE(core::monotonic_now() - begin, core::second / 2);
    EXPECT_STREQ(error.reason, "unreachable");
    EXPECT_EQ(error.message, "host 'slow.test:2379' was not looked up within 500 ms");
    const core::Error next = await_error(events, etcd, etcd.keep_alive(7), longest);
    EXPECT_NE(next.message.find("Connection refused"), std::string::npos) << next.message;
  }  // while the lookup hangs
  EXPECT_LT(core::monotonic_now() - begin, 2 * core::second);
  EXPECT_LT(longest, core::second);
  lookups.end();
}

TEST(Etcd, AnUnknownHostIsNamed) {
  Lookups lookups;
  lookups.end();
  net::EventLoop events;
  Etcd etcd(events, {.members = {"http://none.test:2379"}, .look_up = lookups.function()});
  core::Nanoseconds longest = 0;
  for (int tries = 0; tries < 3; ++tries) {
    const core::Error error = await_error(events, etcd, etcd.list("c/"), longest);
    EXPECT_STREQ(error.reason, "unreachable");
    EXPECT_EQ(error.message, "cannot find host 'none.test:2379'");
  }
  etcd.watch("c/", 1);
  std::optional<Changes> ended;
  while (!(ended = etcd.poll_changes())) events.run_until(core::monotonic_now() + ms);
  EXPECT_EQ(ended->error->message, "cannot find host 'none.test:2379'");
}

TEST(Etcd, MembersAreUrls) {
  EXPECT_EQ(*parse_members("http://a:2379,http://B.test:2379/,http://[::1]:65535"),
            (std::vector<std::string>{"http://a:2379", "http://b.test:2379", "http://[::1]:65535"}));
}

TEST(Etcd, ARefusedMemberNamesThePartAndTheLimit) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "expected http://HOST:PORT"},
      {"http://a:2379,", "expected http://HOST:PORT"},
      {"a:2379", "the scheme is missing"},
      {"https://a:2379", "the scheme must be http"},
      {"http://", "the host is missing"},
      {"http://:2379", "the host is missing"},
      {"http://u@a:2379", "a host name has only letters"},
      {"http://::1:2379", "an IPv6 address is written in brackets"},
      {"http://a", "the port is missing"},
      {"http://a:0", "the port must be from 1 to 65535"},
      {"http://a:65536", "at most 65535"},
      {"http://a:x", "the port must be a number"},
      {"http://a:2379/v3", "a path is not possible"},
      {"http://a:2379,http://A:2379/", "it is named twice"},
  };
  for (const auto& [text, part] : cases) {
    const core::Result<std::vector<std::string>> members = parse_members(text);
    ASSERT_FALSE(members.ok()) << text;
    EXPECT_STREQ(members.error().reason, "bad address") << text;
    EXPECT_NE(members.error().message.find(part), std::string::npos) << members.error().message;
  }
  std::string many = "http://a:1";
  for (std::size_t port = 2; port <= members_max; ++port) many += ",http://a:" + std::to_string(port);
  EXPECT_EQ(parse_members(many)->size(), members_max);
  EXPECT_EQ(parse_members(many + ",http://b:1").error().message,
            "'http://b:1' is not an address of etcd: at most 16 members can be named");
}

}  // namespace etcd_test
}  // namespace mobula::cluster
