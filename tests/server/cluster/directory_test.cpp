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

TEST_F(DirectoryTest, AListThatIsOlderThanTheCopyIsIgnored) {
  run(100 * ms);
  put("c/a", "1");
  run(100 * ms);
  // A lagging member answers the next list.
  Reply old{.revision = directory.revision() - 1};
  while (now < 2 * Directory::list_interval) {
    now += 10 * ms;
    directory.update(client, now);
    client.advance(now);
    while (std::optional<Reply> reply = client.poll()) {
      old.request = reply->request;
      EXPECT_TRUE(directory.on_reply(old, now));
    }
  }
  EXPECT_NE(directory.find("a"), nullptr);
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
