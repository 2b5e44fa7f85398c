// Lobby as its players see it: a process with its worlds on one thread, players with their connections on another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <examples/lobby/lobby_game.hpp>
#include <examples/lobby/messages.hpp>
#include <fstream>
#include <functional>
#include <lobby/lobby_player.hpp>
#include <map>
#include <mobula/core/random_source.hpp>
#include <mobula/schema/lobby.hpp>
#include <mobula/schema/lobby_room.hpp>
#include <mobula/server/session/server.hpp>
#include <thread>

namespace {

using lobby::LobbyGame;
using lobby::LobbyOptions;
using mobula::client::LobbyPiece;
using mobula::client::LobbyPlayer;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
namespace core = mobula::core;

constexpr core::Nanoseconds patience = 60 * core::second;

// Text that would clear a terminal, and its harmless form.
constexpr std::string_view evil =
    "\x1b[2Janna\xc2\x9b"
    "1m\x7f";
constexpr const char* tamed = "\uFFFD[2Janna\uFFFD1m\uFFFD";

// A hostile room: its schema allows squares outside the board, and it puts pieces there.
class HostileRoom final : public mobula::server::Game {
 public:
  HostileRoom() : schema_(lobby::room::schema_bytes().begin(), lobby::room::schema_bytes().end()) {
    const core::ByteView range = core::as_bytes("0 7", 3);
    for (auto at = schema_.begin(); at != schema_.end(); ++at) {
      at = std::search(at, schema_.end(), range.begin(), range.end());
      if (at == schema_.end()) break;
      at[2] = std::byte{'9'};
    }
  }
  [[nodiscard]] core::ByteView schema() const override { return schema_; }
  core::Result<mobula::ecs::Entity> join(mobula::server::World& world, const mobula::server::Player&) override {
    put(world, "far right", 8, 0);
    put(world, "far below", 0, 9);
    put(world, "\u00e4gir", 7, 0);
    put(world, evil, 1, 7);
    return put(world, "anna", 0, 7);
  }
  void leave(mobula::server::World&, const mobula::server::Player&) override {}

 private:
  static mobula::ecs::Entity put(mobula::server::World& world, std::string_view name, std::uint8_t x, std::uint8_t y) {
    const mobula::ecs::Entity piece = world.registry().create();
    world.registry().add<lobby::room::Square>(piece, {x, y});
    world.registry().add<lobby::room::Piece>(
        piece, {.name = lobby::fixed_text<sizeof(lobby::room::Piece::name)>(name), .points = 0});
    return piece;
  }
  core::Bytes schema_;
};

// A hostile lobby: it sends control sequences for terminals, and admits players to such a room at once.
class HostileLobby final : public mobula::server::Game {
 public:
  [[nodiscard]] core::ByteView schema() const override { return lobby::schema_bytes(); }
  core::Result<mobula::ecs::Entity> join(mobula::server::World& world, const mobula::server::Player& player) override {
    mobula::ecs::Registry& registry = world.registry();
    const mobula::ecs::Entity member = registry.create();
    registry.add<lobby::Member>(member, {.name = lobby::fixed_text<sizeof(lobby::Member::name)>(evil)});
    registry.add<lobby::Room>(
        registry.create(),
        {.name = lobby::fixed_text<sizeof(lobby::Room::name)>(evil), .players = 0, .capacity = 1, .port = 1});
    static_cast<void>(lobby::send_refusal(world, player, {"evil", std::string(evil)}));
    mobula::server::Identity identity = player.identity;
    core::random_bytes(std::as_writable_bytes(std::span(&identity.client_id, 1)));
    const core::Bytes token = *mobula::server::make_token(room_issuer, identity);
    if (const core::Status given = lobby::send_ticket(world, player, evil, token); !given) return given.error();
    return member;
  }
  void leave(mobula::server::World&, const mobula::server::Player&) override {}

