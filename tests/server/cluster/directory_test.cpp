#include <gtest/gtest.h>

#include <mobula/server/cluster/directory.hpp>
#include <seeds.hpp>
#include <server/cluster/coordinator_twin.hpp>

namespace mobula::cluster {
namespace directory_test {

constexpr core::Nanoseconds ms = core::millisecond;

class DirectoryTest : public testing::Test {
 protected:
  void step() {
    now += 10 * ms;
    client.advance(now);
    while (const std::optional<Changes> changes = client.poll_changes()) directory.on_changes(*changes, now);
    while (const std::optional<Reply> reply = client.poll()) EXPECT_TRUE(directory.on_reply(*reply, now));
    directory.update(client, now);
  }
  void run(core::Nanoseconds time) {
    for (const core::Nanoseconds end = now + time; now < end;) step();
  }
  void put(const std::string& key, const std::string& value) { store.commit({.puts = {{key, value}}}); }
  void expect_copy() {
    std::map<std::string, KeyValue, std::less<>> expected;
    for (const KeyValue& each : store.list("c/").values) expected.emplace(each.key.substr(2), each);
    EXPECT_EQ(directory.keys(), expected);
  }

  core::Random random{1};
  test::StoreTwin store;
  test::TwinClient client{store, random};
  Directory directory{"c/"};
  core::Nanoseconds now = 0;
};

TEST_F(DirectoryTest, ListsThenFollows) {
  put("c/a", "1");
  put("d/a", "of another cluster");
  run(100 * ms);
  ASSERT_TRUE(directory.complete());
  ASSERT_NE(directory.find("a"), nullptr);
  EXPECT_EQ(directory.find("a")->value, "1");
  store.commit({.puts = {{"c/a", "2"}, {"c/b", "3"}}});
  run(100 * ms);
  EXPECT_EQ(directory.find("a")->value, "2");
  EXPECT_EQ(directory.find("b")->value, "3");
  EXPECT_EQ(directory.revision(), store.revision());
  store.commit({.erased = {"c/a"}});
  run(100 * ms);
  EXPECT_EQ(directory.find("a"), nullptr);
  expect_copy();
  EXPECT_EQ(directory.corrections(), 0u);
}

TEST_F(DirectoryTest, ValuesOfAnotherFormAreNamedUntilTheyAreMended) {
  put("c/ledgers/w", "[]");
  put("c/other/key", "of others");
  run(100 * ms);
  EXPECT_NE(directory.unreadable().find("key 'c/ledgers/w' cannot be read: "), std::string::npos)
      << directory.unreadable();
  put("c/worlds/-", "{}");
  run(100 * ms);
  EXPECT_TRUE(directory.unreadable().ends_with("(1 more like this)")) << directory.unreadable();
  put("c/ledgers/w", to_json(LedgerRecord{.version = 3}));
  store.commit({.erased = {"c/worlds/-"}});
  run(100 * ms);
  EXPECT_EQ(directory.unreadable(), "");
  EXPECT_EQ(directory.ledger("w").record.version, 3u);
}

TEST_F(DirectoryTest, IsNotCompleteBeforeTheFirstList) {
  client.network.cut = true;
  run(core::second);
  EXPECT_FALSE(directory.complete());
  EXPECT_NE(directory.trouble(), "");
  client.network.cut = false;
  run(core::second);
  EXPECT_TRUE(directory.complete());
  EXPECT_EQ(directory.trouble(), "");
}

TEST_F(DirectoryTest, AnEndedWatchIsBegunAgain) {
  run(100 * ms);
  client.network.cut = true;
  run(core::second);
  put("c/a", "1");
  store.compact();
  client.network.cut = false;
  run(core::second);
  expect_copy();
  put("c/a", "2");
  run(100 * ms);
  expect_copy();
}

// As at a member of etcd that is cut off from the others.
TEST_F(DirectoryTest, ASilentWatchIsCorrectedByTheNextList) {
  run(100 * ms);
  client.watch("elsewhere/", 1);
  put("c/a", "1");
  run(100 * ms);
  EXPECT_EQ(directory.find("a"), nullptr);
  run(Directory::list_interval);
  expect_copy();
  EXPECT_EQ(directory.corrections(), 1u);
  put("c/a", "2");
  run(100 * ms);
  expect_copy();
}

TEST_F(DirectoryTest, AListThatChangesHaveOvertakenIsIgnored) {
  run(100 * ms);
  client.advance(now += Directory::list_interval);
  directory.update(client, now);  // sends a list
  client.advance(now += ms);
  put("c/a", "1");
  while (const std::optional<Changes> changes = client.poll_changes()) directory.on_changes(*changes, now);
  client.advance(now += ms);
  const std::optional<Reply> reply = client.poll();
  ASSERT_TRUE(reply);
  ASSERT_LT(reply->revision, directory.revision());
  EXPECT_TRUE(directory.on_reply(*reply, now));
  EXPECT_NE(directory.find("a"), nullptr);
  EXPECT_FALSE(directory.went_back());
}

TEST_F(DirectoryTest, AStoreThatWentBackIsNamed) {
  put("c/a", "1");
  run(100 * ms);
  const test::StoreTwin backup = store;
  put("c/b", "2");
  run(100 * ms);
  store.restore(backup, now);
  run(Directory::list_interval + core::second);
  EXPECT_TRUE(directory.went_back());
  EXPECT_EQ(
      directory.trouble(),
      "the coordinator went back from revision 3 to 2, as after a restored backup; restart the cluster's processes");
  EXPECT_NE(directory.find("b"), nullptr) << "the copy stays as it was";
  for (int change = 0; change < 10; ++change) put("c/b", std::to_string(change));
  run(2 * Directory::list_interval);
  EXPECT_TRUE(directory.went_back()) << "until it is made anew";
  EXPECT_EQ(directory.find("b")->value, "2");
}

TEST_F(DirectoryTest, AnOlderValueOfAKeyIsNamed) {
  put("c/a", "1");
  run(100 * ms);
  const test::StoreTwin backup = store;
  put("c/a", "2");
  run(100 * ms);
  store.restore(backup, now);
  for (int change = 0; change < 10; ++change) put("d/x", "");  // more than were lost
  run(Directory::list_interval + core::second);
  EXPECT_TRUE(directory.went_back());
  EXPECT_EQ(
      directory.trouble(),
      "the coordinator went back: key 'c/a' was of revision 3 and is of 2, as after a restored backup; restart the "
      "cluster's processes");
}

TEST_F(DirectoryTest, KeysWithAnotherPrefixAreIgnored) {
  directory.update(client, now);
  EXPECT_TRUE(directory.on_reply({.request = 1, .revision = 5, .values = {{"c", "1", 1, 1}, {"d/a", "2", 2, 2}}}, now));
  ASSERT_TRUE(directory.complete());
  directory.on_changes({.revision = 6, .changes = {{.value = {"c", "3", 1, 6}}, {.value = {"d/a", "4", 2, 6}}}}, now);
  EXPECT_TRUE(directory.keys().empty());
  EXPECT_EQ(directory.revision(), 6);
}

TEST_F(DirectoryTest, EqualsTheStoreAfterAnyFaults) {
  for (std::uint64_t seed = 1; seed <= test::few_or_all(30, 300); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random = core::Random(seed);
    store = test::StoreTwin();
    client.forget();
    directory = Directory("c/");
    client.network = {.delay = core::Nanoseconds{random.below(50)} * ms, .lost_in_1000 = random.below(400)};
    for (int change = 0; change < 300; ++change) {
      const std::string key = (random.chance(1, 5) ? "d/" : "c/") + std::to_string(random.below(20));
      if (random.chance(2, 3))
        put(key, std::to_string(change));
      else
        store.commit({.erased = {key}});
      if (random.chance(1, 20)) store.compact();
      if (random.chance(1, 10)) client.network.cut = !client.network.cut;
      if (random.chance(1, 2)) step();
    }
    client.network = {};
    run(Directory::list_interval + core::second);
    expect_copy();
  }
}

}  // namespace directory_test
}  // namespace mobula::cluster
