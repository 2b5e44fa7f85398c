#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/server/cluster/etcd_messages.hpp>

namespace mobula::cluster {
namespace etcd_messages_test {

// Answers of etcd 3.4.23.
constexpr const char* header =
    R"("header":{"cluster_id":"18446744073709551615","member_id":"3","revision":"7","raft_term":"2"})";

std::string answer(std::string_view fields) { return "{" + std::string(header) + std::string(fields) + "}"; }

constexpr const char* kvs =
    R"(,"kvs":[{"key":"YS94","create_revision":"2","mod_revision":"4","version":"2","value":"MQ==","lease":"99"},)"
    R"({"key":"YS95","create_revision":"5","mod_revision":"5","version":"1"}],"count":"2")";

const std::vector<KeyValue> both{{"a/x", "1", 2, 4, 99}, {"a/y", "", 5, 5, 0}};

TEST(EtcdMessages, RequestsAreThoseOfTheGateway) {
  EXPECT_STREQ(etcd_list("a/").path, "/v3/kv/range");
  EXPECT_EQ(etcd_list("a/").json, R"({"key":"YS8=","range_end":"YTA="})");
  EXPECT_EQ(etcd_list("").json, R"({"key":"AA==","range_end":"AA=="})");
  EXPECT_EQ(etcd_list("a\xff").json, R"({"key":"Yf8=","range_end":"Yg=="})");
  EXPECT_EQ(etcd_grant(2 * core::second).json, R"({"TTL":"2"})");
  EXPECT_EQ(etcd_keep_alive(5).json, R"({"ID":"5"})");
  EXPECT_EQ(etcd_watch("a/", 8).json, R"({"create_request":{"key":"YS8=","range_end":"YTA=","start_revision":"8"}})");
}

TEST(EtcdMessages, ATransactionComparesRevisions) {
  const Transaction transaction{{{"a/x", 4}}, {{"a/y", "1", 99}}, {"a/z"}};
  EXPECT_EQ(etcd_commit(transaction).json,
            R"({"compare":[{"key":"YS94","mod_revision":"4","result":"EQUAL","target":"MOD"}],)"
            R"("failure":[{"request_range":{"key":"YS94"}}],)"
            R"("success":[{"request_put":{"key":"YS95","lease":"99","value":"MQ=="}},)"
            R"({"request_delete_range":{"key":"YS96"}}]})");
}

TEST(EtcdMessages, AListHasKeysAndRevisions) {
  const core::Result<EtcdReply> read = read_etcd_reply(answer(kvs));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->store, ~std::uint64_t{0});
  EXPECT_EQ(read->reply.revision, 7);
  EXPECT_EQ(read->reply.values, both);
}

TEST(EtcdMessages, AFailedTransactionHasTheKeysOfItsConditions) {
  const std::string range = R"({"response_range":{"header":{"revision":"7"})" + std::string(kvs) + "}}";
  const core::Result<EtcdReply> failed =
      read_etcd_reply(answer(R"(,"responses":[{"response_range":{}},)" + range + "]"));
  ASSERT_TRUE(failed.ok()) << failed.error().message;
  EXPECT_FALSE(failed->reply.committed);
  EXPECT_EQ(failed->reply.values, both);
  const core::Result<EtcdReply> made = read_etcd_reply(
      answer(R"(,"succeeded":true,"responses":[{"response_put":{}},{"response_delete_range":{"deleted":"1"}}])"));
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_TRUE(made->reply.committed);
}

TEST(EtcdMessages, ARenewalIsWrappedAndAnEndedLeaseHasNoTime) {
  EXPECT_EQ(read_etcd_reply(answer(R"(,"ID":"5","TTL":"2")"))->reply.ttl, 2 * core::second);
  EXPECT_EQ(read_etcd_reply(R"({"result":)" + answer(R"(,"ID":"5","TTL":"2")") + "}")->reply.lease, 5);
  EXPECT_EQ(read_etcd_reply(R"({"result":)" + answer(R"(,"ID":"5")") + "}")->reply.ttl, 0);
  EXPECT_EQ(read_etcd_reply(answer(R"(,"ID":"5","TTL":"-1")"))->reply.ttl, 0);
}

TEST(EtcdMessages, AStatusHasTheMemberAndItsLeader) {
  const auto status = [](const std::string& rest) {
    return read_etcd_status(R"({"header":{"cluster_id":"5","member_id":"7","revision":"1"})" + rest + "}");
  };
  const core::Result<EtcdStatus> led = status(R"(,"leader":"9","errors":[])");
  ASSERT_TRUE(led.ok()) << led.error().message;
  EXPECT_EQ(led->store, 5u);
  EXPECT_EQ(led->member, 7u);
  EXPECT_EQ(led->leader, 9u);
  EXPECT_EQ(status(R"(,"errors":["etcdserver: no leader"])")->leader, 0u);
  EXPECT_EQ(status(R"(,"leader":"0")")->leader, 0u);
  EXPECT_FALSE(status(R"(,"leader":9)").ok());
  for (const char* bad : {"", "[]", "{}", R"({"header":{"cluster_id":"5"}})", R"({"header":{"member_id":"7"}})"})
    EXPECT_STREQ(read_etcd_status(bad).error().reason, "bad answer") << bad;
}

TEST(EtcdMessages, LearnersAreNoVoters) {
  EXPECT_EQ(*read_etcd_voters(R"({"members":[{"ID":"1"},{"ID":"7","isLearner":true},{"ID":"2","isLearner":false}]})"),
            (std::set<std::uint64_t>{1, 2}));
  for (const char* bad : {"", "[]", "{}", R"({"members":[]})", R"({"members":3})", R"({"members":[{"name":"x"}]})",
                          R"({"members":[{"ID":"7","isLearner":true}]})", R"({"members":[{"ID":7}]})"})
    EXPECT_STREQ(read_etcd_voters(bad).error().reason, "bad answer") << bad;
}

TEST(EtcdMessages, AWatchHasChangesInOrder) {
  const core::Result<EtcdChanges> read = read_etcd_changes(
      R"({"result":)" +
      answer(R"(,"events":[{"kv":{"key":"YS94","create_revision":"3","mod_revision":"3","value":"MQ=="}},)"
             R"({"type":"DELETE","kv":{"key":"YS95","mod_revision":"4"}}])") +
      "}");
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->changes.changes.size(), 2u);
  EXPECT_EQ(read->changes.changes[0].value, (KeyValue{"a/x", "1", 3, 3, 0}));
  EXPECT_TRUE(read->changes.changes[1].erased);
  EXPECT_EQ(read->changes.changes[1].value, (KeyValue{.key = "a/y", .modified = 4}));
  EXPECT_EQ(read->changes.revision, 4) << "that of the header may be ahead of changes to come";
  const core::Result<EtcdChanges> begun = read_etcd_changes(R"({"result":)" + answer(R"(,"created":true)") + "}");
  EXPECT_EQ(begun->changes.revision, 0);
}