  mobula::server::TokenIssuer room_issuer;
};

class Lobby : public testing::Test {
 protected:
  void open(const LobbyOptions& options = {}, const std::string& db = {}) {
    game_ = std::make_unique<LobbyGame>(options);
    mobula::server::HostConfig config = here();
    config.db = db;
    const core::Status opened = game_->open(worlds_, config);
    ASSERT_TRUE(opened) << opened.error().message;
    serve();
  }
  void open_lying() {
    const auto room = worlds_.open("room", here(), lying_room_);
    ASSERT_TRUE(room) << room.error().message;
    lying_lobby_.room_issuer = (*room)->token_issuer();
    const auto lobby = worlds_.open("lobby", here(), lying_lobby_);
    ASSERT_TRUE(lobby) << lobby.error().message;
    serve();
  }

  // Ends the server. Afterwards `refusals_` may be read.
  void end() {
    players_.clear();
    worlds_.stop();
    if (serving_.joinable()) serving_.join();
  }
  void TearDown() override {
    end();
    std::remove(token_path_.c_str());
  }

  LobbyPlayer& enter(const std::string& name) {
    auto entered = LobbyPlayer::enter(loop_, access_of(name), name);
    if (!entered) throw std::runtime_error(entered.error().message);
    players_.push_back(std::move(*entered));
    return *players_.back();
  }

  // Runs until a condition holds, or the time is up.
  [[nodiscard]] bool becomes(const std::function<bool()>& so) {
    const core::Nanoseconds end = core::monotonic_now() + patience;
    while (core::monotonic_now() < end) {
      for (const auto& player : players_) player->run_for(5 * core::millisecond);
      for (const auto& player : players_)
        for (std::string& line : player->take_lines()) received_[player.get()].push_back(std::move(line));
      if (so()) return true;
    }
    return false;
  }
  [[nodiscard]] bool receives(LobbyPlayer& player, const std::string& line) {
    return becomes([&] { return std::ranges::find(received_[&player], line) != received_[&player].end(); });
  }
  [[nodiscard]] bool is_in(LobbyPlayer& player, const std::string& room) {
    return becomes([&] { return player.room() == room && player.is_playing() && !player.board().empty(); });
  }

  std::unique_ptr<LobbyGame> game_;  // outlives its worlds
  HostileRoom lying_room_;
  HostileLobby lying_lobby_;
  mobula::server::Worlds worlds_;
  mobula::server::TokenIssuer token_issuer_;
  mobula::net::EventLoop loop_;
  std::vector<std::unique_ptr<LobbyPlayer>> players_;
  std::map<LobbyPlayer*, std::vector<std::string>> received_;
  std::map<std::string, std::uint64_t> refusals_;  // refusals of the lobby; owned by the serving thread until end()

 private:
  static mobula::server::HostConfig here() {
    mobula::server::HostConfig config;
    config.port = 0;
    config.public_addresses = {"127.0.0.1"};
    config.tick_rate = 60;
    return config;
  }
  void serve() {
    token_issuer_ = worlds_.find("lobby")->token_issuer();
    worlds_.on_tick([this] { refusals_ = worlds_.find("lobby")->server().stats().refusals; });
    serving_ = std::thread([this] { worlds_.run(); });
  }
  // Returns the access of a token in a file, made as a backend does.
  mobula::client::Access access_of(const std::string& name) {
    mobula::server::Identity identity;
    core::random_bytes(std::as_writable_bytes(std::span(&identity.client_id, 1)));
    std::ranges::copy(core::as_bytes(name.data(), name.size()), identity.user_data.begin());
    const core::Bytes token = *mobula::server::make_token(token_issuer_, identity);
    std::ofstream(token_path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(token.data()), static_cast<std::streamsize>(token.size()));
    mobula::client::AccessOptions options;
    options.connect = transport_text();
    options.token_file = token_path_;
    return *mobula::client::parse_access(std::move(options));
  }
  std::string transport_text() { return to_string(token_issuer_.public_addresses.front()); }

