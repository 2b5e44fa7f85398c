#include <gtest/gtest.h>

#include <algorithm>
#include <mobula/client/connection/resource_memory.hpp>
#include <server/hamlet.hpp>

namespace mobula::client::resource_memory_test {
namespace {

core::ContentHash identity() { return test::hamlet()->identity(); }
core::ByteView bytes() { return test::hamlet()->clients_bytes(); }
core::ContentHash other() { return test::rebuilt_hamlet()->identity(); }
core::ByteView other_bytes() { return test::rebuilt_hamlet()->clients_bytes(); }

std::string reason(const core::Status& status) { return status ? "none" : status.error().reason; }

void receive(ResourceMemory& store, const core::ContentHash& wanted, core::ByteView content) {
  auto reception = store.receive(wanted, content.size());
  ASSERT_TRUE(reception.ok()) << reception.error().message;
  EXPECT_TRUE((*reception)->append(0, content).value());
}

TEST(ResourceMemory, AReceivedResourceIsFoundAndHandedOutOnce) {
  ResourceMemory store;
  EXPECT_EQ(store.find(identity()), nullptr);
  EXPECT_EQ(store.next_received(), nullptr);
  receive(store, identity(), bytes());
  ASSERT_NE(store.find(identity()), nullptr);
  const auto received = store.next_received();
  ASSERT_NE(received, nullptr);
  EXPECT_TRUE(std::ranges::equal(received->bytes(), bytes()));
  EXPECT_EQ(store.next_received(), nullptr);
  EXPECT_NE(store.find(identity()), nullptr) << "it stays in the store";
}

TEST(ResourceMemory, AnAddedResourceIsFoundAndNotHandedOut) {
  ResourceMemory store;
  ASSERT_TRUE(store.add(bytes()).ok());
  ASSERT_TRUE(store.add(bytes()).ok()) << "adding it again changes nothing";
  EXPECT_NE(store.find(identity()), nullptr);
  EXPECT_EQ(store.newest(9).size(), 1u);
  EXPECT_EQ(store.next_received(), nullptr);
}

TEST(ResourceMemory, BadBytesAreNotAdded) {
  ResourceMemory store;
  core::Bytes damaged(bytes().begin(), bytes().end());
  damaged[damaged.size() / 2] ^= std::byte{1};
  EXPECT_EQ(reason(store.add(damaged)), "damaged");
  EXPECT_EQ(reason(store.add({})), "too large");
  EXPECT_EQ(reason(store.add(bytes().first(bytes().size() - 1))), "truncated");
  EXPECT_EQ(reason(store.add(test::hamlet()->bytes())), "not a client's copy");
  EXPECT_TRUE(store.newest(9).empty());
}

TEST(ResourceMemory, AnInterruptedTransferContinues) {
  ResourceMemory store;
  EXPECT_FALSE((*store.receive(identity(), bytes().size()))->append(0, bytes().first(333)).value());
  auto reception = store.receive(identity(), bytes().size());
  ASSERT_TRUE(reception.ok());
  EXPECT_EQ((*reception)->received(), 333u);
  EXPECT_TRUE((*reception)->append(333, bytes().subspan(333)).value());
  EXPECT_NE(store.find(identity()), nullptr);
}

TEST(ResourceMemory, APartEndsWithTheReceptionOfAnother) {
  ResourceMemory store;
  EXPECT_FALSE((*store.receive(identity(), bytes().size()))->append(0, bytes().first(333)).value());
  receive(store, other(), other_bytes());
  EXPECT_EQ((*store.receive(identity(), bytes().size()))->received(), 0u);
}

TEST(ResourceMemory, APartAsLongAsTheResourceIsDropped) {
  ResourceMemory store;
  EXPECT_FALSE((*store.receive(identity(), bytes().size()))->append(0, bytes().first(500)).value());
  EXPECT_EQ((*store.receive(identity(), 500))->received(), 0u);
}

TEST(ResourceMemory, OneResourceIsReceivedAtATime) {
  ResourceMemory store;
  const auto first = store.receive(identity(), bytes().size());
  ASSERT_TRUE(first.ok());
  for (const core::ContentHash& wanted : {identity(), other()}) {
    const auto second = store.receive(wanted, 1000);
    ASSERT_FALSE(second.ok());
    EXPECT_STREQ(second.error().reason, "busy");
  }
}

// A level was replaced and put back while it was received, so two requests for it are answered one after the other.
TEST(ResourceMemory, PartsOfAFormerRequestAreSkipped) {
  const std::size_t size = bytes().size();
  for (const std::size_t seen : {std::size_t{0}, std::size_t{7}, size / 2})
    for (const std::size_t step : {std::size_t{1}, std::size_t{9}, size}) {
      ResourceMemory store;
      auto reception = store.receive(identity(), size);
      const auto send = [&](std::size_t begin, std::size_t end, std::size_t each) {
        bool whole = false;
        for (std::size_t at = begin; at < end && !whole; at += each) {
          const core::Result<bool> appended = (*reception)->append(at, bytes().subspan(at, std::min(each, end - at)));
          EXPECT_TRUE(appended.ok()) << appended.error().message;
          whole = appended && *appended;
        }
        return whole;
      };
      EXPECT_FALSE(send(seen, size - 1, 10)) << "the former request's";
      EXPECT_TRUE(send(0, size, step));
      EXPECT_NE(store.find(identity()), nullptr);
    }
}

TEST(ResourceMemory, EndlessPartsOutOfOrderAreRefused) {
  ResourceMemory store;
  const std::size_t size = bytes().size();
  auto reception = store.receive(identity(), size);
  for (std::uint64_t skipped = size - 1; skipped <= skipped_bytes_max; skipped += size - 1)
    ASSERT_FALSE((*reception)->append(1, bytes().subspan(1)).value());
  const core::Result<bool> more = (*reception)->append(1, bytes().subspan(1));
  ASSERT_FALSE(more.ok());
  EXPECT_STREQ(more.error().reason, "out of order");
}

TEST(ResourceMemory, PartsThatDoNotFitAreRefused) {
  ResourceMemory store;
  auto reception = store.receive(identity(), bytes().size());
  const auto refused = [&](std::uint64_t offset, core::ByteView part) {
    const core::Result<bool> result = (*reception)->append(offset, part);
    return std::string(result ? "none" : result.error().reason);
  };
  EXPECT_EQ(refused(bytes().size() + 1, {}), "too large");
  EXPECT_EQ(refused(~std::uint64_t{0}, bytes().first(10)), "too large");
  EXPECT_EQ(refused(0, core::Bytes(bytes().size() + 1)), "too large");
  EXPECT_TRUE((*reception)->under_way());
  EXPECT_TRUE((*reception)->append(0, bytes()).value());
  EXPECT_EQ(refused(bytes().size(), {}), "out of order") << "it is complete";
}

TEST(ResourceMemory, OtherBytesThanAnnouncedAreDiscarded) {
  ResourceMemory store;
  for (const core::ByteView content : {other_bytes(), test::hamlet()->bytes()}) {
    auto reception = store.receive(identity(), content.size());
    ASSERT_TRUE(reception.ok());
    const core::Result<bool> result = (*reception)->append(0, content);
    ASSERT_FALSE(result.ok());
    EXPECT_STREQ(result.error().reason, "damaged");
    EXPECT_FALSE((*reception)->under_way());
  }
  EXPECT_TRUE(store.newest(9).empty());
  EXPECT_EQ((*store.receive(identity(), bytes().size()))->received(), 0u);
}

TEST(ResourceMemory, ImpossibleSizesAreRefused) {
  ResourceMemory store(2 * counted_bytes_min);
  for (const std::uint64_t size : {std::uint64_t{0}, 2 * counted_bytes_min + 1}) {
    const auto reception = store.receive(identity(), size);
    ASSERT_FALSE(reception.ok());
    EXPECT_STREQ(reception.error().reason, "too large");
  }
}

TEST(ResourceMemory, TheLeastRecentlyUsedResourceIsDropped) {
  ResourceMemory store(counted_bytes_min);
  ASSERT_TRUE(store.add(bytes()).ok());
  const auto held = store.find(identity());
  receive(store, other(), other_bytes());
  EXPECT_EQ(store.find(identity()), nullptr) << "small ones count as 1 MiB";
  EXPECT_NE(store.find(other()), nullptr);
  EXPECT_TRUE(std::ranges::equal(held->bytes(), bytes())) << "a user keeps its content";

  ResourceMemory larger(2 * counted_bytes_min);
  ASSERT_TRUE(larger.add(bytes()).ok());
  ASSERT_TRUE(larger.add(other_bytes()).ok());
  EXPECT_NE(larger.find(identity()), nullptr);
  EXPECT_EQ(larger.newest(1).front()->identity(), identity()) << "the last one used";
  EXPECT_EQ(larger.newest(9).size(), 2u);
}

}  // namespace
}  // namespace mobula::client::resource_memory_test