TEST(EtcdMessages, AnEndedWatchSaysWhy) {
  const auto reason = [](const std::string& json) {
    const core::Result<EtcdChanges> read = read_etcd_changes(json);
    return std::string(read && read->changes.error ? read->changes.error->reason : "none");
  };
  const std::string cancelled = R"({"result":)" + answer(R"(,"canceled":true)") + "}";
  EXPECT_EQ(reason(cancelled), "refused");
  EXPECT_EQ(reason(R"({"result":{"header":{"cluster_id":"1"},"canceled":true,"compact_revision":"9"}})"), "compacted");
  EXPECT_EQ(reason(R"({"error":{"grpc_code":14,"message":"etcdserver: no leader"}})"), "no majority");
}

TEST(EtcdMessages, ErrorsOfEtcdHaveOurNames) {
  EXPECT_STREQ(etcd_error("etcdserver: requested lease not found").reason, "no lease");
  EXPECT_STREQ(etcd_error("etcdserver: mvcc: database space exceeded").reason, "no space");
  EXPECT_STREQ(etcd_error("etcdserver: request timed out").reason, "no majority");
  EXPECT_STREQ(etcd_error("etcdserver: request is too large").reason, "refused");
  EXPECT_STREQ(etcd_error("transport is closing").reason, "bad answer") << "the request may take effect";
}

TEST(EtcdMessages, AnswersOfAnotherFormAreRefused) {
  for (const std::string& text :
       {std::string(), std::string("null"), std::string("{}"), std::string(R"({"header":{}})"),
        std::string(R"({"header":{"cluster_id":"1","revision":"0"}})"),
        std::string(R"({"header":{"cluster_id":1,"revision":"7"}})"),
        std::string(R"({"header":{"cluster_id":"1","revision":"9223372036854775808"}})"), answer(R"(,"kvs":{})"),
        answer(R"(,"kvs":[7])"), answer(R"(,"kvs":[{"key":"YS9","mod_revision":"4","create_revision":"2"}])"),
        answer(R"(,"kvs":[{"key":"","mod_revision":"4","create_revision":"2"}])"),
        answer(R"(,"kvs":[{"key":"YS94","create_revision":"2"}])"),
        answer(R"(,"kvs":[{"key":"YS94","mod_revision":"4"}])"), answer(R"(,"ID":"5","TTL":"9000000001")"),
        answer(R"(,"succeeded":"yes")"), answer(R"(,"responses":[7])"),
        answer(R"(,"responses":[{"response_range":7}])")}) {
    const core::Result<EtcdReply> read = read_etcd_reply(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_STREQ(read.error().reason, "bad answer");
  }
  for (const std::string& fields :
       {std::string(R"(,"events":[{}])"), std::string(R"(,"events":{})"),
        std::string(R"(,"events":[{"kv":{"key":"YS94","mod_revision":"4"}}])"),
        std::string(R"(,"events":[{"type":"DELETE","kv":{"key":"YS94","create_revision":"1","mod_revision":"4"}}])")})
    EXPECT_FALSE(read_etcd_changes(R"({"result":)" + answer(fields) + "}").ok()) << fields;
}

TEST(EtcdMessages, DamagedAnswersAreReadOrRefused) {
  const std::string whole = answer(kvs);
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(read_etcd_reply(whole.substr(0, size)).ok());
  core::Random random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = whole;
    for (int each = 0; each < 3; ++each)
      damaged[random.below(static_cast<std::uint32_t>(damaged.size()))] = static_cast<char>(random.below(256));
    const core::Result<EtcdReply> read = read_etcd_reply(damaged);
    if (!read) continue;
    for (const KeyValue& value : read->reply.values) EXPECT_GT(value.modified, 0) << damaged;
  }
}

}  // namespace etcd_messages_test
}  // namespace mobula::cluster
