#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <mobula/client/files/resource_folder.hpp>
#include <mobula/core/hex.hpp>
#include <server/hamlet.hpp>

namespace mobula::client {
namespace {

namespace fs = std::filesystem;

class ResourceFolderTest : public testing::Test {
 protected:
  ResourceFolderTest() { fs::remove_all(folder); }
  ~ResourceFolderTest() override { fs::remove_all(folder.parent_path()); }

  [[nodiscard]] ResourceFolder open() const { return *ResourceFolder::open(folder.string()); }
  [[nodiscard]] core::ContentHash identity() const { return test::hamlet()->identity(); }
  [[nodiscard]] core::ByteView bytes() const { return test::hamlet()->clients_bytes(); }
  [[nodiscard]] std::string part_path() const { return (folder / (to_string(identity()) + ".part")).string(); }
  // Creates a file of the store with a size in bytes, last used some hours ago. Its name is the digit 64 times.
  std::string put(char digit, const char* extension, std::uint64_t size, int hours_ago) const {
    fs::create_directories(folder);
    const std::string path = (folder / (std::string(64, digit) + extension)).string();
    std::ofstream(path) << "something";
    fs::resize_file(path, size);
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(hours_ago));
    return path;
  }
  static core::ContentHash hash(char digit) {
    core::ContentHash hash;
    hash.bytes.fill((*core::from_hex(std::string(2, digit)))[0]);
    return hash;
  }
  static std::string reason(const core::Result<bool>& result) { return result ? "none" : result.error().reason; }

  const fs::path folder = fs::temp_directory_path() / ("mobula_store." + std::to_string(::getpid())) / "deep";
};

TEST_F(ResourceFolderTest, ACompleteResourceIsFound) {
  ResourceFolder store = open();
  EXPECT_EQ(store.find(identity()), nullptr);
  auto reception = store.receive(identity(), bytes().size());
  ASSERT_TRUE(reception) << reception.error().message;
  EXPECT_EQ((*reception)->received(), 0u);
  EXPECT_FALSE((*reception)->append(0, bytes().first(100)).value());
  EXPECT_TRUE((*reception)->append(100, bytes().subspan(100)).value());
  EXPECT_FALSE((*reception)->under_way());
  const auto found = open().find(identity());
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->identity(), identity());
  EXPECT_FALSE(found->complete()) << "a client's copy has no server part";
  EXPECT_FALSE(fs::exists(part_path()));
}

TEST_F(ResourceFolderTest, AnInterruptedTransferContinues) {
  ResourceFolder store = open();
  EXPECT_FALSE((*store.receive(identity(), bytes().size()))->append(0, bytes().first(333)).value());
  auto reception = open().receive(identity(), bytes().size());
  ASSERT_TRUE(reception);
  EXPECT_EQ((*reception)->received(), 333u);
  EXPECT_TRUE((*reception)->append(333, bytes().subspan(333)).value());
}

TEST_F(ResourceFolderTest, PartsOutOfOrderAreNotStored) {
  auto reception = open().receive(identity(), bytes().size());
  EXPECT_FALSE((*reception)->append(1, bytes().first(10)).value());
  EXPECT_FALSE((*reception)->append(0, bytes().first(10)).value());
  EXPECT_FALSE((*reception)->append(0, bytes().first(10)).value());
  EXPECT_EQ(reason((*reception)->append(10, core::Bytes(bytes().size()))), "too large");
  EXPECT_EQ((*reception)->received(), 10u);
  EXPECT_TRUE((*reception)->append(10, bytes().subspan(10)).value());
}

TEST_F(ResourceFolderTest, OtherBytesThanAnnouncedAreDiscarded) {
  core::Bytes other(bytes().begin(), bytes().end());
  other[other.size() / 2] ^= std::byte{1};
  auto reception = open().receive(identity(), other.size());
  EXPECT_EQ(reason((*reception)->append(0, other)), "damaged");
  EXPECT_FALSE((*reception)->under_way());
  EXPECT_TRUE(fs::is_empty(folder));
  // The complete file includes the server part, which a client must not have.
  const core::ByteView complete = test::hamlet()->bytes();
  auto again = open().receive(identity(), complete.size());
  EXPECT_EQ(reason((*again)->append(0, complete)), "damaged");
  // Another level is refused too.
  const core::ByteView another = test::rebuilt_hamlet()->clients_bytes();
  auto last = open().receive(identity(), another.size());
  EXPECT_EQ(reason((*last)->append(0, another)), "damaged");
}

TEST_F(ResourceFolderTest, ADamagedFileIsRemoved) {
  ResourceFolder store = open();
  EXPECT_TRUE((*store.receive(identity(), bytes().size()))->append(0, bytes()).value());
  std::ofstream(store.path(identity()), std::ios::in | std::ios::binary)
      .seekp(200)
      .put(static_cast<char>(bytes()[200] ^ std::byte{1}));
  EXPECT_EQ(store.find(identity()), nullptr);
  EXPECT_FALSE(fs::exists(store.path(identity())));
}

TEST_F(ResourceFolderTest, OneProcessAtATimeReceivesAResource) {
  ResourceFolder store = open();
  auto first = store.receive(identity(), bytes().size());
  ASSERT_TRUE(first);
  const auto second = open().receive(identity(), bytes().size());
  ASSERT_FALSE(second);
  EXPECT_STREQ(second.error().reason, "busy");
}

