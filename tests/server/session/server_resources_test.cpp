// Levels that clients fetch from the server and store.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <mobula/client/files/resource_folder.hpp>
#include <server/hamlet.hpp>
#include <server/tiny_game.hpp>

namespace mobula::server {
namespace {

class ServerResources : public testing::Test {
 protected:
  using Client = test::Village::Client;

  ~ServerResources() override { std::filesystem::remove_all(folder); }
  static ServerConfig with(std::shared_ptr<const resource::Resource> level) {
    ServerConfig config;
    config.level = std::move(level);
    return config;
  }
  Client& join_with_store(test::Village& where) {
    client::ConnectionConfig config;
    config.resources = &store;
    return where.join(config);
  }
  [[nodiscard]] bool stored(const resource::Resource& level = *test::hamlet()) {
    return store.find(level.identity()) != nullptr;
  }

  test::TinyGame game;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("mobula_resources." + std::to_string(::getpid()));
  client::ResourceFolder store = *client::ResourceFolder::open(folder.string());
};

TEST_F(ServerResources, AClientFetchesTheLevelOnceAndStoresIt) {
  test::Village levelled(game, with(test::hamlet()));
  Client& client = join_with_store(levelled);
  ASSERT_TRUE(levelled.tick_until([&] { return stored() && levelled.mirrors(client); }));
  const auto found = store.find(test::hamlet()->identity());
  EXPECT_FALSE(found->complete()) << "the server's part is not sent";
  Client& again = join_with_store(levelled);
  ASSERT_TRUE(levelled.tick_until([&] { return levelled.mirrors(again); }));
  levelled.ticks(20);
  EXPECT_EQ(again.connection.reception(), nullptr);
}

TEST_F(ServerResources, AnInterruptedTransferContinues) {
  const auto level = test::village();  // several hundred KiB in many parts
  test::Village levelled(game, with(level));
  Client& client = join_with_store(levelled);
  const auto received = [&] {
    const client::ResourceStore::Reception* const reception = client.connection.reception();
    return reception != nullptr ? reception->received() : 0;
  };
  const auto has_tokens = [&] { return client.connection.rejoin_grace() > 0; };
  ASSERT_TRUE(levelled.tick_until([&] { return received() > level->clients_bytes().size() / 4 && has_tokens(); }));
  ASSERT_FALSE(stored(*level)) << "the transfer is not finished";
  client.port.from = transport::Address::v4(10, 2, 0, 1, 6000);
  client.connection.pipe_closed("cut", levelled.now);
  levelled.tick();
  ASSERT_TRUE(client.connection.can_rejoin());
  client.connection.rejoin(levelled.now);
  EXPECT_EQ(received(), 0u);
  ASSERT_TRUE(levelled.tick_until([&] { return received() > 0; }));
  EXPECT_GT(received(), level->clients_bytes().size() / 4) << "received parts are not sent again";
  EXPECT_TRUE(levelled.tick_until([&] { return stored(*level); }));
}

TEST_F(ServerResources, UnknownResourcesAreRefused) {
  ResourceTransfer transfer;
  const auto reason = [&](const core::ContentHash& identity, std::uint64_t offset) {
    return std::string(transfer.start(test::hamlet(), {identity, offset}).error().reason);
  };
  EXPECT_EQ(reason({}, 0), "unknown resource");
  EXPECT_EQ(reason(test::hamlet()->server_identity(), 0), "unknown resource")
      << "the server's part cannot be requested";
  EXPECT_EQ(reason(test::hamlet()->identity(), test::hamlet()->clients_bytes().size()), "out of range");
  EXPECT_STREQ(transfer.start(nullptr, {test::hamlet()->identity(), 0}).error().reason, "unknown resource");
  EXPECT_TRUE(transfer.done());
}

}  // namespace
}  // namespace mobula::server