  const std::string token_path_ = testing::TempDir() + "lobby_token." + std::to_string(::getpid());
  std::thread serving_;
};

TEST_F(Lobby, PlayersChatEnterARoomPlayAndReturn) {
  open();
  LobbyPlayer& anna = enter("anna");
  LobbyPlayer& bert = enter("bert");
  ASSERT_TRUE(becomes([&] { return anna.members().size() == 2 && bert.members().size() == 2; }));
  EXPECT_THAT(anna.members(), ElementsAre("anna", "bert"));
  anna.send_chat("hello");
  ASSERT_TRUE(receives(bert, "anna: hello"));

  anna.create_room("the den", 2);
  ASSERT_TRUE(is_in(anna, "the den"));
  ASSERT_TRUE(becomes([&] { return bert.rooms().size() == 1 && bert.rooms().front().players == 1; }));
  EXPECT_EQ(bert.rooms().front().name, "the den");
  bert.join_room(bert.rooms().front().entity);
  ASSERT_TRUE(is_in(bert, "the den"));
  bert.send_chat("here I am");
  ASSERT_TRUE(receives(anna, "bert: here I am"));

  const auto own = [](const LobbyPlayer& player) {
    const std::vector<LobbyPiece> board = player.board();
    const auto piece = std::ranges::find_if(board, &LobbyPiece::own);
    return piece == board.end() ? LobbyPiece{} : *piece;
  };
  ASSERT_TRUE(becomes([&] { return anna.board().size() == 3 && !own(anna).name.empty(); })) << "two pieces, a gem";
  const LobbyPiece before = own(anna);
  // Retries, because another player may be on a square.
  ASSERT_TRUE(becomes([&, tries = 0]() mutable {
    if (tries++ % 20 == 0) anna.step(before.x > 0 ? -1 : 1, tries % 40 < 20 ? 0 : (before.y > 0 ? -1 : 1));
    return own(anna).x != before.x;
  }));

  bert.leave_room();
  EXPECT_EQ(bert.room(), "");
  ASSERT_TRUE(becomes([&] { return bert.rooms().front().players == 1; }));
  bert.send_chat("back again");
  ASSERT_TRUE(receives(bert, "bert: back again"));
}

TEST_F(Lobby, AFullRoomRefusesPlayers) {
  open();
  LobbyPlayer& anna = enter("anna");
  LobbyPlayer& bert = enter("bert");
  ASSERT_TRUE(becomes([&] { return anna.is_playing() && bert.is_playing(); }));
  anna.create_room("hermitage", 1);
  ASSERT_TRUE(is_in(anna, "hermitage"));
  ASSERT_TRUE(becomes([&] { return bert.rooms().size() == 1 && bert.rooms().front().players == 1; }));
  bert.join_room(bert.rooms().front().entity);
  EXPECT_TRUE(receives(bert, "sorry: hermitage is full"));
  EXPECT_EQ(bert.room(), "");
}

TEST_F(Lobby, AnEmptyRoomIsClosedWithItsWorld) {
  open({.rooms_max = 1, .empty_seconds = 1});
  LobbyPlayer& anna = enter("anna");
  ASSERT_TRUE(becomes([&] { return anna.is_playing(); }));
  anna.create_room("one", 4);
  ASSERT_TRUE(is_in(anna, "one"));
  anna.create_room("two", 4);
  EXPECT_TRUE(receives(anna, "sorry: the limit of open rooms is reached; join one, or wait"));
  anna.leave_room();
  ASSERT_TRUE(becomes([&] { return anna.rooms().empty(); }));
  // Retries, because the room's place is free only when its world has ended, a moment later.
  EXPECT_TRUE(becomes([&, tries = 0]() mutable {
    if (tries++ % 200 == 0) anna.create_room("two", 4);
    return anna.room() == "two";
  }));
}

TEST_F(Lobby, ARestoredLobbyHasMembersButNoRooms) {
  const std::string db = testing::TempDir() + "lobby." + std::to_string(::getpid()) + ".db";
  open({}, db);
  LobbyPlayer& anna = enter("anna");
  ASSERT_TRUE(becomes([&] { return anna.is_playing(); }));
  anna.create_room("the den", 4);
  ASSERT_TRUE(is_in(anna, "the den"));
  worlds_.stop();
  ASSERT_TRUE(becomes([&] { return anna.over(); }));
  end();

  mobula::server::Worlds others;
  LobbyGame again;
  mobula::server::HostConfig config;
  config.port = 0;
  config.db = db;
  ASSERT_TRUE(again.open(others, config).ok());
  const mobula::ecs::Registry& registry = others.find("lobby")->server().world().registry();
  EXPECT_EQ(registry.view<const lobby::Room>().size_hint(), 0u);
  EXPECT_EQ(registry.view<const lobby::Member>().size_hint(), 1u) << "until her time to reconnect is over";
  for (const char* end : {"", "-wal", "-shm", ".lock"}) std::remove((db + end).c_str());
}

TEST_F(Lobby, OnePlayerCannotOpenAllRooms) {
  open({.rooms_max = 16, .empty_seconds = 60});
  LobbyPlayer& anna = enter("anna");
  ASSERT_TRUE(becomes([&] { return anna.is_playing(); }));
  for (int i = 1; i <= 3; ++i) {
    anna.create_room("mine", 4);
    ASSERT_TRUE(becomes([&] { return anna.rooms().size() == static_cast<std::size_t>(i); }));
  }
  // Retries, because the request may exceed the rate of commands.
  EXPECT_TRUE(becomes([&, tries = 0]() mutable {
    if (tries++ % 200 == 0) anna.create_room("mine", 4);
    return std::ranges::count(received_[&anna], "sorry: you have opened too many rooms; join one, or wait") > 0;
  }));
  EXPECT_THAT(anna.rooms(), SizeIs(3));
}

TEST_F(Lobby, RefusesUnprintableChatAndRoomNames) {
  open();
  LobbyPlayer& anna = enter("anna");
  ASSERT_TRUE(becomes([&] { return anna.is_playing(); }));
  anna.send_chat("\x1b[2J");
  anna.send_chat(std::string(201, 'x'));
  anna.send_chat("");
  anna.create_room("a\nb", 4);
  anna.create_room("nine", 9);
  anna.send_chat("well then");
  ASSERT_TRUE(receives(anna, "anna: well then"));
  EXPECT_THAT(received_[&anna], ElementsAre("anna: well then"));
  EXPECT_THAT(anna.rooms(), IsEmpty());
  end();
  EXPECT_EQ(refusals_["bad text"], 4u);
  EXPECT_EQ(refusals_["bad capacity"], 1u);
}

TEST_F(Lobby, AHostileServerCannotControlTerminalOrBoard) {
  open_lying();
  LobbyPlayer& anna = enter("anna");
  ASSERT_TRUE(is_in(anna, tamed));
  EXPECT_THAT(anna.members(), ElementsAre(tamed));
  ASSERT_THAT(anna.rooms(), SizeIs(1));
  EXPECT_EQ(anna.rooms().front().name, tamed);
  EXPECT_TRUE(receives(anna, std::string("sorry: ") + tamed));
  EXPECT_TRUE(receives(anna, std::string("entering ") + tamed));

  ASSERT_TRUE(becomes([&] { return anna.board().size() == 3; }));
  const std::string empty = ". . . . . . . .";
  EXPECT_THAT(mobula::client::board_lines(anna.board()),
              ElementsAre(". . . . . . . \u00e4", empty, empty, empty, empty, empty, empty, "@ \uFFFD . . . . . ."));
}

}  // namespace