TEST_F(ResourceFolderTest, ImpossibleSizesAreRefused) {
  ResourceFolder store = open();
  for (const std::uint64_t size : {std::uint64_t{0}, resource_bytes_max + 1}) {
    const auto reception = store.receive(identity(), size);
    ASSERT_FALSE(reception);
    EXPECT_STREQ(reception.error().reason, "too large");
  }
  // A partial file longer than the announced size is discarded.
  EXPECT_FALSE((*store.receive(identity(), bytes().size()))->append(0, bytes().first(500)).value());
  EXPECT_EQ((*store.receive(identity(), 400))->received(), 0u);
}

TEST_F(ResourceFolderTest, TheLeastRecentlyUsedFileIsRemoved) {
  constexpr std::uint64_t mib = 1 << 20;
  const std::string oldest = put('a', ".level", 2 * mib, 3);
  const std::string part = put('b', ".part", mib, 2);
  const std::string newest = put('c', ".level", 10, 1);
  ResourceFolder store = *ResourceFolder::open(folder.string(), 4 * mib);
  const auto first = store.receive(identity(), bytes().size());
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_FALSE(fs::exists(oldest));
  EXPECT_TRUE(fs::exists(part)) << "there is room for it; small files count as 1 MiB";
  EXPECT_TRUE(fs::exists(newest));

  const auto second = store.receive(hash('d'), 2 * mib);
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_FALSE(fs::exists(part)) << "no process receives it";
  EXPECT_TRUE(fs::exists(newest));
  EXPECT_TRUE(fs::exists(part_path())) << "a process receives it";
}

TEST_F(ResourceFolderTest, AResourceInTransferIsNotRemoved) {
  constexpr std::uint64_t mib = 1 << 20;
  ResourceFolder store = *ResourceFolder::open(folder.string(), 3 * mib);
  auto first = store.receive(identity(), bytes().size());
  ASSERT_TRUE(first);
  EXPECT_FALSE((*first)->append(0, bytes().first(100)).value());
  fs::last_write_time(part_path(), fs::file_time_type::clock::now() - std::chrono::hours(1));
  const auto second = ResourceFolder::open(folder.string(), 3 * mib)->receive(hash('d'), 3 * mib);
  ASSERT_FALSE(second);
  EXPECT_STREQ(second.error().reason, "no room");
  EXPECT_TRUE((*first)->append(100, bytes().subspan(100)).value());
  EXPECT_TRUE(store.receive(hash('d'), 3 * mib)) << "it is complete now, and may be removed";
  EXPECT_FALSE(fs::exists(store.path(identity())));
}

TEST_F(ResourceFolderTest, AContinuedTransferReservesItsRoomOnce) {
  constexpr std::uint64_t mib = 1 << 20;
  const std::string level = put('a', ".level", mib, 1);
  ResourceFolder store = *ResourceFolder::open((folder / "").string(), 3 * mib);
  for (int i = 0; i < 2; ++i) {
    fs::resize_file(put('d', ".part", mib, 2), mib + mib / 2);
    const auto reception = store.receive(hash('d'), 2 * mib);
    ASSERT_TRUE(reception) << reception.error().message;
    EXPECT_EQ((*reception)->received(), mib + mib / 2);
    EXPECT_TRUE(fs::exists(level));
  }
}

TEST_F(ResourceFolderTest, AFoundFileCountsAsUsedAndStaysMapped) {
  constexpr std::uint64_t mib = 1 << 20;
  ResourceFolder store = *ResourceFolder::open((folder / "").string(), 3 * mib);
  EXPECT_TRUE((*store.receive(identity(), bytes().size()))->append(0, bytes()).value());
  fs::last_write_time(store.path(identity()), fs::file_time_type::clock::now() - std::chrono::hours(9));
  const std::string other = put('c', ".level", mib, 1);
  const auto found = store.find(identity());
  ASSERT_NE(found, nullptr);
  ASSERT_EQ(store.newest(9).size(), 1u) << "the other file is damaged";
  EXPECT_TRUE(store.receive(hash('d'), 2 * mib));
  EXPECT_FALSE(fs::exists(other));
  EXPECT_TRUE(fs::exists(store.path(identity())));
  EXPECT_TRUE(store.receive(hash('e'), 3 * mib));
  EXPECT_FALSE(fs::exists(store.path(identity())));
  EXPECT_TRUE(std::ranges::equal(found->bytes(), bytes())) << "a mapped file stays readable";
}

TEST_F(ResourceFolderTest, FilesOfOtherProgramsAreKept) {
  put('a', ".level", 10, 1);
  const std::string others[] = {put('b', ".txt", 1 << 20, 99), (folder / "film.part").string(),
                                (folder / "garden.level").string()};
  for (const std::string& path : others) std::ofstream(path) << "another program's";
  fs::create_directory(folder / (std::string(64, 'c') + ".level"));
  EXPECT_TRUE(ResourceFolder::open(folder.string(), counted_bytes_min)->receive(identity(), bytes().size()));
  for (const std::string& path : others) EXPECT_TRUE(fs::exists(path)) << path;
  EXPECT_TRUE(fs::exists(folder / (std::string(64, 'c') + ".level")));
  EXPECT_FALSE(fs::exists(folder / (std::string(64, 'a') + ".level")));
}

TEST_F(ResourceFolderTest, AnUnusableFolderIsAnError) {
  fs::create_directories(folder.parent_path());
  std::ofstream(folder) << "a file";
  const auto store = ResourceFolder::open(folder.string());
  ASSERT_FALSE(store);
  EXPECT_STREQ(store.error().reason, "no folder");
}

}  // namespace
}  // namespace mobula::client
